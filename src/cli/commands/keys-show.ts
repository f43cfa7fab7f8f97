import type { ApiKey } from "../../contract/key.ts";
import { explainAmbiguousKey } from "../ambiguous-key.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { argument } from "../option.ts";
import { printSheet } from "../print.ts";

export const keysShow = defineCommand({
  name: "show",
  summary: "show an API key, without its secret",
  arguments: { key: argument("id, prefix or name of the key") },
  examples: ["keys show ci", "keys show sgt_x9Qf --json"],
  async action({ control, output }, { key: reference }) {
    const client = await control();
    const key = await client.get<ApiKey>(`/control/keys/${encodeURIComponent(reference)}`).catch((error: unknown) => {
      throw explainAmbiguousKey(error);
    });
    await printSheet(output, {
      json: key,
      id: key.id,
      fields: [
        ["id", textCell(key.id)],
        ["name", textCell(key.name)],
        ["prefix", textCell(key.prefix)],
        ["scopes", textCell(key.scopes.join(" "))],
        ["created", timeCell(key.created_at, output.now)],
        ["last used", timeCell(key.last_used_at, output.now)],
        ["expires", timeCell(key.expires_at, output.now)],
        ["revoked", timeCell(key.revoked_at, output.now)],
      ],
    });
  },
});
