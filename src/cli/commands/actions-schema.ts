import type { Action } from "../../contract/action.ts";
import { defineCommand } from "../command.ts";
import { runtimePath } from "../find-run.ts";
import { argument, flag } from "../option.ts";

export const actionsSchema = defineCommand({
  name: "schema",
  summary: "print the JSON Schema of what an action takes, or of what it gives",
  arguments: { slug: argument("slug of the action") },
  options: { output: flag("the schema of its output") },
  examples: ["actions schema hello", "actions schema hello --output > output.schema.json"],
  async action({ runtime, output }, { slug, output: ofOutput }) {
    const client = await runtime();
    const action = await client.get<Action>(`${runtimePath}/actions/${encodeURIComponent(slug)}`);
    output.document(ofOutput ? action.outputSchema : action.inputSchema);
  },
});
