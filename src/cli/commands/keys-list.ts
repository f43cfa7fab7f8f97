import type { ApiKey, KeyList } from "../../contract/key.ts";
import { textCell, timeCell, type Cell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { printListing } from "../print.ts";

export const keysList = defineCommand({
  name: "list",
  summary: "list API keys, without their secrets",
  examples: ["keys list", "keys list --json"],
  async action({ control, output }) {
    const client = await control();
    const list = await client.get<KeyList>("/control/keys");
    await printListing(output, {
      json: list,
      rows: list.keys,
      id: (key) => key.id,
      columns: ["NAME", "PREFIX", "STATE", "CREATED", "LAST USED", "EXPIRES", "ID", "SCOPES"],
      cells: (key) => [
        textCell(key.name),
        { raw: key.prefix, text: `${key.prefix}${output.isUnicode ? "…" : "..."}` },
        stateCell(key, output.now),
        timeCell(key.created_at, output.now),
        timeCell(key.last_used_at, output.now),
        timeCell(key.expires_at, output.now),
        textCell(key.id),
        textCell(key.scopes.join(" ")),
      ],
      empty: "No keys. Make one with: stepgate keys mint --name NAME",
    });
  },
});

function stateCell({ revoked_at, expires_at }: ApiKey, now: Date): Cell {
  if (revoked_at !== null) return { raw: "revoked", style: "red" };
  if (expires_at !== null && Date.parse(expires_at) <= now.getTime()) return { raw: "expired", style: "yellow" };
  return { raw: "active", style: "green" };
}
