import type { Json } from "../../contract/json.ts";
import type { WorkflowDefinition, WorkflowType } from "../../contract/workflow.ts";
import { isRecord } from "../values/json.ts";

type JsonObject = { [key: string]: Json };

/** One entry of `data.properties`, with its place in the definition. */
export type DeclaredProperty = {
  name: string;
  type: string;
  entry: Readonly<Record<string, unknown>>;
  nodeIndex: number;
  index: number;
};

/** Any `action_input` or `return_output` makes a workflow callable (contract 2); a trigger alone, event-driven. */
export function deriveType(definition: Pick<WorkflowDefinition, "nodes">): WorkflowType {
  const isCallable = definition.nodes.some(({ type }) => type === "action_input" || type === "return_output");
  return isCallable ? "callable" : "event_driven";
}

/**
 * The JSON Schema of a callable workflow's input (spec 2.3). `description`, `default`, `enum` and `items` are part of
 * it, and a property with a default is never required (contract 2).
 */
export function deriveInputSchema(definition: Pick<WorkflowDefinition, "nodes">): JsonObject {
  const declared = firstOfEachName(declaredProperties(definition, "action_input"));
  const required = declared.filter(({ entry }) => entry["required"] === true && !Object.hasOwn(entry, "default"));
  return { type: "object", properties: propertySchemas(declared), required: required.map(({ name }) => name) };
}

/** The union of all `return_output` nodes' properties as a JSON Schema; null when there are none (spec 2.3). */
export function deriveOutputSchema(definition: Pick<WorkflowDefinition, "nodes">): JsonObject | null {
  const declared = firstOfEachName(declaredProperties(definition, "return_output"));
  return declared.length === 0 ? null : { type: "object", properties: propertySchemas(declared) };
}

/** What the nodes of a type declare, in the definition's order; entries without a name or type are left out. */
export function declaredProperties(
  definition: Pick<WorkflowDefinition, "nodes">,
  type: "action_input" | "return_output",
): DeclaredProperty[] {
  return definition.nodes.flatMap((node, nodeIndex) => {
    const entries = node.type === type ? node.data["properties"] : [];
    return (Array.isArray(entries) ? entries : []).flatMap((entry, index) => {
      if (!isRecord(entry) || typeof entry["name"] !== "string" || typeof entry["type"] !== "string") return [];
      return [{ name: entry["name"], type: entry["type"], entry, nodeIndex, index }];
    });
  });
}

function firstOfEachName(declared: readonly DeclaredProperty[]): readonly DeclaredProperty[] {
  const names = declared.map(({ name }) => name);
  return declared.filter(({ name }, index) => names.indexOf(name) === index);
}

const keywords = ["description", "default", "enum", "items"];

function propertySchemas(declared: readonly DeclaredProperty[]): JsonObject {
  return Object.fromEntries(
    declared.map(({ name, type, entry }) => {
      const kept = keywords.filter((keyword) => Object.hasOwn(entry, keyword));
      return [name, { type, ...Object.fromEntries(kept.map((keyword) => [keyword, entry[keyword] as Json])) }];
    }),
  );
}
