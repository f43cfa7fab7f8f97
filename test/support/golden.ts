import { randomBytes } from "node:crypto";
import type { Json } from "../../src/contract/json.ts";
import { defaultLimits } from "../../src/contract/limits.ts";
import { isTerminal } from "../../src/contract/run.ts";
import { createWorker } from "../../src/daemon/loops/worker.ts";
import { createCipher } from "../../src/engine/redaction/cipher.ts";
import { createSealer } from "../../src/engine/redaction/seal.ts";
import { openPayloads } from "../../src/engine/redaction/seal-payload.ts";
import type { Services } from "../../src/engine/services.ts";
import { createVersionCache } from "../../src/engine/graph/versions.ts";
import { createWorkspaceValues } from "../../src/engine/workspace-values.ts";
import { parseWorkflowFile } from "../../src/engine/definition/parse-workflow.ts";
import { nodes } from "../../src/nodes/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { NewEvent, NewRun, SealedPlace, Store } from "../../src/store/store.ts";
import { samplePublish } from "../../src/store/suite/samples.ts";
import { fakeWorld } from "./fake-world.ts";

/** A run as an earlier Stepgate stored it, with its journal and what was sealed beside it. */
export type Golden = {
  name: string;
  workflow: string;
  runId: string;
  /** As stored: redacted. */
  input: Json;
  events: NewEvent[];
  sealed: { place: SealedPlace; content: string }[];
  /** The true output of the run. */
  output: Json;
};

/** The key under which every golden journal was sealed; never used for anything else. */
const goldenKey = new Uint8Array(32).fill(42);

/** A store in memory with the workflow published, and services that run it; the clock stands still. */
export async function openGolden(workflow: string) {
  const store = await openSqliteStore({ file: ":memory:", writer: "inline" });
  const { definition } = parseWorkflowFile(workflow, "yaml");
  if (!definition) throw new Error("The workflow of a golden journal can't be read");
  const published = await store.publishVersion(samplePublish({ definition, slug: "golden" }));
  const action = await store.findAction(1, "golden");
  const { world } = fakeWorld("2026-01-15T10:00:00.000Z");
  const sealer = createSealer(goldenKey, randomBytes);
  const values = createWorkspaceValues(store, createCipher(goldenKey, randomBytes));
  const versions = createVersionCache(store, nodes);
  // Pure workflows need no more of the services than these.
  const services = {
    store,
    world,
    limits: defaultLimits,
    catalogue: nodes,
    versions,
    sealer,
    values,
  } as unknown as Services;
  const worker = createWorker({ ...services, log: () => undefined, onError: fail });
  services.wake = (run) => worker.wake(run);
  const { workflowId, versionId, version } = published;
  const place = { workspaceId: 1, workflowId, versionId, version, actionId: action?.id ?? null, actionSlug: "golden" };
  return { store, services, worker, newRun: (id: string, input: Json) => newRun(place, id, input) };
}

function newRun(
  place: Pick<NewRun, "workspaceId" | "workflowId" | "versionId" | "version" | "actionId" | "actionSlug">,
  id: string,
  input: Json,
): NewRun {
  const fixed = { userId: "golden", source: "action", status: "accepted", dryRun: false, completedAt: null } as const;
  return { ...place, ...fixed, id, input, createdAt: Date.UTC(2026, 0, 15), hourlyCap: null, maxQueued: null };
}

/** Waits for the run's end and returns its true output. */
export async function trueOutput(store: Store, runId: string): Promise<Json> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = store.watchRuns(runId, ({ status }) => isTerminal(status) && resolve());
  if (!isTerminal((await store.findRun(1, runId))?.status ?? "accepted")) await promise;
  stop();
  const run = await store.findRun(1, runId);
  if (run?.status !== "succeeded") throw new Error(`The run ${run?.status}: ${JSON.stringify(run?.error)}`);
  const sealed = await store.findSealed(runId, "result");
  return sealed
    ? (openPayloads(createSealer(goldenKey, randomBytes), runId, "result", sealed).output ?? null)
    : run.output;
}

function fail(error: unknown): never {
  throw error;
}
