import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import { checkBarePaths } from "./check-bare-paths.ts";
import { checkBraces } from "./check-braces.ts";
import { checkEdges } from "./check-edges.ts";
import { checkKind } from "./check-kind.ts";
import { checkLoops } from "./check-loops.ts";
import { checkNodes } from "./check-nodes.ts";
import { checkPaths } from "./check-paths.ts";
import { checkResponses } from "./check-responses.ts";
import { checkSize, isBeyondAnalysis } from "./check-size.ts";
import { checkTemplates } from "./check-templates.ts";
import { readGraph } from "./checked-graph.ts";
import type { NodeType } from "../node.ts";
import { pointerParts } from "../values/json-pointer.ts";

/**
 * Everything that publishing checks about a definition by itself (contract 2, 3, spec 2.3, 3.4): every problem at once,
 * in the definition's order, each with its node or edge and a JSON pointer. Lines and columns are left to whoever has
 * the text. A definition may be published when no issue is an error.
 */
export function checkDefinition(definition: WorkflowDefinition, catalogue: readonly NodeType[]): Issue[] {
  const size = checkSize(definition);
  if (isBeyondAnalysis(definition)) return size;
  const graph = readGraph(definition, catalogue);
  const issues = [
    ...size,
    ...checkKind(definition),
    ...checkNodes(graph),
    ...checkTemplates(graph),
    ...checkBraces(graph),
    ...checkBarePaths(graph),
    ...checkLoops(graph),
    ...checkPaths(graph),
    ...checkEdges(graph),
    ...checkResponses(graph),
  ];
  return issues.toSorted((a, b) => rank(a.path) - rank(b.path));
}

/** Whole definition, nodes, edges; each list by index. */
function rank(path: string): number {
  const [list, index] = pointerParts(path);
  if (list !== "nodes" && list !== "edges") return -2;
  const place = index === undefined ? -1 : Number(index);
  return list === "nodes" ? place : place + 1e6;
}
