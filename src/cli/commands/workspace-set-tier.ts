import type { Workspace } from "../../contract/workspace.ts";
import { defineCommand } from "../command.ts";
import { argument } from "../option.ts";
import { printWorkspace } from "../print-workspace.ts";

export const workspaceSetTier = defineCommand({
  name: "set-tier",
  summary: "change a workspace's tier; it counts from the next request on",
  arguments: { name: argument("name of the workspace"), tier: argument("free, starter, pro or business") },
  examples: ["workspace set-tier default free"],
  async action({ control, output }, { name, tier }) {
    const client = await control();
    const path = `/control/workspaces/${encodeURIComponent(name)}/tier`;
    await printWorkspace(output, await client.post<Workspace>(path, { tier }));
  },
});
