import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stepgate } from "../support/command-line.ts";
import { PublishedDaemon } from "../support/published-daemon.ts";

const daemon = new PublishedDaemon();
beforeAll(async () => daemon.start());
afterAll(async () => daemon.stop());

it("status tells where the daemon is, or that there is none", async () => {
  expect(await daemon.json("status")).toMatchObject({
    running: true,
    url: daemon.url,
    pid: expect.any(Number),
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    instance_id: expect.any(String),
    db: join(daemon.home, "stepgate.db"),
    db_schema: expect.any(Number),
    started_at: expect.any(String),
    active_runs: 0,
    pending_approvals: 0,
  });
  const none = await stepgate(join(daemon.home, "elsewhere"), ["status", "--json"]);
  expect(none).toEqual({ code: 3, stdout: '{"running":false}\n', stderr: "" });
});

it("flags of every command stand before or after its name", async () => {
  for (const args of [
    ["--json", "runs", "list"],
    ["runs", "--json", "list"],
    ["runs", "list", "--json"],
  ]) {
    const { stdout } = await daemon.run(...args);
    expect(Object.keys(JSON.parse(stdout))).toEqual(["runs", "total", "limit", "offset"]);
  }
});

it("a key is minted with its secret, listed without it, and revoked by name", async () => {
  const minted = await daemon.json(
    "keys",
    "mint",
    "--name",
    "ci",
    "--scope",
    "runs:read",
    "--scope",
    "actions:run",
    "--expires",
    "90d",
  );
  expect(minted).toEqual({
    id: expect.any(String),
    name: "ci",
    prefix: String(minted["secret"]).slice(0, 8),
    scopes: ["runs:read", "actions:run"],
    created_at: expect.any(String),
    expires_at: expect.any(String),
    secret: expect.stringMatching(/^sgt_[\w-]{32}$/),
  });
  expect(Date.parse(String(minted["expires_at"])) - Date.now()).toBeGreaterThan(89.9 * 86_400_000);
  const { keys } = await daemon.json<{ keys: { name: string }[] }>("key", "list");
  expect(keys.find(({ name }) => name === "ci")).toEqual({
    ...minted,
    secret: undefined,
    last_used_at: null,
    is_active: true,
    revoked_at: null,
  });
  expect(await daemon.json("keys", "revoke", "ci", "--yes")).toMatchObject({ name: "ci", is_active: false });
});

it("a name of several keys is the caller's mistake and shows them", async () => {
  for (const _ of [1, 2]) await daemon.json("keys", "mint", "--name", "twin");
  const { code, stderr } = await daemon.run("keys", "revoke", "twin", "--yes", "--json");
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({ exit_code: 2, details: [{ name: "twin" }, { name: "twin" }] });
});

it("a secret goes into a new file of the user's own, and never over another file", async () => {
  const out = join(daemon.home, "ci.key");
  const minted = await daemon.json("keys", "mint", "--name", "filed", "--out", out);
  expect(minted).toMatchObject({ name: "filed", secret_file: out });
  expect(minted).not.toHaveProperty("secret");
  expect(readFileSync(out, "utf8")).toMatch(/^sgt_[\w-]{32}\n$/);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  const again = await daemon.run("keys", "mint", "--name", "again", "--out", out);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(out) });
  const refused = join(daemon.home, "refused.key");
  expect((await daemon.run("keys", "mint", "--name", "x", "--scope", "nope", "--out", refused)).code).toBe(2);
  expect(statSync(refused, { throwIfNoEntry: false })).toBeUndefined();
  const { keys } = await daemon.json<{ keys: { name: string }[] }>("keys", "list");
  expect(keys.map(({ name }) => name)).not.toContain("again");
});

it("a run is printed as the API gives it: at its creation, and whole when it was waited for", async () => {
  const started = await daemon.json("run", "greet", "-i", "name=Ada");
  expect(started).toMatchObject({
    action_slug: "greet",
    status: "accepted",
    input: { name: "Ada" },
    output: null,
    steps: [],
  });
  const ended = await daemon.json("run", "greet", "--input", '{"name":"Bob","more":1}', "-i", "name=Ada", "-w");
  expect(ended).toMatchObject({
    status: "succeeded",
    input: { name: "Ada", more: 1 },
    output: { text: "Hello, Ada!" },
    steps_total: 2,
  });
  expect(await daemon.json("runs", "show", String(ended["run_id"]))).toEqual(ended);
  expect(await daemon.json("runs", "output", String(ended["run_id"]))).toEqual({ text: "Hello, Ada!" });
  expect(await daemon.json("run", "greet", "-i", "name=Ada", "--dry-run")).toMatchObject({
    source: "dry_run",
    status: "succeeded",
  });
});

it("fields of -i have the types that the action declares; files and stdin are read", async () => {
  const fields = ["amount=7.5", "isPaid=false", 'tags=["a"]', "code=007", "extra=1"].flatMap((pair) => ["-i", pair]);
  const input = { amount: 7.5, isPaid: false, tags: ["a"], code: "007", extra: "1" };
  expect(await daemon.json("run", "typed", ...fields)).toMatchObject({ input });
  const file = join(daemon.home, "in.json");
  writeFileSync(file, JSON.stringify(input));
  expect(await daemon.json("run", "typed", "--input", `@${file}`)).toMatchObject({ input });
  const piped = await stepgate(daemon.home, ["run", "typed", "--input", "-", "--json"], {
    stdin: JSON.stringify(input),
  });
  expect(JSON.parse(piped.stdout)).toMatchObject({ input });
});

it("runs are listed with every filter", async () => {
  const list = async (...filters: string[]) =>
    daemon.json<{ runs: { run_id: string }[]; total: number }>("runs", "list", ...filters);
  const failed = await list(
    "--status",
    "failed",
    "--action",
    "broken",
    "--source",
    "action",
    "--since",
    "1h",
    "--limit",
    "100",
  );
  expect(failed.runs.map((each) => each.run_id)).toContain(daemon.runs.broken);
  expect((await list("--since", "2999-01-01")).total).toBe(0);
  expect((await list("--until", "1d")).total).toBe(0);
  expect((await list("--needs-approval")).total).toBe(0);
  expect((await list("--limit", "1", "--offset", "1")).runs).toHaveLength(1);
});

it("a journal is one page, or an event a line; followed, it ends with its run", async () => {
  const id = daemon.runs.greet;
  const { events, next_after } = await daemon.json<{ events: { seq: number }[]; next_after: number }>(
    "runs",
    "journal",
    id,
  );
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect(next_after).toBe(4);
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  expect((await daemon.run("runs", "journal", id, "--jsonl")).stdout).toBe(lines);
  expect((await daemon.run("runs", "journal", id, "--jsonl", "--follow")).stdout).toBe(lines);
  expect((await daemon.run("runs", "journal", id, "--after", "3", "-q")).stdout).toBe("4\n");
  const { code, stdout, stderr } = await daemon.run("run", "greet", "-i", "name=Ada", "--follow", "--jsonl");
  expect([code, stdout.trimEnd().split("\n").length, stderr]).toEqual([0, 4, ""]);
});

it("a failed run's error object on stderr names the run's own code", async () => {
  const { code, stdout, stderr } = await daemon.run("run", "broken", "-i", "name=Eve", "--wait", "--json");
  expect(code).toBe(10);
  expect(JSON.parse(stdout)).toMatchObject({ status: "failed", error: { code: "WORKFLOW_STOPPED" } });
  expect(JSON.parse(stderr)).toMatchObject({
    code: "WORKFLOW_STOPPED",
    error: expect.stringContaining("no Eve today"),
  });
});
