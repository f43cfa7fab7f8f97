import type { ConnectionBody } from "../contract/connection.ts";
import { type Cell, textCell, timeCell } from "./cell.ts";
import { argument } from "./option.ts";
import type { Output } from "./output.ts";
import { printSheet } from "./print.ts";

export const connectionArgument = argument("id or name of the connection");

export function connectionPath(reference: string): string {
  return `/control/connections/${encodeURIComponent(reference)}`;
}

export async function printConnection(output: Output, connection: ConnectionBody): Promise<void> {
  await printSheet(output, {
    json: connection,
    id: connection.id,
    fields: [
      ["id", textCell(connection.id)],
      ["name", textCell(connection.name)],
      ["connector", textCell(connection.connector)],
      ["status", statusCell(connection)],
      ["settings", textCell(JSON.stringify(connection.settings))],
      ["secrets", textCell(connection.secret_fields.join(" "))],
      ["approval", textCell(connection.require_approval ? "every call" : "")],
      ["created", timeCell(connection.created_at, output.now)],
      ["updated", timeCell(connection.updated_at, output.now)],
      ["last used", timeCell(connection.last_used_at, output.now)],
    ],
  });
}

export function statusCell({ status }: ConnectionBody): Cell {
  return { raw: status, text: status.replace("_", " "), style: status === "active" ? "green" : "red" };
}
