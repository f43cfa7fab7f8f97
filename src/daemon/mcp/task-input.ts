import * as z from "zod";
import type { Approval, Decision } from "../../contract/approval.ts";
import { decision } from "../../contract/approval.ts";
import type { RunDetail } from "../../contract/run.ts";
import { isRecord } from "../../engine/values/json.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";

/** A form that a task asks its client to put before a person; the key is the id of the request for approval. */
export type InputRequest = { key: string; request: object };

/** Characters of a request's inputs in the form: people read them; get_run_status has all. */
const maxShownInputs = 2000;

/** The form for the decision on a run's pending request (contract 7). Its inputs are redacted as everywhere. */
export function askForDecision({ action_slug: slug }: RunDetail, approval: Approval): InputRequest {
  const what = approval.step_id === null ? "the whole run" : `its step ${approval.step_id}`;
  const about = approval.description === null ? "" : ` ${approval.description}`;
  const inputs = JSON.stringify(approval.inputs) ?? "null";
  const shown = inputs.length > maxShownInputs ? `${inputs.slice(0, maxShownInputs)}…` : inputs;
  const message = `A run of ${slug ?? "a workflow"} asks for approval of ${what}.${about} Inputs: ${shown}`;
  const requestedSchema = {
    type: "object",
    properties: {
      decision: { type: "string", title: "Decision", enum: [...decision.options] },
      comment: { type: "string", title: "Comment", description: "Kept with the decision" },
    },
    required: ["decision"],
  };
  return {
    key: approval.id,
    request: { method: "elicitation/create", params: { mode: "form", message, requestedSchema } },
  };
}

const content = z.object({ decision, comment: z.string().optional() });

/** What a person decided; null where they decided nothing. Throws invalidParams for an answer that is none. */
export function readDecision(response: unknown): { decision: Decision; comment?: string } | null {
  if (!isRecord(response)) throw unreadable();
  const { action } = response;
  if (action === "decline" || action === "cancel") return null;
  const read = content.safeParse(response["content"]);
  if (action !== "accept" || !read.success) throw unreadable();
  const { decision: decided, comment } = read.data;
  return { decision: decided, ...(comment !== undefined && { comment }) };
}

function unreadable(): RpcError {
  const message =
    'An input response must be {"action": "accept", "content": {"decision": "approved" or "rejected", "comment"?}}, or ' +
    'have the action "decline" or "cancel"';
  return new RpcError(rpcCodes.invalidParams, message);
}
