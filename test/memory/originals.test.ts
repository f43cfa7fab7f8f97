import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import * as z from "zod";
import type { RunDetail } from "../../src/contract/run.ts";
import { type NodeType, done, fail } from "../../src/engine/node.ts";
import { createSealer } from "../../src/engine/redaction/seal.ts";
import { openPayloads } from "../../src/engine/redaction/seal-payload.ts";
import type { Store } from "../../src/store/store.ts";
import { dyingStore } from "../support/dying-store.ts";
import { withNoop } from "../support/other-noop.ts";
import { openDisk, startRuntime } from "../support/process.ts";
import type { TestRuntime } from "../support/runtime.ts";

const masterKey = new Uint8Array(32).fill(3);
const input = {
  mail: "ada.lovelace@example.com",
  token: "4f1b2b0b822cd15d6c15b0f00a084f1b2b0b822cd15d6c15",
  header: "Bearer abc.def-ghi~jkl",
  link: "https://x.example/?api_key=0123456789abcdef01",
  phone: "+7 (912) 345-67-89",
  own: "sgt_x9QfAbCdEfGhIjKlMnOpQrStUvWxYz01",
};
/** What must not be found anywhere outside of memory. */
const canaries = ["ada.lovelace@", "4f1b2b0b822cd", "abc.def-ghi", "0123456789abcdef01", "345-67-89", "QfAbCdEfGhIj"];

/** Every step of a `noop` has a side effect, so that each of its starts is durable first: what it got is noted. */
function notingCatalogue(): { catalogue: NodeType[]; got: string[] } {
  const got: string[] = [];
  const catalogue = withNoop({
    config: z.object({ text: z.string().default("") }),
    templates: ["/text"],
    effects: () => "idempotent",
    run({ config }) {
      got.push(config.text);
      return done({ said: config.text });
    },
  });
  return { catalogue, got };
}

const steps = 5;

type Stop = { kind: "wait" | "gate"; at: number } | null;

/** A chain of steps that hand the caller's secrets on; one of them may be stopped before it begins. */
function chain(stop: Stop): string {
  const ids = Array.from({ length: steps }, (_, n) => `s${n}`);
  const lines = ids.map((id, n) => {
    const before = n === 0 ? "action_input" : `s${n - 1}.said`;
    const gate = stop?.kind === "gate" && stop.at === n ? ", requireApproval: true" : "";
    const text = n === 0 ? "got {{action_input}}" : `${n} {{${before}}} {{action_input.phone}}`;
    return `  - {id: ${id}, type: noop, data: {text: "${text}"${gate}}}`;
  });
  const waits = stop?.kind === "wait";
  if (waits) lines.push("  - {id: rest, type: wait, data: {mode: duration, amount: 5, unit: minutes}}");
  const path = ["action_input", ...ids, "out"];
  const edges = path.slice(1).flatMap((to, n) => {
    const from = path[n] ?? "";
    return waits && stop.at === n ? [`${from} -> rest`, `rest -> ${to}`] : [`${from} -> ${to}`];
  });
  return `
name: chain
slug: chain
nodes:
  - {id: action_input, type: action_input, data: {properties: []}}
${lines.join("\n")}
  - {id: out, type: return_output, data: {properties: [{name: all, type: object, value: "{{s4}}"}, {name: mail, type: string, value: "{{action_input.mail}}"}]}}
edges:
${edges.map((edge) => `  - ${edge}`).join("\n")}
`;
}

async function begin(t: TestRuntime, stop: Stop): Promise<string> {
  await t.publish(chain(stop));
  const { body } = await t.post<{ run_id: string }>("/actions/chain/run", { input });
  await t.settled();
  return body.run_id;
}

/** Lets time pass and says yes, until the run can go no further. */
async function carryOn(t: TestRuntime, id: string): Promise<RunDetail> {
  for (let round = 0; round < 4; round += 1) {
    await t.settled();
    const { body } = await t.get<RunDetail>(`/runs/${id}`);
    if (body.status === "waiting_for_approval") await t.post(`/runs/${id}/approve`, { decision: "approved" });
    if (body.status === "waiting") t.clock.advance(301_000);
  }
  return (await t.get<RunDetail>(`/runs/${id}`)).body;
}

/** The run's true output, and what its steps stored of it. */
async function trueEnd(store: Store, id: string): Promise<string> {
  const run = await store.findRun(1, id);
  expect(run?.status).toBe("succeeded");
  const sealed = await store.findSealed(id, "result");
  return JSON.stringify(openPayloads(createSealer(masterKey, randomBytes), id, "result", sealed ?? undefined).output);
}

function expectNoCanary(text: string): void {
  for (const canary of canaries) expect(text.includes(canary) ? canary : null).toBeNull();
}

/** Of steps that ran again after a crash the last time alone. */
function distinct(got: readonly string[]): string[] {
  return [...new Set(got)];
}

async function undisturbed() {
  const disk = await openDisk();
  const { catalogue, got } = notingCatalogue();
  const counting = dyingStore(disk.store, Infinity, "before");
  const t = await startRuntime(counting, { catalogue, masterKey });
  const id = await begin(t, null);
  return { disk, t, id, got, output: await trueEnd(disk.store, id), commits: counting.commits() };
}

test("what callers and the disk get of a run is redacted, while its steps work on the true values", async () => {
  const { disk, t, id, got, output } = await undisturbed();
  expect(JSON.stringify(got)).toContain(input.mail);
  expect(output).toContain(input.mail);
  expect(output).toContain(input.phone);
  const answers = await Promise.all(
    [`/runs/${id}`, `/runs/${id}/events?limit=1000`, "/runs"].map(async (path) => JSON.stringify(await t.get(path))),
  );
  const stream = await t.request("GET", `/runs/${id}/events`, {
    headers: { authorization: `Bearer ${t.secret}`, accept: "text/event-stream" },
  });
  answers.push(await stream.text());
  for (const answer of answers) expectNoCanary(answer);
  expect(answers[0]).toContain("[REDACTED_EMAIL]");
  const { body } = await t.post("/actions/chain/run", { input });
  expectNoCanary(JSON.stringify(body));
  await t.settled();
  const raw = [disk.file, `${disk.file}-wal`].map((file) => readFileSync(file).toString("latin1")).join("");
  expect(raw).toContain("[REDACTED_EMAIL]");
  expectNoCanary(raw);
  expectNoCanary(t.logged.join(""));
});

test("a run stopped by a crash at any commit ends byte-equal to an undisturbed one", { timeout: 60_000 }, async () => {
  const plain = await undisturbed();
  for (let at = 1; at <= plain.commits; at += 1) {
    for (const side of ["before", "after"] as const) {
      const disk = await openDisk();
      const { catalogue, got } = notingCatalogue();
      const dying = dyingStore(disk.store, at, side);
      const id = await begin(await startRuntime(dying, { catalogue, masterKey }), null);
      expect([at, dying.isDead()]).toEqual([at, true]);
      const next = await startRuntime(disk.store, { catalogue, masterKey, now: "2026-01-15T10:01:00.000Z" });
      await carryOn(next, id);
      expect([at, side, await trueEnd(disk.store, id)]).toEqual([at, side, plain.output]);
      expect(distinct(got)).toEqual(distinct(plain.got));
      const raw = readFileSync(disk.file).toString("latin1") + readFileSync(`${disk.file}-wal`).toString("latin1");
      expectNoCanary(raw);
    }
  }
});

test.each(["wait", "gate"] as const)(
  "a %s at any step boundary, with a restart meanwhile, changes no byte of the end",
  async (kind) => {
    const plain = await undisturbed();
    for (let at = 0; at < steps; at += 1) {
      const disk = await openDisk();
      const { catalogue, got } = notingCatalogue();
      const first = await startRuntime(disk.store, { catalogue, masterKey });
      const id = await begin(first, { kind, at });
      expect((await first.get<RunDetail>(`/runs/${id}`)).body.status).toBe(
        kind === "wait" ? "waiting" : "waiting_for_approval",
      );
      await first.end();
      const next = await startRuntime(disk.store, { catalogue, masterKey, now: "2026-01-15T10:00:10.000Z" });
      await carryOn(next, id);
      expect([at, await trueEnd(disk.store, id)]).toEqual([at, plain.output]);
      expect(distinct(got)).toEqual(distinct(plain.got));
      expectNoCanary(readFileSync(disk.file).toString("latin1") + readFileSync(`${disk.file}-wal`).toString("latin1"));
    }
  },
);

const lostKey = () => ({ masterKey: new Uint8Array(32).fill(4) });

/** As retention does, before its time. */
function lostOriginals(file: string) {
  const db = new Database(file);
  db.exec("DELETE FROM sealed");
  db.close();
  return { masterKey };
}

test.each([
  ["under another master key", lostKey, "sealed with the master key"],
  ["after the originals were deleted", lostOriginals, "deleted after their time"],
])("a run that is resumed %s fails and says so instead of going on with redacted texts", async (_, lose, message) => {
  const disk = await openDisk();
  const { catalogue, got } = notingCatalogue();
  const first = await startRuntime(disk.store, { catalogue, masterKey });
  const id = await begin(first, { kind: "wait", at: 2 });
  await first.end();
  const seen = got.length;
  const next = await startRuntime(disk.store, { catalogue, ...lose(disk.file), now: "2026-01-15T10:10:00.000Z" });
  const run = await carryOn(next, id);
  expect(run).toMatchObject({ status: "failed", error: { code: "UNKNOWN", details: { originals_gone: true } } });
  expect(run.error?.message).toContain(message);
  expect(got).toHaveLength(seen);
});

test("a replay that would take over redacted values is refused with the steps named, and goes with an input", async () => {
  const disk = await openDisk();
  const { catalogue } = notingCatalogue();
  const first = await startRuntime(disk.store, { catalogue, masterKey });
  const id = await begin(first, { kind: "gate", at: 2 });
  await first.post(`/runs/${id}/approve`, { decision: "rejected" });
  await first.settled();
  lostOriginals(disk.file);
  const preview = await first.post(`/runs/${id}/replay/preview`, {});
  const refused = ["action_input", "s0", "s1"].map((step_id) => ({
    step_id,
    reason: expect.stringContaining("are gone"),
  }));
  expect(preview.body).toMatchObject({ reused: ["s0", "s1"], refused });
  const answer = await first.post(`/runs/${id}/replay`, {});
  expect([answer.status, answer.body["code"], answer.body["details"]]).toEqual([400, "BAD_REQUEST", refused]);
  expect(answer.body["error"]).toMatch(/action_input, s0, s1 are gone.* from: "start" and an input/);
  const again = await first.post<{ run_id: string }>(`/runs/${id}/replay`, { from: "start", input });
  expect(again.status).toBe(202);
  expect((await carryOn(first, again.body.run_id)).status).toBe("succeeded");
});

test("the error of an attempt that waits for its retry is stored redacted, too", async () => {
  const disk = await openDisk();
  const catalogue = withNoop({
    config: z.object({ text: z.string() }),
    run: () => fail("UPSTREAM_ERROR", `${input.mail} is not there`),
  });
  const t = await startRuntime(disk.store, { catalogue, masterKey });
  const failing = chain(null).replace("type: noop, data: {", "type: noop, data: {maxRetries: 2, ");
  await t.publish(failing);
  const { body } = await t.post<{ run_id: string }>("/actions/chain/run", { input });
  await t.settled();
  const [due] = await disk.store.listRunDue(body.run_id);
  expect(due).toMatchObject({ kind: "retry", detail: { message: "[REDACTED_EMAIL] is not there" } });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    t.clock.advance(5000);
    await t.settled();
  }
  const ended = await carryOn(t, body.run_id);
  expect(ended).toMatchObject({ status: "failed", error: { message: "[REDACTED_EMAIL] is not there", step_id: "s0" } });
  expectNoCanary(readFileSync(disk.file).toString("latin1") + readFileSync(`${disk.file}-wal`).toString("latin1"));
});
