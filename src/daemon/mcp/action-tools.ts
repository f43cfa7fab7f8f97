import type { Action, ActionList } from "../../contract/action.ts";
import type { Json } from "../../contract/json.ts";
import { isRecord } from "../../engine/values/json.ts";
import type { Request } from "../operation.ts";
import type { Tool, ToolDefinition } from "./tool.ts";

const prefix = "action_";

/** The slug of the action that a tool's name stands for; null when it stands for none. */
export function actionSlug(toolName: string): string | null {
  return toolName.startsWith(prefix) ? toolName.slice(prefix.length) : null;
}

/** Each active action as a tool of its own, by slug. A caller who may not list actions gets none. */
export async function listActionTools(listActions: Tool, runAction: Tool, request: Request): Promise<ToolDefinition[]> {
  const { scopes } = request.caller;
  if (!scopes.includes(listActions.scope) || !scopes.includes(runAction.scope)) return [];
  // The body of GET /actions.
  const { actions } = (await listActions.call(request, {})) as ActionList;
  return actions.map((action) => describeAction(action, runAction.definition));
}

/**
 * Runs the action of a slug with a tool's arguments as its input. None are an empty input; those that are no object are
 * refused as any tool's are, for nobody means to run an action by them.
 */
export async function callAction(runAction: Tool, request: Request, slug: string, args: unknown): Promise<Json> {
  const input = args ?? {};
  return runAction.call(request, isRecord(input) ? { slug, input } : input);
}

/** The frozen input schema is the tool's, word for word; the result is that of run_action with the output typed. */
function describeAction(action: Action, runAction: ToolDefinition): ToolDefinition {
  const told = action.description?.trim() || `Runs the action ${action.slug}`;
  const about = /[\p{L}\p{N}]$/u.test(told) ? `${told}.` : told;
  const gate = action.approval_policy === "always" ? " Each run waits for a person's approval first." : "";
  return {
    name: prefix + action.slug,
    title: action.name,
    description: `${about}${gate} Starts a run and returns it at once; get_run_status follows it by its run_id.`,
    inputSchema: action.inputSchema,
    outputSchema: typeOutput(runAction.outputSchema, action.outputSchema),
    annotations: runAction.annotations,
  };
}

function typeOutput(
  run: ToolDefinition["outputSchema"],
  output: Action["outputSchema"],
): ToolDefinition["outputSchema"] {
  if (!output || !isRecord(run["properties"])) return run;
  return { ...run, properties: { ...run["properties"], output: { anyOf: [output, { type: "null" }] } } };
}
