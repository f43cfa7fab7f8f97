import type { MintedKey } from "../contract/key.ts";
import { textCell, timeCell } from "./cell.ts";
import type { Output } from "./output.ts";
import { printSheet } from "./print.ts";

/** Prints a new key; its secret only where it was not written into the file `out`. */
export async function printMintedKey(output: Output, key: MintedKey, out: string | undefined): Promise<void> {
  const { secret, ...shown } = key;
  await printSheet(output, {
    json: out === undefined ? key : { ...shown, secret_file: out },
    id: key.id,
    fields: [
      ["id", textCell(key.id)],
      ["name", textCell(key.name)],
      ["scopes", textCell(key.scopes.join(" "))],
      ["expires", timeCell(key.expires_at, output.now)],
      out === undefined ? ["secret", textCell(secret, "bold")] : ["secret in", textCell(out)],
    ],
  });
  if (out === undefined) output.note("Keep the secret now: it is stored nowhere and never shown again.");
}
