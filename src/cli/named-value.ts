import type { NamedSecret, NamedVariable } from "../contract/named-value.ts";
import { textCell, timeCell } from "./cell.ts";
import { argument } from "./option.ts";
import type { Output } from "./output.ts";
import { printSheet } from "./print.ts";

export function namedArgument(what: string) {
  return argument(`name of the ${what}: letters, digits, _ and -`);
}

export async function printVariable(output: Output, variable: NamedVariable): Promise<void> {
  const { name, value, updated_at } = variable;
  await printSheet(output, {
    json: variable,
    id: name,
    fields: [
      ["name", textCell(name)],
      ["value", textCell(value)],
      ["updated", timeCell(updated_at, output.now)],
    ],
  });
}

export async function printSecret(output: Output, secret: NamedSecret): Promise<void> {
  const { name, updated_at } = secret;
  await printSheet(output, {
    json: secret,
    id: name,
    fields: [
      ["name", textCell(name)],
      ["updated", timeCell(updated_at, output.now)],
    ],
  });
}
