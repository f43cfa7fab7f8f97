import type { KeyRecord, NewEvent, NewRun, PublishVersion, RunCommit, RunRecord, Store } from "../store.ts";

/** What the contract suite puts into a store. Times are whatever a test says; ids are unique and in order. */

export const hourMs = 3_600_000;
export const noon = Date.UTC(2026, 5, 1, 12);

let lastId = 0;

export function sampleId(): string {
  lastId += 1;
  return `01980000-0000-7000-8000-${lastId.toString(16).padStart(12, "0")}`;
}

export async function defaultWorkspaceId(store: Store): Promise<number> {
  const workspace = await store.findWorkspace("default");
  if (!workspace) throw new Error("The workspace default is missing");
  return workspace.id;
}

export function samplePublish(changes: Partial<PublishVersion> = {}): PublishVersion {
  return {
    workspaceId: 1,
    workflowId: null,
    newWorkflowId: sampleId(),
    versionId: sampleId(),
    definition: { name: "Refund an order", approval_policy: "never", nodes: [], edges: [] },
    type: "callable",
    slug: "refund",
    inputSchema: { type: "object" },
    outputSchema: null,
    sourcePath: null,
    at: noon,
    ...changes,
  };
}

/** Where runs can be put. */
export type RunPlace = Pick<NewRun, "workspaceId" | "workflowId" | "versionId" | "version" | "actionId" | "actionSlug">;

/** Publishes a workflow with an action of this slug. */
export async function publishSample(store: Store, slug = "refund"): Promise<RunPlace> {
  const workspaceId = await defaultWorkspaceId(store);
  const published = await store.publishVersion(samplePublish({ workspaceId, slug }));
  const action = await store.findAction(workspaceId, slug);
  const { workflowId, versionId, version } = published;
  return { workspaceId, workflowId, versionId, version, actionId: action?.id ?? null, actionSlug: slug };
}

export function sampleRun(place: RunPlace, changes: Partial<NewRun> = {}): NewRun {
  return {
    ...place,
    id: sampleId(),
    userId: "ada",
    source: "action",
    status: "accepted",
    input: { order_id: "o-1" },
    dryRun: false,
    createdAt: noon,
    completedAt: null,
    hourlyCap: null,
    maxQueued: null,
    ...changes,
  };
}

export async function createSampleRun(
  store: Store,
  place: RunPlace,
  changes: Partial<NewRun> = {},
): Promise<RunRecord> {
  const result = await store.createRun(sampleRun(place, changes));
  if (result.kind !== "created") throw new Error(`The run was refused: ${result.kind}`);
  return result.run;
}

/** A commit that the run as it stands allows. */
export function sampleCommit(run: RunRecord, changes: Partial<RunCommit> = {}): RunCommit {
  const { id: runId, epoch, seq } = run;
  return { runId, epoch, claim: false, seq, events: [], activeMs: 0, at: noon, ...changes };
}

/** The first commit of an accepted run. */
export function sampleClaim(run: RunRecord, changes: Partial<RunCommit> = {}): RunCommit {
  return sampleCommit(run, { claim: true, epoch: run.epoch + 1, ...changes });
}

export function sampleEvent(changes: Partial<NewEvent> = {}): NewEvent {
  return { type: "step_started", stepId: "charge", iteration: null, attempt: 1, createdAt: noon, ...changes };
}

/** Reads a run that has to be there. */
export async function getRun(store: Store, run: { workspaceId: number; id: string }): Promise<RunRecord> {
  const found = await store.findRun(run.workspaceId, run.id);
  if (!found) throw new Error(`Run ${run.id} is missing`);
  return found;
}

/** Takes an accepted run and returns it as it then is. */
export async function claimSampleRun(store: Store, run: RunRecord): Promise<RunRecord> {
  if (!(await store.commitRun(sampleClaim(run)))) throw new Error(`Run ${run.id} could not be claimed`);
  return getRun(store, run);
}

export function sampleKey(changes: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id: sampleId(),
    workspaceId: 1,
    userId: "ada",
    name: "laptop",
    prefix: "sgt_abcd",
    salt: Uint8Array.of(0, 1, 255),
    hash: Uint8Array.of(9, 8, 7),
    scopes: ["actions:run", "runs:read"],
    createdAt: noon,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...changes,
  };
}

/** `count` numbers from 0 on. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
