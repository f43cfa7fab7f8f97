import type { ConnectionBody } from "../../contract/connection.ts";
import { defineCommand } from "../command.ts";
import { connectionArgument, connectionPath, printConnection } from "../connection.ts";
import { argument } from "../option.ts";

export const connectionsRename = defineCommand({
  name: "rename",
  summary: "give a connection another name; workflows that name it by its id go on",
  arguments: { connection: connectionArgument, name: argument("its new name") },
  examples: ["connections rename shop shop-eu"],
  async action({ control, output }, { connection, name }) {
    const client = await control();
    await printConnection(output, await client.post<ConnectionBody>(`${connectionPath(connection)}/update`, { name }));
  },
});
