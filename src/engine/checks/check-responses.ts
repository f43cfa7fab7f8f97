import type { Issue } from "../../contract/workflow.ts";
import { type CheckedGraph, type CheckedNode, nodePlace } from "./checked-graph.ts";
import { warningAt } from "../definition/issue.ts";

/** Warns where a webhook's caller would wait in vain, or nobody would wait at all (contract 11, spec 2.10). */
export function checkResponses(graph: CheckedGraph): Issue[] {
  const { nodes, definition } = graph;
  const awaiting = nodes.find(({ node }) => node.type === "trigger" && node.data["respondMode"] === "respond_node");
  const answering = nodes.filter(({ node }) => node.type === "respond_to_webhook");
  if (awaiting) {
    return [
      ...(definition.approval_policy === "always" ? [warnOfPolicy()] : []),
      ...warnOfSilence(awaiting, answering),
      ...nodes.filter((node) => pauses(node) && isBefore(graph, node, answering)).map(warnOfPause),
    ];
  }
  return answering.map((node) => {
    const message = `${node.id} has nobody to answer unless a webhook trigger says respondMode: respond_node; it would fail`;
    return warningAt(nodePlace(node), "no_pending_response", message);
  });
}

function warnOfPolicy(): Issue {
  const message =
    "approval_policy: always holds every run before its first step, while the webhook's caller waits for at most 30 s; put requireApproval on a node behind the answer";
  return warningAt({ path: "/approval_policy" }, "response_may_be_late", message);
}

/** Whether an answer has to wait for a node: it is the node, comes behind it, or behind a loop around it. */
function isBefore({ topology }: CheckedGraph, { id }: CheckedNode, answering: readonly CheckedNode[]): boolean {
  return answering.some((answer) => {
    const before = topology.ancestors(answer.id);
    return answer.id === id || before.has(id) || [...before].some((loop) => topology.bodyOf(loop).has(id));
  });
}

function warnOfSilence(trigger: CheckedNode, answering: readonly CheckedNode[]): Issue[] {
  if (answering.length > 0) return [];
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
