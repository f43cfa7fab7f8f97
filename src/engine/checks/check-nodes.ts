import { type Issue, nodeTypes } from "../../contract/workflow.ts";
import { type CheckedGraph, type CheckedNode, type KnownNode, nodePlace } from "./checked-graph.ts";
import { errorAt, warningAt } from "../definition/issue.ts";
import { familiarType } from "../definition/familiar-names.ts";
import { didYouMean } from "../definition/nearest-name.ts";
import { isOwnName, reservedNames } from "../definition/reserved-names.ts";

/** Checks each node by itself: id, type, settings, config, and what its type finds (contract 2). */
export function checkNodes(graph: CheckedGraph): Issue[] {
  return graph.nodes.flatMap((node) => [
    ...checkId(graph, node),
    ...(node.known ? checkKnown(node, node.known) : checkType(node)),
  ]);
}

function checkId(graph: CheckedGraph, node: CheckedNode): Issue[] {
  const { id } = node;
  const place = nodePlace(node, "/id");
  const first = graph.byId.get(id);
  if (first && first !== node) {
    const message = `The id ${id} is taken by the node at /nodes/${first.index}; ids are unique`;
    return [errorAt(place, "duplicate_node_id", message)];
  }
  if (!reservedNames.includes(id) || isOwnName(id, node.node.type)) return [];
  return [errorAt(place, "reserved_node_id", `The id ${id} is reserved for templates; give the node another one`)];
}

/** A message for what is no node type any more; null for every other name. */
export function legacyTypeMessage(type: string): string | null {
  if (type !== "transform") return null;
  return "The node type transform no longer exists; use set to build fields, or code to compute them";
}

function checkType(node: CheckedNode): Issue[] {
  const { type } = node.node;
  const place = nodePlace(node, "/type");
  const legacy = legacyTypeMessage(type);
  if (legacy !== null) return [errorAt(place, "legacy_node_type", legacy)];
  const isNamed = nodeTypes.some((known) => known === type);
  if (isNamed) {
    const message = `The node type ${type} is not available in this version of Stepgate; remove the node or update Stepgate`;
    return [errorAt(place, "node_type_unavailable", message)];
  }
  const familiar = familiarType(type);
  const hint = familiar === null ? didYouMean(type, nodeTypes) : `; here it is ${familiar}`;
  const message = `There is no node type ${type}${hint || `; the types are ${nodeTypes.join(", ")}`}`;
  return [errorAt(place, "unknown_node_type", message)];
}

function checkKnown(node: CheckedNode, known: KnownNode): Issue[] {
  const { read, bound } = known;
  const findings = [...read.issues, ...(bound?.findings ?? [])];
  return [
    ...findings.map(({ severity, code, message, pointer }) => {
      const place = nodePlace(node, `/data${pointer}`);
      return severity === "error" ? errorAt(place, code, message) : warningAt(place, code, message);
    }),
    ...read.unknownFields.map((field) =>
      warningAt(nodePlace(node, `/data${field.pointer}`), "unknown_field", unknownFieldMessage(node, field)),
    ),
    ...checkSettings(node, known),
  ];
}

type UnknownField = KnownNode["read"]["unknownFields"][number];

/** A name that is its own nearest belongs to another form of the config, such as `expression` to a cron schedule. */
function unknownFieldMessage({ node: { type } }: CheckedNode, { name, nearest }: UnknownField): string {
  if (nearest === name) return `The field ${name} of ${type} is ignored: it belongs to another kind or mode of ${type}`;
  const hint = nearest === null ? "" : `; did you mean ${nearest}?`;
  return `Unknown field ${name} of ${type} is ignored${hint}`;
}

/** Warns of settings that do nothing; a gate that would do nothing is an error, since somebody relies on it. */
function checkSettings(node: CheckedNode, { type, read }: KnownNode): Issue[] {
  const { type: name, data } = node.node;
  const ignored = (setting: string) =>
    warningAt(
      nodePlace(node, `/data/${setting}`),
      "setting_without_effect",
      `${setting} has no effect on ${name}; remove it`,
    );
  if (type.group !== "Placeholder") {
    return (type.ignores ?? []).filter((setting) => read.settings[setting]).map(ignored);
  }
  const issues = ["continueOnFailure", "maxRetries", "approvalDescription"]
    .filter((setting) => Object.hasOwn(data, setting))
    .map(ignored);
  if (read.settings.requireApproval) {
    const message = `${name} can't wait for approval; set requireApproval on the node that needs it, or approval_policy: always`;
    issues.push(errorAt(nodePlace(node, "/data/requireApproval"), "gate_not_possible", message));
  }
  return issues;
}
