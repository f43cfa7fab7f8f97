import { describe, expect, test } from "vitest";
import type { NewApproval, RunRecord } from "../store.ts";
import {
  claimSampleRun,
  createSampleRun,
  getRun,
  hourMs,
  noon,
  publishSample,
  range,
  sampleClaim,
  sampleCommit,
  sampleEvent,
  sampleId,
} from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

function sampleRequest(changes: Partial<NewApproval> = {}): NewApproval {
  return {
    id: sampleId(),
    stepId: "charge",
    iteration: null,
    inputs: { amount: 5 },
    redactedCount: 0,
    description: "Charge 5",
    createdAt: noon,
    expiresAt: noon + hourMs,
    ...changes,
  };
}

const parked = { status: "waiting", release: { as: "parked", awaitsApproval: true } } as const;

/** Promises about moments, requests for approval, the audit log and incidents. */
export function testPeople(open: OpenStore): void {
  const store = useStore(open);

  let gates = 0;
  async function gated(request = sampleRequest()): Promise<{ run: RunRecord; request: NewApproval }> {
    gates += 1;
    const place = await publishSample(store(), `gated-${gates}`);
    const run = await claimSampleRun(store(), await createSampleRun(store(), place));
    await store().commitRun(sampleCommit(run, { request, ...parked }));
    return { run: await getRun(store(), run), request };
  }

  const grantOf = ({ id }: NewApproval, at = noon + 1) =>
    ({ approvalId: id, userId: "ada", via: "api", comment: "ok", at }) as const;
  const decisionOf = ({ id }: NewApproval, status: "rejected" | "expired") =>
    ({ approvalId: id, status, userId: null, via: "system", comment: null }) as const;
  const dueOf = async (run: RunRecord) =>
    (await store().listRunDue(run.id)).map(({ kind, owner, at }) => [kind, owner, at]);

  describe("a request", () => {
    test("is born with its commit: status, request and moment", async () => {
      const { run, request } = await gated(sampleRequest({ iteration: [0, 2] }));
      expect(run).toMatchObject({ status: "waiting_for_approval", held: false });
      expect(await store().listRunApprovals(run.id)).toEqual([
        {
          ...request,
          workspaceId: run.workspaceId,
          runId: run.id,
          actionSlug: run.actionSlug,
          status: "pending",
          comment: null,
          userId: null,
          decidedVia: null,
          decidedAt: null,
        },
      ]);
      expect(await dueOf(run)).toEqual([["approval", request.id, request.expiresAt]]);
      expect(await store().recoverRuns(noon)).toEqual([]);
    });

    test("is born with a run that waits for it", async () => {
      const request = sampleRequest({ stepId: null });
      const place = await publishSample(store());
      const run = await createSampleRun(store(), place, { status: "waiting_for_approval", request });
      expect(await dueOf(run)).toEqual([["approval", request.id, request.expiresAt]]);
      expect(await store().grantApproval(grantOf(request))).toBe(true);
      expect((await store().recoverRuns(noon)).map(({ id, crashes }) => [id, crashes])).toEqual([[run.id, 0]]);
    });

    test("has one winner of 64, who leaves one audit entry and a run to take up", async () => {
      const { run, request } = await gated();
      const granted = range(64).map(async (n) =>
        n % 2
          ? store().grantApproval(grantOf(request))
          : store().commitRun(sampleClaim(run, { status: "cancelled", decision: decisionOf(request, "rejected") })),
      );
      expect((await Promise.all(granted)).filter(Boolean)).toHaveLength(1);
      const [decided] = await store().listRunApprovals(run.id);
      const { status } = await getRun(store(), run);
      expect(status).toBe(decided?.status === "approved" ? "running" : "cancelled");
      expect(await store().listAudit(run.workspaceId, 9)).toMatchObject([
        { event: "approval.decided", decision: decided?.status, runId: run.id, approvalId: request.id },
      ]);
      expect(await dueOf(run)).toEqual([]);
    });

    test("can be granted before its expiry alone, and expires from then on alone", async () => {
      const { run, request } = await gated();
      const expire = async (at: number) =>
        store().commitRun(sampleClaim(run, { status: "timed_out", decision: decisionOf(request, "expired"), at }));
      expect(await store().grantApproval(grantOf(request, request.expiresAt))).toBe(false);
      expect(await expire(request.expiresAt - 1)).toBe(false);
      expect(await getRun(store(), run)).toEqual(run);
      expect(await expire(request.expiresAt)).toBe(true);
      expect(await store().grantApproval(grantOf(request))).toBe(false);
      expect(await store().findApproval(run.workspaceId, request.id)).toMatchObject({ status: "expired" });
    });

    test("is closed by whatever ends its run, and by its step", async () => {
      const { run, request } = await gated();
      await store().commitRun(sampleClaim(run, { status: "failed" }));
      expect(await store().findApproval(run.workspaceId, request.id)).toMatchObject({
        status: "rejected",
        decidedVia: "system",
      });
      const second = await gated();
      await store().commitRun(sampleClaim(second.run, { withdraw: true, status: "running" }));
      expect(await getRun(store(), second.run)).toMatchObject({ status: "running", held: true });
      expect(await dueOf(second.run)).toEqual([]);
      expect(await store().listAudit(run.workspaceId, 9)).toHaveLength(2);
    });

    test("keeps its run in its status while other steps go on", async () => {
      const { run } = await gated();
      await store().commitRun(sampleClaim(run, { events: [sampleEvent()], status: "running" }));
      expect(await getRun(store(), run)).toMatchObject({ status: "waiting_for_approval", seq: 1, held: true });
      expect((await store().recoverRuns(noon)).map(({ id }) => id)).toEqual([run.id]);
    });

    test("that was granted unheard keeps its run from being parked", async () => {
      const { run, request } = await gated();
      await store().commitRun(sampleClaim(run));
      const held = await getRun(store(), run);
      await store().grantApproval(grantOf(request));
      await store().commitRun(sampleCommit(held, parked));
      expect(await getRun(store(), run)).toMatchObject({ status: "running", held: true });
    });

    test("is listed by its status, the newest first, and in its workspace alone", async () => {
      const { run, request } = await gated();
      await store().grantApproval(grantOf(request));
      const later = await gated();
      const ids = async (status?: "pending" | "approved") =>
        (
          await store().listApprovals({ workspaceId: run.workspaceId, limit: 9, offset: 0, ...(status && { status }) })
        ).approvals.map(({ id }) => id);
      expect([await ids(), await ids("pending"), await ids("approved")]).toEqual([
        [later.request.id, request.id],
        [later.request.id],
        [request.id],
      ]);
      expect(await store().findApproval(4711, request.id)).toBeNull();
      expect(await store().listApprovals({ workspaceId: 4711, limit: 9, offset: 0 })).toEqual({
        approvals: [],
        total: 0,
      });
    });
  });

  describe("a run that was given back", () => {
    test("before it was done is taken at the next start, and that is no crash", async () => {
      const run = await claimSampleRun(store(), await createSampleRun(store(), await publishSample(store())));
      await store().commitRun(sampleCommit(run, { status: "running", release: { as: "stopped" } }));
      expect((await store().recoverRuns(noon)).map(({ id, crashes, held }) => [id, crashes, held])).toEqual([
        [run.id, 0, true],
      ]);
    });
  });

  describe("moments", () => {
    const from = { at: -1, id: 0 };

    test("come in order, page by page, and are gone with their run's end", async () => {
      const run = await claimSampleRun(store(), await createSampleRun(store(), await publishSample(store())));
      const addDue = [3, 1, 2, 2].map((n, index) => ({ kind: "wait", owner: `w${index}`, at: noon + n }) as const);
      await store().commitRun(sampleCommit(run, { addDue }));
      await store().commitRun(sampleCommit(run, { addDue: [{ kind: "wait", owner: "w0", at: noon + 9 }] }));
      const first = await store().listDue({ after: from, until: noon + 2, limit: 2 });
      expect(first).toMatchObject([
        { owner: "w1", runId: run.id },
        { owner: "w2", runId: run.id },
      ]);
      const last = first.at(-1);
      const rest = await store().listDue({ after: last ?? from, until: noon + 9, limit: 9 });
      expect(rest.map(({ owner, at }) => [owner, at])).toEqual([
        ["w3", noon + 2],
        ["w0", noon + 3],
      ]);
      expect(await store().nextDueAt(noon + 2)).toBe(noon + 3);
      await store().commitRun(sampleCommit(run, { removeDue: [{ kind: "wait", owner: "w1" }] }));
      expect(await store().nextDueAt(0)).toBe(noon + 2);
      const followUp = [{ kind: "on_failure", owner: "rescue", at: noon } as const];
      await store().commitRun(sampleCommit(run, { status: "failed", followUp }));
      expect(await dueOf(run)).toEqual([["on_failure", "rescue", noon]]);
      await store().removeDue({ runId: run.id, kind: "on_failure", owner: "rescue" });
      expect(await store().nextDueAt(0)).toBeNull();
    });

    test("are told of with the change that adds them", async () => {
      const run = await claimSampleRun(store(), await createSampleRun(store(), await publishSample(store())));
      const heard: (number | undefined)[] = [];
      const stop = store().watchRuns(run.id, ({ dueAt }) => heard.push(dueAt));
      const addDue = [5, 4].map((n) => ({ kind: "wait", owner: `w${n}`, at: noon + n }) as const);
      await store().commitRun(sampleCommit(run, { addDue }));
      await store().commitRun(sampleCommit(run, {}));
      stop();
      expect(heard).toEqual([noon + 4, undefined]);
    });
  });

  describe("a run in a list for people", () => {
    test("tells its ended steps outside loops, its next moment and until when its request can be decided", async () => {
      const { run, request } = await gated();
      const { workspaceId } = run;
      const addDue = [7, 3].map((n) => ({ kind: "wait", owner: `w${n}`, at: noon + n }) as const);
      const done = { type: "step_completed" } as const;
      const events = [
        sampleEvent({ ...done, stepId: "a" }),
        sampleEvent({ ...done, stepId: "b", iteration: [0] }),
        sampleEvent({ type: "step_started", stepId: "c" }),
      ];
      const place = await publishSample(store(), "listed");
      const waiting = await claimSampleRun(store(), await createSampleRun(store(), place));
      await store().commitRun(sampleCommit(waiting, { events, addDue }));
      const rows = await store().describeRuns(workspaceId, [waiting.id, "unknown", run.id]);
      const facts = rows.map(({ id, endedSteps, resumeAt, approvalExpiresAt, errorCode }) => ({
        id,
        endedSteps,
        resumeAt,
        approvalExpiresAt,
        errorCode,
      }));
      expect(facts).toEqual([
        { id: waiting.id, endedSteps: 1, resumeAt: noon + 3, approvalExpiresAt: null, errorCode: null },
        { id: run.id, endedSteps: 0, resumeAt: null, approvalExpiresAt: request.expiresAt, errorCode: null },
      ]);
      const summary = (await store().listRuns({ workspaceId, limit: 1, offset: 0 })).runs[0];
      expect(rows[0]).toMatchObject(summary ?? {});
    });

    test("tells the code of its error, and nothing of another workspace's runs", async () => {
      const run = await claimSampleRun(store(), await createSampleRun(store(), await publishSample(store())));
      const error = { code: "UPSTREAM_ERROR", message: "503" };
      await store().commitRun(sampleCommit(run, { status: "failed", error }));
      const [row] = await store().describeRuns(run.workspaceId, [run.id]);
      expect(row?.errorCode).toBe("UPSTREAM_ERROR");
      expect(await store().describeRuns(run.workspaceId + 1, [run.id])).toEqual([]);
    });
  });

  describe("a workflow's health", () => {
    test("opens an incident, pauses its action and closes the incident", async () => {
      const place = await publishSample(store());
      const end = async (status: "failed" | "succeeded", incidentId: string) => {
        const run = await createSampleRun(store(), place);
        await store().commitRun(
          sampleClaim(run, { events: [sampleEvent()], status, health: { incidentId, pauseAfter: 2 } }),
        );
        return (await getRun(store(), run)).incidentId;
      };
      const [first, second] = [sampleId(), sampleId()];
      expect(await end("failed", first)).toBe(first);
      expect((await store().findAction(place.workspaceId, "refund"))?.status).toBe("active");
      expect(await end("failed", second)).toBe(first);
      expect((await store().findAction(place.workspaceId, "refund"))?.status).toBe("paused");
      expect(await store().setActionStatus({ ...place, slug: "refund", status: "active", at: noon })).toBe(true);
      expect(await store().setActionStatus({ ...place, slug: "nobody", status: "active", at: noon })).toBe(false);
      expect(await end("failed", second)).toBe(first);
      expect((await store().findAction(place.workspaceId, "refund"))?.status).toBe("active");
      expect(await end("succeeded", second)).toBeNull();
      expect(await store().listIncidents({ workspaceId: place.workspaceId, isOpen: true, limit: 9 })).toEqual([]);
      expect(await store().listIncidents({ workspaceId: place.workspaceId, limit: 9 })).toMatchObject([
        { id: first, runs: 3 },
      ]);
      const count = async (hasIncident: boolean) =>
        (await store().listRuns({ workspaceId: place.workspaceId, hasIncident, limit: 9, offset: 0 })).total;
      expect([await count(true), await count(false)]).toEqual([3, 1]);
    });
  });
}
