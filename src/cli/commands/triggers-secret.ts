import type { SecretChange, TriggerSecret } from "../../contract/trigger.ts";
import { ask } from "../ask.ts";
import { textCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { canAsk, confirm, type Context } from "../context.ts";
import { argument, oneOf, optionalArgument } from "../option.ts";
import { printSheet } from "../print.ts";
import { readSecretText } from "../read-secret.ts";
import { triggerArgument, triggerPath } from "../trigger.ts";

type Action = SecretChange["action"];
const readAction = oneOf("set", "rotate", "clear");

export const triggersSecret = defineCommand({
  name: "secret",
  summary: "set, rotate or clear the secret of a webhook's signatures; needs no publish",
  arguments: {
    change: argument("set: this one alone; rotate: a new one beside the old; clear: check no signatures"),
    trigger: triggerArgument,
    source: optionalArgument("@FILE or - for stdin; without it set asks and rotate makes one. Never the secret itself"),
  },
  examples: [
    'triggers secret set "On order" @secret.txt',
    'triggers secret rotate "On order" --json',
    'triggers secret clear "On order" --yes',
  ],
  async action(context, { change, trigger, source }) {
    const action = readChange(change);
    if (action === "clear")
      await confirm(context, "Check no signatures any more, so that whoever has the address can send?");
    const body = await readRequest(context, action, source);
    const client = await context.control();
    const { output } = context;
    const changed = await client.post<TriggerSecret>(`${triggerPath(trigger)}/secret`, body);
    const { subscription_id: id, secrets, secret } = changed;
    await printSheet(output, {
      json: changed,
      id,
      fields: [
        ["id", textCell(id)],
        ["secrets", textCell(secrets)],
        ...(secret === null ? [] : [["new secret", textCell(secret, "bold")] as const]),
      ],
    });
    if (secret !== null)
      output.note("The new secret is not shown again. The old one is good until the next set or rotate.");
  },
});

function readChange(text: string): Action {
  try {
    return readAction(text);
  } catch {
    throw new CliError("usage", "Say what to do with the secret: set, rotate or clear.");
  }
}

async function readRequest(context: Context, action: Action, source: string | undefined): Promise<SecretChange> {
  const { stdin } = context.terminal;
  if (action === "clear") return { action };
  if (source !== undefined) return { action, secret: await readSecretText("A secret", source, stdin) };
  if (action === "rotate") return { action };
  if (canAsk(context)) {
    return { action, secret: await ask(context, { message: "The secret", isHidden: true, isOptional: false }) };
  }
  throw new CliError("usage", "There is nobody to ask here.", { hint: "give @FILE, or - for stdin" });
}
