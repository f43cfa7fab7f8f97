import type { ApprovalPolicy } from "../contract/action.ts";
import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import type { ReplayPlan } from "../contract/replay.ts";
import { isTerminal } from "../contract/run.ts";
import type { ActionRecord, EventRecord, NewAuditEntry, NewRun, RunRecord } from "../store/store.ts";
import { createRun } from "./create-run.ts";
import type { Graph } from "./graph/graph.ts";
import { type History, type ReplayFrom, chooseCopied, planReplay } from "./graph/plan-replay.ts";
import { gateRun } from "./policy-gate.ts";
import { readInput, readWithSealed } from "./execution/read-originals.ts";
import { GoneOriginalsError } from "./redaction/seal.ts";
import { restoreEvent } from "./redaction/seal-payload.ts";
import type { Services } from "./services.ts";

export type ReplayRun = {
  run: RunRecord;
  /** Replaces the original's; null: the original's again. */
  input: { [key: string]: Json } | null;
  /** As the caller wrote it. */
  from: string | null;
  userId: string;
  via: "api" | "cli";
};

type PreparedReplay = {
  plan: ReplayPlan;
  copied: EventRecord[];
  input: Json;
  action: ActionRecord | null;
  /** As it is now, of the action or of the event-driven workflow. */
  approvalPolicy: ApprovalPolicy;
};

/**
 * Starts a new run from a terminal one (contract 8): the same version, current policy, done steps taken over. Throws
 * BAD_REQUEST for a run that is not over, an impossible `from` and originals that are gone, ACTION_UNAVAILABLE,
 * INPUT_VALIDATION_FAILED, and what creating a run throws.
 */
export async function replayRun(services: Services, request: ReplayRun): Promise<RunRecord> {
  const prepared = await prepareReplay(services, request);
  const { plan, approvalPolicy } = prepared;
  if (plan.refused.length > 0) throw refusal(plan.refused);
  const wanted = newReplay(services, request, prepared);
  const run = await createRun(services, gateRun(services, wanted, { approvalPolicy }));
  if (run.status === "accepted") services.wake(run);
  return run;
}

/** Says what a replay would do, and does nothing. */
export async function previewReplay(services: Services, request: ReplayRun): Promise<ReplayPlan> {
  return (await prepareReplay(services, request)).plan;
}

async function prepareReplay(services: Services, request: ReplayRun): Promise<PreparedReplay> {
  const { run } = request;
  if (!isTerminal(run.status)) {
    throw new ApiError("BAD_REQUEST", `The run is ${run.status}: a run can be replayed when it is over`);
  }
  const { graph, checkInput } = await services.versions.load(run.versionId);
  const action = await findAction(services, run);
  const history = await readHistory(services, run);
  const from = readFrom(graph, history, request);
  const checked = request.input && checkInput(request.input);
  if (checked && !checked.ok) {
    throw new ApiError("INPUT_VALIDATION_FAILED", "The input does not match the schema of the run's version", {
      details: checked.problems,
    });
  }
  const refused = new Map<string, string>();
  const input = checked ? checked.input : await originalInput(services, run, graph, refused);
  const copied = await readCopied(services, run, chooseCopied(graph, history, from), refused);
  const refusedSteps = [...refused].map(([step_id, reason]) => ({ step_id, reason }));
  const parts = { graph, history, copied, input, isInputEdited: request.input !== null, refused: refusedSteps };
  const approvalPolicy = action?.approvalPolicy ?? (await policyOfWorkflow(services, run));
  return { plan: planReplay(parts), copied, input, action, approvalPolicy };
}

/** The action of the run, which may be paused: that is how one checks a fix. */
async function findAction({ store }: Services, run: RunRecord): Promise<ActionRecord | null> {
  if (run.actionSlug === null) return null;
  const action = await store.findAction(run.workspaceId, run.actionSlug);
  if (!action) throw new ApiError("ACTION_NOT_FOUND", `The action ${run.actionSlug} of this run was deleted`);
  if (action.status === "archived") throw new ApiError("ACTION_UNAVAILABLE", `The action ${action.slug} is archived`);
  return action;
}

/** The policy of an event-driven workflow is that of its deployed version; it may be paused, too. */
async function policyOfWorkflow({ store, versions }: Services, run: RunRecord): Promise<ApprovalPolicy> {
  const trigger = await store.findTrigger(run.workspaceId, run.workflowId);
  if (!trigger?.version) throw new ApiError("WORKFLOW_NOT_FOUND", "The workflow of this run was deleted");
  return (await versions.load(trigger.version.id)).approvalPolicy;
}

/** Null when retention deleted the journal. */
async function readHistory(services: Services, run: RunRecord): Promise<History> {
  const first = await services.store.readJournal(run.id, 0, 1);
  if (run.seq > 0 && first.length === 0) return null;
  const history = [];
  for await (const { event } of readWithSealed(services, run)) {
    const { seq, type, stepId, iteration } = event;
    history.push({ seq, type, stepId, iteration });
  }
  return history;
}

function readFrom(graph: Graph, history: History, { run, from, input }: ReplayRun): ReplayFrom {
  if (input !== null && from !== null && from !== "start") {
    throw new ApiError("BAD_REQUEST", "An input runs everything again: leave from out, or say start");
  }
  const isStep = from !== null && from !== "failed";
  if (input !== null || from === "start" || (run.dryRun && !isStep)) return { kind: "start" };
  if (!history) {
    const way = 'replay it with from: "start"';
    throw new ApiError("BAD_REQUEST", `The journal of run ${run.id} was deleted after its time; ${way}`);
  }
  return isStep ? fromStep(graph, history, from) : { kind: "failed" };
}

/** A step is named by its id; `step:ID` tells one that is named like a keyword. */
function fromStep(graph: Graph, history: NonNullable<History>, from: string): ReplayFrom {
  const id = from.startsWith("step:") && !graph.byId.has(from) ? from.slice("step:".length) : from;
  const node = graph.byId.get(id);
  if (!node?.type.isStep) throw new ApiError("BAD_REQUEST", `The run's version has no step ${id}`);
  if (!history.some(({ stepId }) => stepId === id)) {
    throw new ApiError("BAD_REQUEST", `The run never reached the step ${id}`);
  }
  return { kind: "step", node };
}

/** The input as it was given; what is stored of it where that is gone, and the reason. */
async function originalInput(
  services: Services,
  run: RunRecord,
  graph: Graph,
  refused: Map<string, string>,
): Promise<Json> {
  try {
    return await readInput(services, run);
  } catch (error) {
    if (!(error instanceof GoneOriginalsError)) throw error;
    const entry = graph.nodes.find(({ type }) => !type.isStep);
    refused.set(entry?.id ?? "action_input", error.message);
    return run.input;
  }
}

/** The copied events as they happened; as they are stored where that is gone, and the reason for each step. */
async function readCopied(
  services: Services,
  run: RunRecord,
  copied: ReadonlySet<number>,
  refused: Map<string, string>,
): Promise<EventRecord[]> {
  if (copied.size === 0) return [];
  const events: EventRecord[] = [];
  for await (const { event, sealed } of readWithSealed(services, run)) {
    if (!copied.has(event.seq)) continue;
    try {
      events.push(restoreEvent(services.sealer, run.id, event, sealed));
    } catch (error) {
      if (!(error instanceof GoneOriginalsError)) throw error;
      if (!refused.has(event.stepId)) refused.set(event.stepId, error.message);
      events.push(event);
    }
  }
  return events;
}

function refusal(refused: ReplayPlan["refused"]): ApiError {
  const steps = refused.map(({ step_id }) => step_id).join(", ");
  const message = `The original values of ${steps} are gone, and what is stored of them is redacted`;
  return new ApiError("BAD_REQUEST", `${message}; replay the run with from: "start" and an input`, {
    details: refused,
  });
}

function newReplay({ world, limits }: Services, request: ReplayRun, { copied, input, action }: PreparedReplay): NewRun {
  const { run, userId } = request;
  const createdAt = world.now().getTime();
  const id = world.newId();
  const events = copied.map(({ seq: _seq, isRedacted: _isRedacted, ...event }) => ({
    ...event,
    isCopied: true,
    createdAt,
  }));
  return {
    id,
    workspaceId: run.workspaceId,
    workflowId: run.workflowId,
    versionId: run.versionId,
    version: run.version,
    actionId: action?.id ?? null,
    actionSlug: run.actionSlug,
    userId,
    source: "replay",
    status: "accepted",
    input,
    dryRun: false,
    createdAt,
    completedAt: null,
    hourlyCap: limits.runsPerHour,
    maxQueued: limits.maxQueuedRuns,
    replay: { of: run.id, events, audit: auditEntry(request, id, createdAt) },
  };
}

function auditEntry({ run, userId, via }: ReplayRun, replayId: string, createdAt: number): NewAuditEntry {
  return {
    workspaceId: run.workspaceId,
    event: "run.replayed",
    decision: null,
    runId: run.id,
    approvalId: null,
    userId,
    decidedVia: via,
    comment: `as run ${replayId}`,
    createdAt,
  };
}
