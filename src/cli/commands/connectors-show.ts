import type { ConnectorOperations, OperationSchemaBody } from "../../contract/connector-api.ts";
import { textCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { argument, flag, oneOf, value } from "../option.ts";
import { printListing, printSheet } from "../print.ts";

export const connectorsShow = defineCommand({
  name: "show",
  summary: "show what a connector can do, or what one operation takes",
  arguments: { connector: argument("slug of the connector") },
  options: {
    operation: value("KEY", "the schemas of this operation or event"),
    kind: value("KIND", "action or trigger alone", { parse: oneOf("action", "trigger") }),
    manifest: flag("print the manifest of a built connector, which can be changed and built again"),
  },
  examples: ["connectors show http", "connectors show http --operation request", "connectors show crm --manifest"],
  async action({ control, output }, { connector, operation, kind, manifest }) {
    if (manifest && operation !== undefined) {
      throw new CliError("usage", "--manifest and --operation can't be given together.");
    }
    const client = await control();
    const path = `/control/connectors/${encodeURIComponent(connector)}`;
    if (manifest) return output.document(await client.get(`${path}/manifest`));
    if (operation !== undefined) {
      const at = `${path}/operations/${encodeURIComponent(operation)}`;
      const schema = await client.get<OperationSchemaBody>(at);
      const text = (part: unknown) => textCell(part === null ? null : JSON.stringify(part, null, 2));
      return printSheet(output, {
        json: schema,
        id: schema.operation_id,
        fields: [
          ["operation", textCell(schema.operation_id, "bold")],
          ["connection", textCell(schema.auth.required ? `needed (${schema.auth.type})` : "not needed")],
          ["input", text(schema.inputSchema)],
          ["output", text(schema.outputSchema)],
        ],
      });
    }
    const found = await client.get<ConnectorOperations>(`${path}/operations`, { kind });
    await printListing(output, {
      json: found,
      rows: found.operations,
      id: (one) => one.operation_id,
      columns: ["OPERATION", "KIND", "NAME", "DESCRIPTION"],
      cells: (one) => [
        textCell(one.operation_id, "bold"),
        textCell(one.kind, "dim"),
        textCell(one.name),
        textCell(one.description),
      ],
      empty: `${connector} has no ${kind ?? "operation"}.`,
    });
  },
});
