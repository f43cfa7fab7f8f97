import type { ApiKey } from "../../contract/key.ts";
import { explainAmbiguousKey } from "../ambiguous-key.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { confirm } from "../context.ts";
import { argument } from "../option.ts";
import { printSheet } from "../print.ts";
import { safeText } from "../safe-text.ts";

export const keysRevoke = defineCommand({
  name: "revoke",
  summary: "end a key for good; programs that use it are refused from then on",
  arguments: { key: argument("id, prefix or name of the key") },
  examples: ["keys revoke sgt_x9Qf", "keys revoke ci --yes"],
  async action(context, { key }) {
    await confirm(context, `Revoke the key ${safeText(key)}? This can't be undone.`);
    const client = await context.control();
    try {
      const revoked = await client.post<ApiKey>(`/control/keys/${encodeURIComponent(key)}/revoke`);
      await printSheet(context.output, {
        json: revoked,
        id: revoked.id,
        fields: [
          ["id", textCell(revoked.id)],
          ["name", textCell(revoked.name)],
          ["revoked", timeCell(revoked.revoked_at, context.output.now)],
        ],
      });
    } catch (error) {
      throw explainAmbiguousKey(error);
    }
  },
});
