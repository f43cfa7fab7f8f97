import type { WorkflowDefinition, WorkflowEdge } from "../../contract/workflow.ts";
import { readConfig } from "./node-config.ts";
import { type NodeTemplates, configTemplates } from "./node-templates.ts";
import type { NodeSettings } from "./node-settings.ts";
import type { BoundNode, NodeType } from "../node.ts";
import { type Topology, analyzeTopology } from "./topology.ts";

/** A published definition made ready to run. Immutable and shared by all its runs. */
export type Graph = {
  nodes: readonly GraphNode[];
  byId: ReadonlyMap<string, GraphNode>;
  /** The whole graph first, then one scope for each loop's body. */
  scopes: readonly GraphScope[];
  /** Declared input properties: `{{action_input.output}}` means a property of that name where there is one. */
  inputNames: ReadonlySet<string>;
};

export type GraphNode = {
  index: number;
  id: string;
  name: string | null;
  type: NodeType;
  bound: BoundNode;
  settings: NodeSettings;
  templates: NodeTemplates;
  /** The scope that holds the node, and the node's place in it. */
  scope: GraphScope;
  place: number;
  /** In the definition's order. An edge from the loop whose body this is has the loop as its source. */
  inbound: readonly GraphEdge[];
  /** Edges to nodes of the same scope; a loop's edges into its body are the body's entries. */
  outbound: readonly GraphEdge[];
  /** A loop's body. */
  body: GraphScope | null;
};

export type GraphEdge = { source: GraphNode; sourceHandle: string; target: GraphNode; targetHandle: string };

/** The top level, or the body of one loop; nodes of nested bodies are not among `nodes`. */
export type GraphScope = {
  index: number;
  loop: GraphNode | null;
  parent: GraphScope | null;
  depth: number;
  nodes: GraphNode[];
  /** Where the body's iterations start: edges from the loop's `loop` handle. */
  entries: GraphEdge[];
  /** Nodes at which the scope ends, in the definition's order. */
  exits: GraphNode[];
  itemVariable: string;
};

type Mutable = GraphNode & { inbound: GraphEdge[]; outbound: GraphEdge[] };

/**
 * Compiles a definition that passed the publish checks. Throws on one that did not: a version in the store that no
 * longer compiles means that the catalogue lost something it had.
 */
export function compileGraph(definition: WorkflowDefinition, catalogue: readonly NodeType[]): Graph {
  const types = new Map<string, NodeType>(catalogue.map((type) => [type.type, type]));
  const topology = analyzeTopology(definition.nodes, definition.edges);
  const scopes = new Map<string | null, GraphScope>();
  const root = newScope(0, null);
  scopes.set(null, root);
  const nodes = definition.nodes.map((node, index) => compileNode(node, index, types, root));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) addBody(node, scopes);
  for (const node of nodes) placeNode(node, topology, scopes);
  for (const edge of definition.edges) connect(edge, byId);
  for (const scope of scopes.values()) scope.exits = scope.nodes.filter((node) => node.outbound.length === 0);
  return { nodes, byId, scopes: [...scopes.values()], inputNames: inputNames(definition) };
}

function newScope(index: number, loop: GraphNode | null): GraphScope {
  return { index, loop, parent: null, depth: 0, nodes: [], entries: [], exits: [], itemVariable: "item" };
}

function compileNode(
  node: WorkflowDefinition["nodes"][number],
  index: number,
  types: ReadonlyMap<string, NodeType>,
  root: GraphScope,
): Mutable {
  const type = types.get(node.type);
  if (!type) throw new Error(`Node ${node.id} has the type ${node.type}, which this version of Stepgate does not know`);
  const { settings, config } = readConfig(type, node.data);
  return {
    index,
    id: node.id,
    name: node.name ?? node.label ?? settings.label ?? null,
    type,
    bound: type.bind(config),
    settings,
    templates: configTemplates(type, config, settings),
    scope: root,
    place: 0,
    inbound: [],
    outbound: [],
    body: null,
  };
}

function addBody(node: Mutable, scopes: Map<string | null, GraphScope>): void {
  if (node.type.type !== "loop") return;
  node.body = newScope(scopes.size, node);
  const variable = node.templates.raw["itemVariable"];
  if (typeof variable === "string") node.body.itemVariable = variable;
  scopes.set(node.id, node.body);
}

function placeNode(node: Mutable, topology: Topology, scopes: ReadonlyMap<string | null, GraphScope>): void {
  const scope = scopes.get(topology.loopOf(node.id));
  if (!scope) throw new Error(`Node ${node.id} lies in the body of a loop that does not exist`);
  node.scope = scope;
  node.place = scope.nodes.push(node) - 1;
  if (!node.body) return;
  node.body.parent = scope;
  node.body.depth = topology.depthOf(node.id) + 1;
}

function connect(edge: WorkflowEdge, byId: ReadonlyMap<string, Mutable>): void {
  const source = byId.get(edge.source);
  const target = byId.get(edge.target);
  if (!source || !target) throw new Error(`Edge ${edge.id} names a node that does not exist`);
  const compiled = { source, sourceHandle: edge.sourceHandle, target, targetHandle: edge.targetHandle };
  target.inbound.push(compiled);
  if (source.body && edge.sourceHandle === "loop") source.body.entries.push(compiled);
  else source.outbound.push(compiled);
}

function inputNames(definition: WorkflowDefinition): ReadonlySet<string> {
  const properties = definition.nodes.find((node) => node.type === "action_input")?.data["properties"];
  if (!Array.isArray(properties)) return new Set();
  return new Set(properties.flatMap((entry) => propertyName(entry)));
}

function propertyName(entry: unknown): string[] {
  if (typeof entry !== "object" || entry === null || !("name" in entry)) return [];
  return typeof entry.name === "string" ? [entry.name] : [];
}
