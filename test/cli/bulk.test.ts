import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stepgate } from "../support/command-line.ts";
import { PublishedDaemon } from "../support/published-daemon.ts";
import { answerJson, StandIn } from "../support/stand-in.ts";

const daemon = new PublishedDaemon();
beforeAll(async () => daemon.start());
afterAll(async () => daemon.stop());

type Outcome = { matched: number; done: { run_id: string; result_run_id: string }[]; failed: unknown[]; left: number };

it("every failed run of an action is replayed, once somebody agrees to how many these are", async () => {
  await daemon.run("run", "broken", "-i", "name=Bob", "--wait");
  const asked = await daemon.run("replay", "--filter", "status=failed,slug=broken");
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("Replay 2 runs?")]);
  const outcome = await daemon.json<Outcome>("replay", "--filter", "slug=broken,since=1h", "--yes");
  expect(outcome).toMatchObject({ matched: 2, failed: [], left: 0 });
  expect(outcome.done.map(({ run_id }) => run_id)).toContain(daemon.runs.broken);
  const [first] = outcome.done;
  expect(await daemon.json("runs", "show", first?.result_run_id ?? "")).toMatchObject({
    source: "replay",
    resume_from_run_id: first?.run_id,
  });
});

it("a filter that fits nothing changes nothing; one that can't be meant is wrong usage", async () => {
  expect(await daemon.json("cancel", "--filter", "slug=broken", "--yes")).toEqual({
    matched: 0,
    done: [],
    failed: [],
    left: 0,
  });
  for (const [args, words] of [
    [["cancel", "--filter", "status=failed"], "can't be cancelled"],
    [["cancel", "--filter", "slugg=broken"], "no name slugg"],
    [["cancel", "--filter", ""], "--filter must be"],
    [["cancel", "--filter", "status=waiting", daemon.runs.greet], "not both"],
    [["cancel"], "Name a run"],
    [["replay", "--filter", "status=failed", "--edit"], "goes with none of"],
  ] as const) {
    const { code, stderr } = await daemon.run(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  }
});

const runs = ["a", "b", "c"].map((letter) => ({
  run_id: `71be90d4-0000-7000-8000-00000000000${letter}`,
  action_slug: "sync",
  source: "action",
  status: "waiting",
  duration_ms: null,
  created_at: "2026-01-01T00:00:00.000Z",
}));

it("where the daemon has had enough the rest is left as it is, and the exit tells it", async () => {
  let cancelled = 0;
  const server = await new StandIn((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://daemon");
    if (pathname.endsWith("/runs")) {
      const fits = searchParams.get("status") === "waiting" ? runs : [];
      return answerJson(response, 200, { runs: fits, total: fits.length, limit: 100, offset: 0 });
    }
    cancelled += 1;
    if (cancelled === 1) return answerJson(response, 200, { ...runs[0], status: "cancelled" });
    response.setHeader("retry-after", "3600");
    answerJson(response, 429, { error: "Rate limit exceeded", code: "RATE_LIMIT_EXCEEDED" });
  }).listen();
  await using _ = server;
  const { code, stdout, stderr } = await stepgate(server.home, ["cancel", "--filter", "slug=sync", "--yes", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ matched: 3, done: [{ run_id: runs[0]?.run_id }], failed: [], left: 2 });
  expect([code, JSON.parse(stderr)]).toMatchObject([8, { error: expect.stringContaining("2 of 3 runs were left") }]);
});

it("a run's steps are a report in JUnit's form, in which a failure is one", async () => {
  const junit = join(daemon.home, "run.xml");
  const { code } = await daemon.run("run", "broken", "-i", "name=Ada", "--wait", "--junit", junit);
  expect(code).toBe(10);
  const report = readFileSync(junit, "utf8");
  expect(report).toContain('<testsuites tests="3" failures="2" errors="0" skipped="0">');
  expect(report).toMatch(/<testcase classname="broken" name="stop"[^>]*>\s*<failure message="[^"]*no Ada today"/);
  expect((await daemon.run("run", "broken", "-i", "name=Ada", "--junit", junit)).code).toBe(2);
});
