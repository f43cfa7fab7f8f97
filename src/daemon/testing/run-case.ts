import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../contract/errors.ts";
import { type RunError, type Step, isTerminal } from "../../contract/run.ts";
import type { Json } from "../../contract/json.ts";
import type { HttpAnswer } from "../../contract/webhook.ts";
import type { TestCase, TestStatus } from "../../contract/workflow-test.ts";
import type { WorkflowDefinition } from "../../contract/workflow.ts";
import { decideApproval } from "../../engine/decide-approval.ts";
import type { Graph } from "../../engine/graph/graph.ts";
import { publishWorkflow } from "../../engine/publish.ts";
import type { ScriptRunner } from "../../engine/script.ts";
import { startManualRun } from "../../engine/start-manual-run.ts";
import { setSecret, setVariable } from "../../engine/variables-and-secrets.ts";
import { nodes } from "../../nodes/index.ts";
import type { EventRecord, RunRecord } from "../../store/store.ts";
import { readTimeline } from "../operations/read-timeline.ts";
import { Tape, mockCatalogue } from "./mocked-catalogue.ts";
import { type Bench, openBench, userId, workspaceId } from "./open-bench.ts";

/** What came of a run; `missing` are nodes that had no answer. */
export type Played = {
  status: TestStatus;
  output: Json;
  error: RunError | null;
  steps: readonly Step[];
  events: readonly EventRecord[];
  response: HttpAnswer | null;
  missing: readonly string[];
  /** Null where no run was started. */
  graph: Graph | null;
};

/** Real time that a case may take. */
const patienceMs = 60_000;

/** Turns of the event loop within which everything that needs no time has happened. */
const turnsToSettle = 20;

const defaultNow = "2026-01-01T00:00:00Z";

/** A run that has no more than this many steps is shown whole; a longer one from its end. */
const keptSteps = 20_000;

/**
 * Runs one case on a bench of its own, to the end or to a request that the case does not decide. Throws when the workflow
 * can't be published, and when the run comes to no end.
 */
export async function runCase(
  definition: WorkflowDefinition,
  test: TestCase,
  scripts: ScriptRunner & { stop(): void },
): Promise<Played> {
  const tape = new Tape(new Map(Object.entries(test.mocks ?? {}).map(([id, given]) => [id, [given].flat()])));
  const catalogue = mockCatalogue(nodes, tape, () => bench.services.connectors);
  const bench = await openBench({ now: Date.parse(test.now ?? defaultNow), catalogue, scripts });
  try {
    return await play(bench, definition, test, tape);
  } finally {
    await bench.close();
  }
}

async function play(bench: Bench, definition: WorkflowDefinition, test: TestCase, tape: Tape): Promise<Played> {
  const { services } = bench;
  for (const [name, text] of Object.entries(test.vars ?? {})) await setVariable(services, workspaceId, name, text);
  for (const [name, text] of Object.entries(test.secrets ?? {})) await setSecret(services, workspaceId, name, text);
  const workflowId = await publish(bench, definition);
  const workflow = await services.store.findWorkflow(workspaceId, { id: workflowId });
  if (!workflow) throw new Error("The workflow was published and is not there");
  let run: RunRecord;
  try {
    run = await startManualRun(services, { workflow, userId, input: test.input ?? test.trigger ?? {} });
  } catch (error) {
    if (error instanceof ApiError && error.code === "INPUT_VALIDATION_FAILED") return refused(error);
    throw error;
  }
  const ended = await drive(bench, run, test, tape);
  const { graph } = await services.versions.load(ended.versionId);
  return {
    status: ended.status,
    output: ended.output,
    error: ended.error,
    steps: (await readTimeline(services, ended, keptSteps)).steps(),
    events: await services.store.readJournal(ended.id, 0, keptSteps),
    response: tape.response,
    missing: [...tape.missing],
    graph,
  };
}

async function publish({ services }: Bench, definition: WorkflowDefinition): Promise<string> {
  const outcome = await publishWorkflow(services, {
    workspaceId,
    userId,
    definition,
    id: null,
    sourcePath: null,
    allowBreaking: true,
    asNew: false,
    renameFrom: null,
    checkOnly: false,
  });
  if (outcome.kind === "published") return outcome.workflowId;
  const problems = "issues" in outcome ? outcome.issues.map(({ message }) => message) : [];
  throw new Error(`The workflow can't be published: ${problems.join("; ")}`);
}

function refused({ message, details }: ApiError): Played {
  const fields = Array.isArray(details) ? { details: { fields: details as Json } } : {};
  const error: RunError = { code: "INPUT_VALIDATION_FAILED", message, ...fields };
  const nothing = { output: null, steps: [], events: [], response: null, missing: [], graph: null };
  return { status: "refused", error, ...nothing };
}

/** Lets the run go on, decides its requests, and lets time jump when nothing but time can move it. */
async function drive(
  { services, clock, logged }: Bench,
  { id }: RunRecord,
  test: TestCase,
  tape: Tape,
): Promise<RunRecord> {
  const { store, world } = services;
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    await settle(world.yieldTurn, tape);
    const run = await store.findRun(workspaceId, id);
    if (!run) throw new Error("The run is gone");
    if (isTerminal(run.status)) return run;
    if (logged[0] !== undefined) throw new Error(`The engine broke off: ${logged[0]}`);
    if (performance.now() > giveUpAt) throw new Error(`The run is still ${run.status} after ${patienceMs / 1000} s`);
    if (run.status === "waiting_for_approval") {
      if (!(await decide(services, run, test))) return run;
    } else {
      const next = await store.nextDueAt(world.now().getTime());
      if (next === null) await sleep(5);
      else clock.jumpTo(next);
    }
  }
}

async function settle(yieldTurn: () => Promise<void>, tape: Tape): Promise<void> {
  for (let turn = 0; turn < turnsToSettle; turn += 1) {
    await tape.idle();
    await yieldTurn();
  }
}

/** Decides the run's request as the case says. False when it says nothing of it. */
async function decide(services: Bench["services"], { id }: RunRecord, { approvals }: TestCase): Promise<boolean> {
  const [latest] = await services.store.listRunApprovals(id);
  if (latest?.status !== "pending") return true;
  const asked = latest.stepId ?? "run";
  const own = typeof approvals === "object" && Object.hasOwn(approvals, asked) ? approvals[asked] : undefined;
  const wanted = typeof approvals === "string" ? approvals : own;
  if (wanted === undefined) return false;
  await decideApproval(services, {
    run: { id, workspaceId },
    decision: wanted === "approve" ? "approved" : "rejected",
    approvalId: latest.id,
    comment: null,
    userId,
    via: "cli",
  });
  return true;
}
