import type { ConnectionBody, ConnectionFields } from "../../contract/connection.ts";
import { ask } from "../ask.ts";
import { askFields } from "../ask-fields.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { printConnection } from "../connection.ts";
import { type Context, canAsk } from "../context.ts";
import { argument, flag, value } from "../option.ts";
import { readInputObject } from "../read-input.ts";
import { readSecretFields } from "../read-secret.ts";

export const connectionsAdd = defineCommand({
  name: "add",
  summary: "make a connection to a service; at a terminal what is missing is asked for",
  arguments: { connector: argument("slug of the connector, such as http or openai") },
  options: {
    name: value("NAME", "how workflows and people call it (required)"),
    settings: value("JSON", "what is no secret, baseUrl and allowPrivateNetwork among it; @FILE, - for stdin"),
    secrets: value("@FILE", "the credentials, a JSON object in a file; - for stdin. Never the object itself"),
    requireApproval: flag("every call through it waits for an approval"),
  },
  examples: [
    "connections add openai --name work",
    'connections add http --name shop --settings \'{"baseUrl":"https://shop.example"}\' --secrets @shop.json',
    "connections add telegram --name bot --secrets - < bot.json",
  ],
  async action(context, { connector, name, settings, secrets, requireApproval }) {
    const given = await readConnectionFields(context, { settings, secrets });
    const client = await context.control();
    const isAsked = canAsk(context);
    if (name === undefined && !isAsked) {
      throw new CliError("usage", "A connection needs a name.", { hint: "give --name NAME" });
    }
    const path = `/control/connection-fields/${encodeURIComponent(connector)}`;
    // Before the first question: nobody types credentials for a connector that there isn't.
    const fields = isAsked ? (await client.get<ConnectionFields>(path)).fields : [];
    const called = name ?? (await ask(context, { message: "Name", isHidden: false, isOptional: false }));
    const isWhole = settings === undefined && secrets === undefined;
    const values = await askFields(context, fields, given, { isWhole });
    const request = { connector, name: called, ...values, require_approval: requireApproval };
    await printConnection(context.output, await client.post<ConnectionBody>("/control/connections", request));
  },
});

/** What `--settings` and `--secrets` give; stdin can be one of them. */
export async function readConnectionFields(
  { terminal }: Pick<Context, "terminal">,
  { settings, secrets }: { settings: string | undefined; secrets: string | undefined },
) {
  if (settings === "-" && secrets === "-") {
    throw new CliError("usage", "--settings and --secrets can't both be read from stdin.", {
      hint: "put one of them into a file: @FILE",
    });
  }
  return {
    // A secret on the command line is refused before anything else is looked at.
    secrets: secrets === undefined ? {} : await readSecretFields(secrets, terminal.stdin),
    settings: settings === undefined ? {} : await readInputObject(settings, terminal.stdin, "--settings"),
  };
}
