import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import { findStaticProblems, findUnknownFields } from "../calls/operation-input.ts";
import type { Connector, Reach } from "../connector.ts";
import { type IssuePlace, errorAt, warningAt } from "../definition/issue.ts";
import { didYouMean } from "../definition/nearest-name.ts";
import { readConfig } from "../graph/node-config.ts";
import type { NodeType } from "../node.ts";
import type { Services } from "../services.ts";
import { toPointer } from "../values/json-pointer.ts";
import { isBeyondAnalysis } from "./check-size.ts";

export type ReachParts = Pick<Services, "connectors" | "connections"> & { workspaceId: number };

/**
 * Checks what the nodes of a definition will call: connector, operation and connection have to be there, and the
 * operation's input has to fit its schema as far as no template decides about it (contract 13).
 */
export async function checkReaches(
  definition: WorkflowDefinition,
  catalogue: readonly NodeType[],
  parts: ReachParts,
): Promise<Issue[]> {
  if (isBeyondAnalysis(definition)) return [];
  const types = new Map<string, NodeType>(catalogue.map((type) => [type.type, type]));
  const issues: Issue[] = [];
  for (const [index, { id, type: name, data }] of definition.nodes.entries()) {
    const type = types.get(name);
    const read = type && readConfig(type, data);
    if (!type || !read || read.issues.length > 0) continue;
    for (const reach of type.bind(read.config).reaches()) {
      const placeOf = (pointer: string): IssuePlace => ({ path: `/nodes/${index}/data${pointer}`, node_id: id });
      issues.push(...(await checkReach(reach, parts, placeOf)));
    }
  }
  return issues;
}

async function checkReach(reach: Reach, parts: ReachParts, placeOf: (pointer: string) => IssuePlace): Promise<Issue[]> {
  const { connectors, workspaceId } = parts;
  const connector = await connectors.find(workspaceId, reach.connector);
  if (!connector) {
    const slugs = (await connectors.list(workspaceId)).map(({ slug }) => slug);
    if (connectors.isPartial === true) return [uncheckedConnector(reach, slugs, placeOf)];
    const hint = didYouMean(reach.connector, slugs) || `; there are ${slugs.join(", ")}`;
    const message = `There is no connector ${reach.connector}${hint}`;
    return [errorAt(placeOf(reach.connectorPointer), "unknown_connector", message)];
  }
  return [...checkOperation(connector, reach, placeOf), ...checkConnection(connector, reach, parts, placeOf)];
}

/** Without the daemon nobody knows which connectors its workspaces have built. */
function uncheckedConnector(
  { connector, connectorPointer }: Reach,
  slugs: readonly string[],
  placeOf: (pointer: string) => IssuePlace,
): Issue {
  const message = `${connector} is none of the bundled connectors: its calls are checked when the workflow is published${didYouMean(connector, slugs)}`;
  return warningAt(placeOf(connectorPointer), "unchecked_connector", message);
}

function checkOperation(connector: Connector, { operation: named }: Reach, placeOf: (pointer: string) => IssuePlace) {
  if (!named) return [];
  const operation = connector.operations.find(({ key }) => key === named.key);
  if (!operation) {
    const keys = connector.operations.map(({ key }) => key);
    const hint = didYouMean(named.key, keys) || (keys.length > 20 ? "" : `; it has ${keys.join(", ") || "none"}`);
    const message = `${connector.slug} has no operation ${named.key}${hint}`;
    return [errorAt(placeOf(named.pointer), "unknown_operation", message)];
  }
  const problems = findStaticProblems(operation, named.input).map(({ field, message, pointer }) =>
    errorAt(placeOf(`${named.inputPointer}${pointer}`), "invalid_input", `${field || "The input"} ${message}`),
  );
  const unknown = findUnknownFields(operation, named.input).map(({ field, meant }) => {
    const message = `${connector.slug}.${named.key} has no field ${field}${meant === null ? "" : `; did you mean ${meant}?`}`;
    return warningAt(placeOf(`${named.inputPointer}${toPointer([field])}`), "unknown_field", message);
  });
  return [...problems, ...unknown];
}

/** Whether the connection that is named is there and of this connector; and named at all, where one is needed. */
export function checkConnection(
  { slug, auth }: Connector,
  { connectionId, connectionPointer }: Pick<Reach, "connectionId" | "connectionPointer">,
  { connections, workspaceId }: ReachParts,
  placeOf: (pointer: string) => IssuePlace,
): Issue[] {
  const place = placeOf(connectionPointer);
  if (connectionId === null) {
    if (auth.optional || auth.type === "none") return [];
    const message = `${slug} needs a connection: add one with \`stepgate connections add ${slug} --name NAME\` and name it here`;
    return [errorAt(place, "connection_required", message)];
  }
  // One whose credentials can't be opened is there all the same; its calls fail and say why.
  const connection = connections.describe(workspaceId, connectionId);
  if (!connection) {
    const message = `There is no connection ${connectionId} in this workspace; \`stepgate connections list\` shows those there are`;
    return [errorAt(place, "unknown_connection", message)];
  }
  if (connection.connector === slug) return [];
  const message = `The connection ${connection.name} is one of ${connection.connector}, not of ${slug}`;
  return [errorAt(place, "wrong_connection", message)];
}
