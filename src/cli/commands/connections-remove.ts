import type { ConnectionBody } from "../../contract/connection.ts";
import { defineCommand } from "../command.ts";
import { connectionArgument, connectionPath, printConnection } from "../connection.ts";
import { confirm } from "../context.ts";
import { safeText } from "../safe-text.ts";

export const connectionsRemove = defineCommand({
  name: "remove",
  summary: "delete a connection and its credentials; steps that use it fail from then on",
  arguments: { connection: connectionArgument },
  examples: ["connections remove shop", "connections remove shop --yes"],
  async action(context, { connection }) {
    await confirm(context, `Remove the connection ${safeText(connection)} and its credentials? This can't be undone.`);
    const client = await context.control();
    await printConnection(context.output, await client.post<ConnectionBody>(`${connectionPath(connection)}/remove`));
  },
});
