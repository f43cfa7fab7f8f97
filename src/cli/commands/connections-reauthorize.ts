import type { ConnectionBody } from "../../contract/connection.ts";
import { defineCommand } from "../command.ts";
import { connectionArgument, connectionPath, printConnection } from "../connection.ts";
import { readSignInOptions, signInOptions } from "../sign-in/options.ts";
import { signIn } from "../sign-in/sign-in.ts";

export const connectionsReauthorize = defineCommand({
  name: "reauthorize",
  summary: "sign in to a connection's service again with a browser (OAuth2)",
  arguments: { connection: connectionArgument },
  options: signInOptions,
  examples: ["connections reauthorize crm", "connections reauthorize crm --no-browser"],
  async action(context, { connection, ...options }) {
    const client = await context.control();
    const found = await client.get<ConnectionBody>(connectionPath(connection));
    await printConnection(context.output, await signIn(context, client, found, readSignInOptions(options)));
  },
});
