import type { Action } from "../../contract/action.ts";
import { textCell, timeCell, type Cell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { runtimePath } from "../find-run.ts";
import { argument } from "../option.ts";
import { isObject, type JsonObject } from "../parse-input.ts";
import { printSheet } from "../print.ts";

export const actionsShow = defineCommand({
  name: "show",
  summary: "show an action and the input it takes",
  arguments: { slug: argument("slug of the action") },
  examples: ["actions show hello", "actions show hello --json"],
  async action({ runtime, output }, { slug }) {
    const client = await runtime();
    const action = await client.get<Action>(`${runtimePath}/actions/${encodeURIComponent(slug)}`);
    await printSheet(output, {
      json: action,
      id: action.slug,
      fields: [
        ["slug", textCell(action.slug, "bold")],
        ["name", textCell(action.name)],
        ["description", textCell(action.description)],
        ["status", textCell(action.status)],
        ["version", textCell(action.release?.version)],
        ["published", timeCell(action.release?.published_at ?? null, output.now)],
        ["approval", textCell(action.approval_policy)],
        ...inputFields(action.inputSchema),
      ],
    });
  },
});

/** A line for each property of the input: its type, whether it must be given, what it is. */
function inputFields({ properties, required }: JsonObject): [string, Cell][] {
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const { type, description } = isObject(property) ? property : {};
    const words = [type, needed.has(name) ? "required" : "optional", description];
    return [`input ${name}`, textCell(words.filter((word) => typeof word === "string").join(", "))];
  });
}
