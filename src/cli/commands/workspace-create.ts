import type { Workspace } from "../../contract/workspace.ts";
import { defineCommand } from "../command.ts";
import { argument, value } from "../option.ts";
import { printWorkspace } from "../print-workspace.ts";

export const workspaceCreate = defineCommand({
  name: "create",
  summary: "make a workspace: its own workflows, actions, runs and keys",
  arguments: { name: argument("name of the workspace") },
  options: { tier: value("TIER", "free, starter, pro or business (business): its rate and number of keys") },
  examples: ["workspace create team --tier pro", "publish hello.yaml --workspace team"],
  async action({ control, output }, { name, tier = "business" }) {
    const client = await control();
    await printWorkspace(output, await client.post<Workspace>("/control/workspaces", { name, tier }));
  },
});
