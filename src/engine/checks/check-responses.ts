import type { Issue } from "../../contract/workflow.ts";
import { type CheckedGraph, type CheckedNode, nodePlace } from "./checked-graph.ts";
import { warningAt } from "../definition/issue.ts";

/** Warns where a webhook's caller would wait in vain, or nobody would wait at all (contract 11, spec 2.10). */
export function checkResponses({ nodes }: CheckedGraph): Issue[] {
  const awaiting = nodes.find(({ node }) => node.type === "trigger" && node.data["respondMode"] === "respond_node");
  if (awaiting) return [...warnOfSilence(awaiting, nodes), ...nodes.filter(pauses).map(warnOfPause)];
  return nodes
    .filter(({ node }) => node.type === "respond_to_webhook")
    .map((node) => {
      const message = `${node.id} has nobody to answer unless a webhook trigger says respondMode: respond_node; it would fail`;
      return warningAt(nodePlace(node), "no_pending_response", message);
    });
}

function warnOfSilence(trigger: CheckedNode, nodes: readonly CheckedNode[]): Issue[] {
  if (nodes.some(({ node }) => node.type === "respond_to_webhook")) return [];
  const message = `${trigger.id} says respondMode: respond_node and no respond_to_webhook node answers: callers would get an error; add one, or leave respondMode out`;
  return [warningAt(nodePlace(trigger, "/data/respondMode"), "no_response_node", message)];
}

function pauses({ node, known }: CheckedNode): boolean {
  return node.type === "wait" || known?.read.settings.requireApproval === true;
}

function warnOfPause(node: CheckedNode): Issue {
  const message = `${node.id} pauses the run, while the webhook's caller waits for at most 30 s; respond before it`;
  return warningAt(nodePlace(node), "response_may_be_late", message);
}
