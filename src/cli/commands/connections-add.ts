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
import { readSignInOptions, signInOptions } from "../sign-in/options.ts";
import { canSignIn, signIn } from "../sign-in/sign-in.ts";

export const connectionsAdd = defineCommand({
  name: "add",
  summary: "make a connection to a service; at a terminal what is missing is asked for",
  arguments: { connector: argument("slug of the connector, such as http or openai") },
  options: {
    name: value("NAME", "how workflows and people call it (required)"),
    settings: value("JSON", "what is no secret, baseUrl and allowPrivateNetwork among it; @FILE, - for stdin"),
    secrets: value("@FILE", "the credentials, a JSON object in a file; - for stdin. Never the object itself"),
    requireApproval: flag("every call through it waits for an approval"),
    ...signInOptions,
  },
  examples: [
    "connections add openai --name work",
    'connections add http --name shop --settings \'{"baseUrl":"https://shop.example"}\' --secrets @shop.json',
    "connections add telegram --name bot --secrets - < bot.json",
    "connections add crm --name crm --no-browser",
  ],
  async action(context, { connector, name, settings, secrets, requireApproval, ...options }) {
    const given = await readConnectionFields(context, { settings, secrets });
    const client = await context.control();
    const isAsked = canAsk(context);
    if (name === undefined && !isAsked) {
      throw new CliError("usage", "A connection needs a name.", { hint: "give --name NAME" });
    }
    const path = `/control/connection-fields/${encodeURIComponent(connector)}`;
    // Before the first question: nobody types credentials for a connector that there isn't.
    const asked = isAsked ? await client.get<ConnectionFields>(path) : null;
    // What a sign-in brings nobody has to type.
    const fields = (asked?.fields ?? []).filter(({ name: field }) => !(asked?.sign_in && brought.has(field)));
    const called = name ?? (await ask(context, { message: "Name", isHidden: false, isOptional: false }));
    const isWhole = settings === undefined && secrets === undefined;
    const values = await askFields(context, fields, given, { isWhole });
    const request = { connector, name: called, ...values, require_approval: requireApproval };
    const made = await client.post<ConnectionBody>("/control/connections", request);
    const signing = readSignInOptions(options);
    if (made.status === "needs_auth" && canSignIn(context, signing)) {
      return printConnection(context.output, await signIn(context, client, made, signing));
    }
    if (made.status === "needs_auth") {
      context.output.note(`Nobody has signed in yet: stepgate connections reauthorize ${made.id}`);
    }
    return printConnection(context.output, made);
  },
});

const brought: ReadonlySet<string> = new Set(["access_token", "refresh_token"]);

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
