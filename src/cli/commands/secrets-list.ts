import type { SecretList } from "../../contract/named-value.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { printListing } from "../print.ts";

export const secretsList = defineCommand({
  name: "list",
  summary: "list the names of secrets, never their values",
  examples: ["secrets list", "secrets list --json"],
  async action({ control, output }) {
    const client = await control();
    const list = await client.get<SecretList>("/control/secrets");
    await printListing(output, {
      json: list,
      rows: list.secrets,
      id: (secret) => secret.name,
      columns: ["NAME", "CREATED", "UPDATED"],
      cells: (secret) => [
        textCell(secret.name),
        timeCell(secret.created_at, output.now),
        timeCell(secret.updated_at, output.now),
      ],
      empty: "No secrets. Set one with: stepgate secrets set NAME",
    });
  },
});
