import * as z from "zod";
import {
  type Issue,
  type WorkflowDefinition,
  workflowDefinition,
  workflowEdge,
  workflowNode,
} from "../../contract/workflow.ts";
import { type IssuePlace, errorAt, warningAt } from "./issue.ts";
import { toPointer } from "../values/json-pointer.ts";
import { findOutgrown, isRecord } from "../values/json.ts";
import { familiarField } from "./familiar-names.ts";
import { didYouMean } from "./nearest-name.ts";
import { nodeSettings } from "../graph/node-settings.ts";
import { readSchema } from "./schema-problems.ts";
import { nameEdges } from "./short-edge.ts";

/**
 * Reads a canonical definition: defaults filled in, edges without an id named, unknown fields dropped with a warning.
 * Where only a detail is wrong (an id's letters, a slug), the definition comes along with its errors, so that the
 * publish checks can report the rest at once; use it for nothing else while there is an error.
 */
export function readDefinition(value: unknown): { definition: WorkflowDefinition | null; issues: Issue[] } {
  if (!isRecord(value)) {
    const message = "A workflow is an object with name, nodes and edges";
    return { definition: null, issues: [errorAt({ path: "" }, "invalid_definition", message)] };
  }
  const edges = value["edges"];
  const named = Array.isArray(edges) ? { ...value, edges: nameEdges(edges) } : value;
  const issues = [...findUnknownFields(named), ...findOutgrown(named).map((path) => outgrown(placeOf(named, path)))];
  const read = readSchema(workflowDefinition, named);
  if (read.ok) return { definition: read.value, issues };
  for (const { path, message } of read.problems) {
    const isShort = path.length === 2 && path[0] === "edges" && typeof listOf(edges)[Number(path[1])] === "string";
    issues.push(errorAt(placeOf(named, path), "invalid_definition", isShort ? edgeForms : message));
  }
  const salvaged = looseDefinition.safeParse(named);
  return { definition: salvaged.success ? salvaged.data : null, issues };
}

/** It would be stored as null, and the version would be another than the one that was checked. */
function outgrown(place: IssuePlace): Issue {
  return errorAt(place, "not_json", "The number is too large: nothing above 1.8e308 can be held");
}

const edgeForms = 'An edge is {id, source, target}, or in a file the text "source[.handle] -> target[.handle]"';

/** The canonical shape without the rules that no other check depends on. */
const looseDefinition = workflowDefinition.extend({
  name: z.string().catch(""),
  slug: z.string().optional().catch(undefined),
  description: workflowDefinition.shape.description.catch(undefined),
  approval_policy: workflowDefinition.shape.approval_policy.catch("never"),
  concurrency: workflowDefinition.shape.concurrency.catch(undefined),
  on_failure: z.string().optional().catch(undefined),
  nodes: z.array(
    workflowNode.extend({
      id: z.string(),
      label: workflowNode.shape.label.catch(undefined),
      name: workflowNode.shape.name.catch(undefined),
    }),
  ),
  edges: z.array(workflowEdge.extend({ id: z.string().catch("") })),
});

const rootFields = Object.keys(workflowDefinition.shape);
const nodeFields = Object.keys(workflowNode.shape);
const edgeFields = Object.keys(workflowEdge.shape);
const dataFields = new Set(Object.keys(nodeSettings.shape));

function findUnknownFields(value: Readonly<Record<string, unknown>>): Issue[] {
  return [
    ...unknownIn(value, [], rootFields, value),
    ...listOf(value["nodes"]).flatMap((node, index) => unknownIn(node, ["nodes", index], nodeFields, value)),
    ...listOf(value["edges"]).flatMap((edge, index) => unknownIn(edge, ["edges", index], edgeFields, value)),
  ];
}

function unknownIn(
  value: unknown,
  path: readonly PropertyKey[],
  known: readonly string[],
  whole: Readonly<Record<string, unknown>>,
): Issue[] {
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const hint = hintFor(key, value, known);
      return warningAt(placeOf(whole, [...path, key]), "unknown_field", `Unknown field ${key} is ignored${hint}`);
    });
}

/** What is written beside a node's data and is no slip mostly belongs into it. */
function hintFor(key: string, value: Readonly<Record<string, unknown>>, known: readonly string[]): string {
  const familiar = familiarField(key, known);
  if (familiar !== null) return `; it is called ${familiar} here`;
  const nearest = known === nodeFields && dataFields.has(key) ? "" : didYouMean(key, known);
  if (nearest !== "" || known !== nodeFields) return nearest;
  return dataFields.has(key) || !isRecord(value["data"]) ? "; it belongs in the node's data" : "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The place of a path, with the id of the node or edge that it leads into. */
function placeOf(value: Readonly<Record<string, unknown>>, path: readonly PropertyKey[]): IssuePlace {
  const [list, index] = path;
  const pointer = toPointer(path);
  if ((list !== "nodes" && list !== "edges") || typeof index !== "number") return { path: pointer };
  const owner = listOf(value[list])[index];
  const id = isRecord(owner) ? owner["id"] : undefined;
  if (typeof id !== "string") return { path: pointer };
  return list === "nodes" ? { path: pointer, node_id: id } : { path: pointer, edge_id: id };
}
