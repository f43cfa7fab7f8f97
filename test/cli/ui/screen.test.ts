import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { FakeDaemon } from "./fake-daemon.ts";
import { approval, approvals, definition, gatedId, now, runId, runRow } from "./samples.ts";
import { Screen } from "./screen.ts";

const [first] = approvals;

it("shows the runs there are, and each change as it happens", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target);
  await screen.shows("71be90d4");
  await screen.shows("● live");
  daemon.send(runRow(40, { run_id: runId(40, "abcdef01"), status: "running", duration_ms: null }));
  await screen.shows(/abcdef01 +enrich-lead +● running/);
  daemon.send(runRow(40, { run_id: runId(40, "abcdef01") }));
  expect(await screen.shows(/abcdef01 +enrich-lead +✓ succeeded/)).toContain("71be90d4");
});

it("keys that arrive in one read are keys one after the other", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target);
  await screen.shows("71be90d4");
  await screen.press("jjj", />5a0c77e1/);
  expect(await screen.press("k\r", /Runs ▸ 71be90d4/)).toContain("JOURNAL");
});

it("what a terminal answers by itself is no key", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target);
  await screen.shows("71be90d4");
  screen.type("\u001b[?1;2c");
  screen.type("\u001b[I");
  screen.type("\u001b[200~rrcc\u001b[201~");
  await screen.press("j", />9f3c1a02/);
  expect(screen.frame).not.toMatch(/Replay|Cancel 9/);
});

it("the decision goes to the request that was captured, while 50 runs arrive over the open form", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target);
  await screen.shows("71be90d4");
  await screen.press("2", "e20b6c55");
  await screen.press("j", />5\d:/);
  await screen.press("a", "Approve 71be90d4");
  for (let n = 100; n < 150; n += 1) {
    daemon.approvals = [approval(n, { run_id: runId(n) }), ...daemon.approvals];
    daemon.send(runRow(n, { status: "waiting_for_approval" }));
  }
  await screen.shows("Approvals·52");
  await sleep(310);
  screen.type("\u001b[200~checked\nwith sales\u001b[201~");
  await screen.shows("checked with sales");
  screen.type("\r71be");
  await screen.press("\r", "Approved 71be90d4");
  expect(daemon.posted).toEqual([
    {
      path: `/api/v1/runtime/runs/${gatedId}/approve`,
      body: { decision: "approved", approval_id: first?.id, comment: "checked with sales" },
    },
  ]);
});

it("a race that is lost says who won, and the row is read again", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target);
  await screen.shows("71be90d4");
  await screen.press("2", "e20b6c55");
  await screen.press("jx", "Reject 71be90d4");
  const decided = new Date(now - 2000).toISOString();
  const won = approval(7, { status: "approved", user_id: "bob", decided_via: "cli", decided_at: decided });
  daemon.answers.set("/approve", { status: 400, body: { error: "Approval already resolved", code: "BAD_REQUEST" } });
  daemon.resolved.set(won.id, won);
  daemon.approvals = approvals.slice(1);
  await sleep(310);
  screen.type("\r71be");
  await screen.press("\r", /Already resolved by bob \(approved\) \d+ s ago: nothing was changed/);
  expect(await screen.press("\u001b", />approved +71be90d4/)).toContain("[2 Approvals·1]");
});

it("a run's journal, steps and payload come live, and its graph carries them", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target, { start: { screen: "run", runId: gatedId } });
  await screen.shows("sync-crm v7");
  await screen.shows("PAYLOAD run · input");
  await screen.shows("· update-deal");
  await screen.shows(/✓ enrich +840ms/);
  await screen.shows(/‖ pending_approval approve-wr/);
  expect(await screen.press("g", /Graph ▸ [\s\S]*✓ +score +condition +2ms/)).toContain("update-deal");
});

it("v shows what a version changed about the one before it, and which two these are", async () => {
  const daemon = await FakeDaemon.start();
  daemon.versions = new Map([
    [6, { ...definition, approval_policy: "never" as const, name: "Before" }],
    [7, { ...definition, approval_policy: "never" as const, name: "After" }],
  ]);
  const screen = new Screen(daemon.target, { start: { screen: "run", runId: gatedId } });
  await screen.shows("· update-deal");
  await screen.press("v", /: v6 \(-\) against v7 \(\+\)[\s\S]*- name: Before[\s\S]*\+ name: After/);
  await screen.press("\u001b", "PAYLOAD run");
  await screen.press("g", "v diff");
  expect(await screen.press("v", "+ name: After")).toContain("- name: Before");
});

it("a key whose scope is missing says which, and is offered no more", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target);
  await screen.shows("71be90d4");
  expect(await screen.press("2", "e20b6c55")).toContain("a approve");
  await screen.press("jx", "Reject 71be90d4");
  const error = "The API key lacks the scope approvals:decide";
  daemon.answers.set("/approve", { status: 403, body: { error, code: "FORBIDDEN" } });
  await sleep(310);
  screen.type("\r71be");
  await screen.press("\r", error);
  const frame = await screen.press("\u001b", /Approvals·2\](?![\s\S]*Reject 71be90d4)/);
  expect(frame).not.toMatch(/a approve|x reject/);
  await screen.press("a", error);
  expect(daemon.posted).toHaveLength(1);
});

it("when the daemon goes, rows stay and are marked, and when it comes back under another life all is read again", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target);
  await screen.shows("71be90d4");
  await screen.shows("● live");
  daemon.answers.set("/control/status", { status: 503, body: { error: "The daemon is stopping", code: "OVERLOADED" } });
  daemon.cut();
  await screen.shows("DISCONNECTED");
  await screen.shows(/71be90d4 +sync-crm +\? was: approval.*~/);
  await screen.press("2ja", "not connected");
  daemon.answers.clear();
  daemon.instance = "two";
  daemon.runs = [runRow(60, { run_id: runId(60, "feedbeef") })];
  await screen.press("1r", /feedbeef[\s\S]*/);
  await screen.shows("● live");
  expect(screen.frame).not.toContain("71be90d4");
});

it("a stream that breaks is taken up after its last change, without reading the list again", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target);
  await screen.shows("● live");
  daemon.send(runRow(40, { run_id: runId(40, "abcdef01") }));
  await screen.shows("abcdef01");
  daemon.cut();
  await screen.shows("DISCONNECTED");
  await screen.press("r", "● live");
  const asked = daemon.requests.filter((request) => request.includes("/control/runs") || request.includes("/events?"));
  expect(asked).toEqual([
    "GET /control/runs?limit=200",
    "GET /events?after=5&instance=one",
    "GET /events?after=6&instance=one",
  ]);
});

it.each([
  [401, { error: "Invalid API key", code: "UNAUTHORIZED" }, {}, "The key was refused"],
  [403, { error: "The API key lacks the scope runs:read", code: "FORBIDDEN" }, {}, "lacks the scope runs:read"],
  [429, { error: "Rate limit exceeded", code: "RATE_LIMIT_EXCEEDED" }, { "retry-after": "12" }, "Too many requests"],
])("over HTTP a %i is told for what it is", async (status, body, headers, said) => {
  const daemon = await FakeDaemon.start();
  daemon.answers.set("/runs", { status, body, headers });
  const screen = new Screen(daemon.target, { place: { isLocal: false } });
  expect(await screen.shows(said)).not.toContain("● live");
});

it("over HTTP the runs are polled, and the requests are read out of the runs", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target, { place: { isLocal: false } });
  await screen.shows(/71be90d4 +sync-crm +‖ needs approval/);
  await screen.press("2", /71be90d4 +sync-crm +approve-write/);
  expect(daemon.requests.some((request) => request.includes("/control/"))).toBe(false);
});

it("another size is drawn at once, and one that is too small says so", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target);
  await screen.shows("71be90d4");
  screen.resize(120, 40);
  await screen.shows(/^.{119,120}$/m);
  await screen.shows(/ {40}● live/);
  screen.resize(50, 24);
  await screen.shows("Too small: 50x24");
  screen.resize(60, 15);
  expect((await screen.shows("71be90d4")).split("\n")).toHaveLength(15);
});

it("q ends with 0, Ctrl-C with 130", async () => {
  const daemon = await FakeDaemon.start();
  const [one, other] = [new Screen(daemon.target), new Screen(daemon.target)];
  await one.press("q", "stepgate");
  expect(await one.ended).toBe(0);
  await other.press("\u0003", "stepgate");
  expect(await other.ended).toBe(130);
});

it("a payload is copied only where that is allowed", async () => {
  const daemon = await FakeDaemon.start();
  const start = { screen: "run", runId: gatedId } as const;
  const off = new Screen(daemon.target, { start, place: { canCopy: false } });
  await off.shows("deal_id");
  await off.press("y", "Copying is off");
  const on = new Screen(daemon.target, { start });
  await on.shows("deal_id");
  await on.press("y", "Copied");
  const text = Buffer.from(JSON.stringify({ deal_id: 48213 }, null, 2)).toString("base64");
  expect(on.written).toContain(`\u001b]52;c;${text}\u0007`);
  expect(off.written.join("")).not.toContain("]52;");
});

it("for a screen reader there are sentences, on the terminal's own screen", async () => {
  const daemon = await FakeDaemon.start();
  const screen = new Screen(daemon.target, { place: { isSpoken: true } });
  await screen.shows("1 of 8, run 9f3c1a02");
  await screen.press("jj", "Selected: 2 of 8, run 71be90d4, action sync-crm, status needs approval");
  expect(screen.frame).not.toMatch(/[─│┌]/u);
  expect(screen.written.join("")).not.toContain("\u001b[?1049h");
});
