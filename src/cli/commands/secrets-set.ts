import type { NamedSecret } from "../../contract/named-value.ts";
import { ask } from "../ask.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { type Context, canAsk } from "../context.ts";
import { namedArgument, printSecret } from "../named-value.ts";
import { optionalArgument } from "../option.ts";
import { readSecretText } from "../read-secret.ts";
import { safeText } from "../safe-text.ts";

export const secretsSet = defineCommand({
  name: "set",
  summary: "set a secret, which templates read as {{secret.NAME}}; its value is never shown again",
  arguments: {
    name: namedArgument("secret"),
    source: optionalArgument("@FILE or - for stdin; at a terminal you are asked. Never the secret itself"),
  },
  examples: ["secrets set SHOP_TOKEN", "secrets set SHOP_TOKEN @token.txt", "secrets set SHOP_TOKEN - < token.txt"],
  async action(context, { name, source }) {
    const value = await readValue(context, name, source);
    const client = await context.control();
    const secret = await client.post<NamedSecret>(`/control/secrets/${encodeURIComponent(name)}`, { value });
    await printSecret(context.output, secret);
  },
});

async function readValue(context: Context, name: string, source: string | undefined): Promise<string> {
  const { stdin } = context.terminal;
  if (source !== undefined) return readSecretText("A secret", source, stdin);
  if (canAsk(context)) {
    return ask(context, { message: `Value of ${safeText(name)}`, isHidden: true, isOptional: false });
  }
  if (!stdin.isTTY) return readSecretText("The secret on stdin", "-", stdin);
  throw new CliError("usage", "There is nobody to ask here.", { hint: "give @FILE, or - for stdin" });
}
