import type { WorkflowDefinition, WorkflowNode } from "../../contract/workflow.ts";
import type { IssuePlace } from "../definition/issue.ts";
import { type NodeConfig, readConfig } from "../graph/node-config.ts";
import { type NodeTemplates, configTemplates } from "../graph/node-templates.ts";
import type { BoundNode, NodeType } from "../node.ts";
import { type Topology, analyzeTopology } from "../graph/topology.ts";

/** A definition with everything read that the publish checks look at, as far as it can be read. */
export type CheckedGraph = {
  definition: WorkflowDefinition;
  nodes: readonly CheckedNode[];
  /** Where an id occurs twice, the first node. */
  byId: ReadonlyMap<string, CheckedNode>;
  topology: Topology;
};

/** A node of a type that the catalogue has, or one whose type nobody knows. */
export type CheckedNode = {
  node: WorkflowNode;
  id: string;
  index: number;
  known: KnownNode | null;
};

export type KnownNode = {
  type: NodeType;
  read: NodeConfig;
  templates: NodeTemplates;
  /** Null while the config has errors. */
  bound: BoundNode | null;
};

/** Reads every node of a definition; never throws, however broken the definition is. */
export function readGraph(definition: WorkflowDefinition, catalogue: readonly NodeType[]): CheckedGraph {
  const types = new Map<string, NodeType>(catalogue.map((type) => [type.type, type]));
  const nodes = definition.nodes.map((node, index) => ({ node, id: node.id, index, known: readNode(node, types) }));
  return {
    definition,
    nodes,
    byId: new Map(nodes.toReversed().map((node) => [node.id, node])),
    topology: analyzeTopology(definition.nodes, definition.edges),
  };
}

function readNode(node: WorkflowNode, types: ReadonlyMap<string, NodeType>): KnownNode | null {
  const type = types.get(node.type);
  if (!type) return null;
  const read = readConfig(type, node.data);
  const isGood = read.issues.every((issue) => issue.code === "invalid_setting");
  return {
    type,
    read,
    templates: configTemplates(type, read.config, read.settings),
    bound: isGood ? type.bind(read.config) : null,
  };
}

/** The place of a node, or of something in it. */
export function nodePlace({ id, index }: { id: string; index: number }, pointer = ""): IssuePlace {
  return { path: `/nodes/${index}${pointer}`, node_id: id };
}

/** The place of an edge, or of something in it. */
export function edgePlace(graph: CheckedGraph, index: number, pointer = ""): IssuePlace {
  const path = `/edges/${index}${pointer}`;
  const id = graph.definition.edges[index]?.id;
  return id === undefined ? { path } : { path, edge_id: id };
}
