import type { ConnectionField } from "../contract/connection.ts";
import { ask } from "./ask.ts";
import type { Context } from "./context.ts";
import type { JsonObject } from "./parse-input.ts";
import { safeText } from "./safe-text.ts";

export type FieldValues = { settings: JsonObject; secrets: Record<string, string> };

/** Asks for the fields that are not given: the needed ones, and with `isWhole` the others too. */
export async function askFields(
  context: Context,
  fields: readonly ConnectionField[],
  given: FieldValues,
  { isWhole }: { isWhole: boolean },
): Promise<FieldValues> {
  const settings = { ...given.settings };
  const secrets = { ...given.secrets };
  for (const field of fields) {
    const { name, label, secret, required, description } = field;
    const isGiven = Object.hasOwn(secret ? secrets : settings, name);
    if (isGiven || (!required && !isWhole)) continue;
    const about = description === null ? "" : ` (${description})`;
    const message = safeText(`${label}${about}${required ? "" : ", may be left empty"}`);
    const value = await ask(context, { message, isHidden: secret, isOptional: !required });
    if (value === "") continue;
    if (secret) secrets[name] = value;
    else settings[name] = value;
  }
  return { settings, secrets };
}
