import type { ApiKey, MintedKey } from "../../contract/key.ts";
import { explainAmbiguousKey } from "../ambiguous-key.ts";
import { defineCommand } from "../command.ts";
import { argument, value } from "../option.ts";
import { printMintedKey } from "../print-minted-key.ts";
import { rotateInto } from "../write-key-file.ts";

export const keysRotate = defineCommand({
  name: "rotate",
  summary: "replace a key by a new one of the same name, scopes and expiry; the old one ends at once",
  arguments: { key: argument("id, prefix or name of the key") },
  options: {
    out: value("FILE", "write the secret to this file (mode 0600) instead of showing it: a new one, or the old key's"),
  },
  examples: ["keys rotate ci --out ci.key", "keys rotate sgt_x9Qf --json"],
  async action({ control, output }, { key, out }) {
    const client = await control();
    const path = `/control/keys/${encodeURIComponent(key)}`;
    const rotate = async () => client.post<MintedKey>(`${path}/rotate`);
    const prefix = async () => (await client.get<ApiKey>(path)).prefix;
    try {
      await printMintedKey(output, out === undefined ? await rotate() : await rotateInto(out, prefix, rotate), out);
    } catch (error) {
      throw explainAmbiguousKey(error);
    }
  },
});
