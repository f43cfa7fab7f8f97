import { ApiError } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import { type RunDetail, isTerminal } from "../../contract/run.ts";
import { isRecord } from "../../engine/values/json.ts";
import { showsForms, takesTasks } from "./client-capabilities.ts";
import type { Call } from "./methods.ts";
import type { RpcRequest } from "./read-message.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";
import { type InputRequest, askForDecision, readDecision } from "./task-input.ts";

type Params = RpcRequest["params"];

/** What of a run a task tells. */
type TaskRun = Pick<
  RunDetail,
  "run_id" | "status" | "error" | "approval" | "created_at" | "started_at" | "completed_at"
>;

type TaskStatus = "working" | "input_required" | "completed" | "cancelled";

/** A run as clients of the extension io.modelcontextprotocol/tasks see it: the task's id is the run's. */
type Task = {
  taskId: string;
  status: TaskStatus;
  statusMessage: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: null;
  pollIntervalMs: number;
};

/** Tools whose call lasts as long as the run that they start. */
const startsRuns = /^(?:run_action|replay_run|action_.*)$/s;

/** How long a client is to wait before it asks again, in milliseconds: a paused run may be so for hours. */
const pollMs = { working: 1000, paused: 5000 } as const;

/**
 * What a tools/call is answered with in place of its result: a task, where the client takes tasks, may follow the run
 * that the call started, and the run is not over. Null where the result itself is the answer.
 */
export function createTask(call: Call, params: Params, body: unknown): object | null {
  const { name } = params;
  if (typeof name !== "string" || !startsRuns.test(name) || !takesTasks(call.era, params)) return null;
  if (!call.request.caller.scopes.includes("runs:read")) return null;
  // The body of the tool is a run.
  const run = body as TaskRun;
  return isTerminal(run.status) ? null : { resultType: "task", ...presentTask(run, null) };
}

/** The answer to tasks/get; throws invalidParams for a run that there is not, FORBIDDEN without runs:read. */
export async function getTask(call: Call, params: Params): Promise<object> {
  return describeTask(call, params, readTaskId(params));
}

/** A task with its result or with what it asks this caller for, as tasks/get and notifications/tasks tell it. */
export async function describeTask(call: Call, params: Params, taskId: string): Promise<object> {
  const run = await readRun(call, taskId);
  const inputRequest = await findInputRequest(call, params, run);
  const task = presentTask(run, inputRequest);
  if (inputRequest) return { ...task, inputRequests: { [inputRequest.key]: inputRequest.request } };
  return task.status === "completed" ? { ...task, result: presentResult(run) } : task;
}

/**
 * Decides a run's pending request by the answer to what the task asked for; any other key is left aside, and so is a
 * person who declined to answer. Throws FORBIDDEN for a caller that was not asked.
 */
export async function updateTask(call: Call, params: Params): Promise<object> {
  const taskId = readTaskId(params);
  const responses = params["inputResponses"];
  if (!isRecord(responses)) throw new RpcError(rpcCodes.invalidParams, "params.inputResponses must be an object");
  const run = await readRun(call, taskId);
  const { approval } = run;
  if (approval?.status !== "pending" || !Object.hasOwn(responses, approval.id)) return {};
  if (!(await mayBeAsked(call, run))) throw notAsked();
  const decision = readDecision(responses[approval.id]);
  if (!decision) return {};
  const given = { run_id: run.run_id, approval_id: approval.id, ...decision };
  await call.toolbox.call(call.request, "fixed", "approve_run", given);
  return {};
}

/** Cancels the run of a task; one that is over stays as it is. Throws invalidParams for a run that there is not. */
export async function cancelTask({ toolbox, request }: Call, params: Params): Promise<object> {
  const taskId = readTaskId(params);
  try {
    await asked(toolbox.call(request, "fixed", "cancel_run", { run_id: taskId }));
  } catch (error) {
    const { services, caller } = request;
    const run = await services.store.findRun(caller.workspaceId, taskId.toLowerCase());
    // To cancel is a wish: that the run was over already is no error.
    if (!(error instanceof ApiError) || error.code !== "BAD_REQUEST" || !run || !isTerminal(run.status)) throw error;
  }
  return {};
}

async function readRun({ toolbox, request }: Call, taskId: string): Promise<RunDetail> {
  // The body of GET /runs/:runId.
  return (await asked(toolbox.call(request, "fixed", "get_run_status", { run_id: taskId }))) as RunDetail;
}

/** A run that there is not is a task that there is not: an error of the protocol. */
async function asked(body: Promise<Json>): Promise<Json> {
  try {
    return await body;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "RUN_NOT_FOUND") throw error;
    throw new RpcError(rpcCodes.invalidParams, `Task not found: ${error.message}`);
  }
}

function presentTask(run: TaskRun, inputRequest: InputRequest | null): Task {
  return {
    taskId: run.run_id,
    status: inputRequest ? "input_required" : statusOf(run),
    statusMessage: messageOf(run),
    createdAt: run.created_at,
    lastUpdatedAt: lastUpdateOf(run),
    ttlMs: null,
    pollIntervalMs: run.status === "waiting" || run.status === "waiting_for_approval" ? pollMs.paused : pollMs.working,
  };
}

/** A run that failed is a call that was answered: with an error of the tool (`failed` is for errors of the protocol). */
function statusOf({ status }: TaskRun): TaskStatus {
  if (status === "cancelled") return "cancelled";
  return isTerminal(status) ? "completed" : "working";
}

const messages = {
  accepted: "queued",
  running: "running",
  waiting: "waiting",
  waiting_for_approval: "waiting for approval",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
  timed_out: "timed out",
} as const;

function messageOf({ status, error }: TaskRun): string {
  return error ? `${messages[status]}: ${error.message}` : messages[status];
}

/** The latest moment that the run tells of; steps in between are in its journal. */
function lastUpdateOf({
  created_at: created,
  started_at: started,
  completed_at: completed,
  approval,
}: TaskRun): string {
  const moments = [created, started, completed, approval?.created_at, approval?.decided_at];
  return moments.reduce<string>((latest, moment) => (moment && moment > latest ? moment : latest), created);
}

/** The result of the call that started the run, as the call would have had it if it had lasted until the run's end. */
function presentResult(run: RunDetail): object {
  const content = [{ type: "text", text: JSON.stringify(run) }];
  if (run.status === "succeeded") return { resultType: "complete", content, structuredContent: run };
  return { resultType: "complete", content, isError: true };
}

async function findInputRequest(call: Call, params: Params, run: RunDetail): Promise<InputRequest | null> {
  if (run.approval?.status !== "pending" || !showsForms(params)) return null;
  return (await mayBeAsked(call, run)) ? askForDecision(run, run.approval) : null;
}

/** A key that may decide, of another user than the one who started the run: nobody is asked to check themselves. */
async function mayBeAsked({ request: { services, caller } }: Call, { run_id: runId }: TaskRun): Promise<boolean> {
  if (!caller.scopes.includes("approvals:decide")) return false;
  const run = await services.store.findRun(caller.workspaceId, runId);
  return run !== null && run.userId !== caller.userId;
}

function notAsked(): ApiError {
  const message =
    "This key was not asked: a task's approval takes the scope approvals:decide and another user than the one who " +
    "started the run";
  return new ApiError("FORBIDDEN", message);
}

function readTaskId(params: Params): string {
  const { taskId } = params;
  if (typeof taskId === "string") return taskId;
  throw new RpcError(rpcCodes.invalidParams, "params.taskId must be a text");
}
