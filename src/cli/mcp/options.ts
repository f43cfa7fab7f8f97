import { type Argument, type Option, argument, oneOf, value } from "../option.ts";
import { type ClientName, clientNames } from "./clients.ts";
import type { Transport } from "./find-reach.ts";

const readClient = oneOf(...clientNames);
const readTransport = oneOf("stdio", "http");

/** Which client a command is about. */
export const clientArgument: Argument<ClientName> = {
  ...argument(`one of ${clientNames.join(", ")}`),
  choices: clientNames,
  read: ([text = ""]) => readClient(text),
};

/** How the client is to reach the daemon; stdio unless it is given. */
export const transportOption: Option<Transport> = {
  ...value("TRANSPORT", "stdio (the client starts a program) or http (it holds a key); stdio if absent"),
  choices: ["stdio", "http"],
  read: (texts) => readTransport(texts.at(-1) ?? "stdio"),
};
