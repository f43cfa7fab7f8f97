import type { MintedKey } from "../../contract/key.ts";
import { explainAmbiguousKey } from "../ambiguous-key.ts";
import { defineCommand } from "../command.ts";
import { argument, value } from "../option.ts";
import { printMintedKey } from "../print-minted-key.ts";
import { mintInto } from "./keys-mint.ts";

export const keysRotate = defineCommand({
  name: "rotate",
  summary: "replace a key by a new one of the same name, scopes and expiry; the old one ends at once",
  arguments: { key: argument("id, prefix or name of the key") },
  options: { out: value("FILE", "write the secret to this new file (mode 0600) instead of showing it") },
  examples: ["keys rotate ci --out ci.key", "keys rotate sgt_x9Qf --json"],
  async action({ control, output }, { key, out }) {
    const client = await control();
    const rotate = async () => client.post<MintedKey>(`/control/keys/${encodeURIComponent(key)}/rotate`);
    try {
      await printMintedKey(output, out === undefined ? await rotate() : await mintInto(out, rotate), out);
    } catch (error) {
      throw explainAmbiguousKey(error);
    }
  },
});
