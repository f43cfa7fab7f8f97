import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import { nodePlace } from "./checked-graph.ts";
import { legacyTypeMessage } from "./check-nodes.ts";
import { type DeclaredProperty, declaredProperties, deriveType } from "../definition/derive-schemas.ts";
import { errorAt } from "../definition/issue.ts";

type Nodes = Pick<WorkflowDefinition, "nodes">;

/** Refuses node types that are gone, at save already (spec 2.3). */
export function checkLegacyTypes({ nodes }: Nodes): Issue[] {
  return nodes.flatMap((node, index) => {
    const message = legacyTypeMessage(node.type);
    return message === null ? [] : [errorAt(nodePlace({ id: node.id, index }, "/type"), "legacy_node_type", message)];
  });
}

/** A workflow that is neither callable nor event-driven is refused, at save already (contract 2). */
export function checkHasKind({ nodes }: Nodes): Issue[] {
  const isEither = nodes.some(({ type }) => startTypes.has(type) || type === "return_output");
  if (isEither) return [];
  const message =
    "A workflow needs an action_input and a return_output node to be callable, or a trigger node to be event-driven";
  return [errorAt({ path: "/nodes" }, "no_workflow_kind", message)];
}

/** Node types at which a run begins. */
export const startTypes: ReadonlySet<string> = new Set(["action_input", "trigger"]);

/** Checks what makes a workflow callable or event-driven (spec 2.3), and that its outputs agree (contract 2). */
export function checkKind(definition: Nodes): Issue[] {
  const neither = checkHasKind(definition);
  if (neither.length > 0) return neither;
  const { nodes } = definition;
  const inputs = placesOf(nodes, "action_input");
  const outputs = placesOf(nodes, "return_output");
  const triggers = placesOf(nodes, "trigger");
  const [trigger, secondTrigger] = triggers;
  if (deriveType(definition) === "event_driven") {
    if (!secondTrigger) return [];
    return [errorAt(secondTrigger, "trigger_count", "Event-driven workflow must have exactly 1 Trigger node")];
  }
  const issues: Issue[] = [];
  if (trigger) {
    const message =
      "A workflow is callable (action_input, return_output) or event-driven (trigger), not both; remove one side";
    issues.push(errorAt(trigger, "mixed_workflow_kinds", message));
  }
  if (inputs.length !== 1) {
    const place = inputs[1] ?? { path: "/nodes" };
    issues.push(errorAt(place, "action_input_count", "Callable workflow must have exactly 1 Action Input node"));
  }
  if (outputs.length === 0) {
    const message = "Callable workflow must have at least 1 Return Output node";
    issues.push(errorAt({ path: "/nodes" }, "return_output_count", message));
  }
  return [...issues, ...checkOutputTypes(definition)];
}

function placesOf(nodes: Nodes["nodes"], type: string) {
  return nodes.flatMap((node, index) => (node.type === type ? [nodePlace({ id: node.id, index })] : []));
}

/** The output schema is a union: one name has one type in all of it. */
function checkOutputTypes(definition: Nodes): Issue[] {
  const first = new Map<string, DeclaredProperty>();
  return declaredProperties(definition, "return_output").flatMap((property) => {
    const { name, type, nodeIndex, index } = property;
    const other = first.get(name);
    if (!other) first.set(name, property);
    const id = definition.nodes[nodeIndex]?.id;
    if (!other || other.type === type || id === undefined) return [];
    const message = `The output ${name} is ${type} here and ${other.type} in ${definition.nodes[other.nodeIndex]?.id}; use one type`;
    const place = nodePlace({ id, index: nodeIndex }, `/data/properties/${index}/type`);
    return [errorAt(place, "output_type_conflict", message)];
  });
}
