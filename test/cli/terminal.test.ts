import { expect, it } from "vitest";
import { answerJson, StandIn } from "../support/stand-in.ts";
import { atTerminal, launcher, stepgate } from "../support/command-line.ts";
import { hasTmux, TmuxTerminal } from "../support/tmux.ts";

const ids = [
  "019a0000-aaaa-7000-8000-000000000001",
  "019a0000-aaaa-7000-8000-000000000002",
  "019b1111-bbbb-7000-8000-000000000003",
];

const runRow = (run_id: string, slug = "hello") => ({
  run_id,
  action_slug: slug,
  source: "action",
  status: "succeeded",
  duration_ms: 840,
  created_at: new Date(Date.now() - 65_000).toISOString(),
});

/** A daemon with three runs. */
async function withRuns(slug?: string): Promise<StandIn> {
  return new StandIn(({ url = "" }, response) => {
    const runs = ids.map((id) => runRow(id, slug));
    if (/\/runs\?/.test(url) || url.endsWith("/runs"))
      answerJson(response, 200, { runs, total: 3, limit: 20, offset: 0 });
    else if (ids.some((id) => url.endsWith(id)))
      answerJson(response, 200, { output: { id: url.slice(-1) }, status: "succeeded" });
    else answerJson(response, 404, { error: "Run not found", code: "RUN_NOT_FOUND" });
  }).listen();
}

it("a person gets a table with a header, signs and relative times", async () => {
  await using server = await withRuns();
  const { code, stdout } = await atTerminal(server.socketPath, ["runs", "list"], { columns: 120 });
  expect(code).toBe(0);
  expect(stdout.split("\n").slice(0, 2)).toEqual([
    "RUN                                   ACTION  STATUS       SOURCE  TIME    CREATED",
    `${ids[0]}  hello   ✓ succeeded  action  840 ms  1m ago`,
  ]);
});

it("colours and signs follow the flags and the environment", async () => {
  await using server = await withRuns();
  const coloured = await atTerminal(server.socketPath, ["runs", "list"], { env: { LANG: "C.UTF-8" } });
  expect(coloured.stdout).toContain("\x1b[32m✓ succeeded\x1b[39m");
  const plain = await atTerminal(server.socketPath, ["runs", "list", "--color", "never", "--ascii"], {
    env: { LANG: "C.UTF-8" },
  });
  expect(plain.stdout).not.toMatch(/[^\n\x20-\x7e]/);
});

it("errors take their colours from --color, too", async () => {
  await using server = await withRuns();
  const asked = async (...color: string[]) =>
    (await atTerminal(server.socketPath, ["runs", "output", "019c22", ...color], { env: {} })).stderr.includes("\x1b[");
  expect([await asked(), await asked("--color", "never"), await asked("--color=never")]).toEqual([true, false, false]);
  const piped = await stepgate(server.home, ["runs", "output", "019c22", "--color", "always"]);
  expect(piped.stderr).toContain("\x1b[31mstepgate:\x1b[39m");
});

it("with --json a person's terminal shows the document alone, without a word beside it", async () => {
  await using server = await new StandIn((_, response) =>
    answerJson(response, 200, { runs: [runRow(ids[0] ?? "")], total: 9, limit: 1, offset: 0 }),
  ).listen();
  const hints = async (...form: string[]) => (await atTerminal(server.socketPath, ["runs", "list", ...form])).stderr;
  expect(await hints()).toContain("go on with --offset 1");
  expect([await hints("--json"), await hints("--jsonl"), await hints("-q")]).toEqual(["", "", ""]);
});

it("text from outside can't steer the terminal, whatever is printed", async () => {
  await using server = await withRuns("\x1b]0;owned\x07he\x1b[8mllo\u202e\r");
  for (const args of [
    ["runs", "list"],
    ["runs", "list", "--json"],
    ["runs", "list", "--jsonl"],
  ]) {
    const { stdout } = await atTerminal(server.socketPath, args);
    expect(stdout).not.toMatch(/[^\n\x20-\x7e✓]/);
  }
});

it("the first or last characters of an id do when they are unique", async () => {
  await using server = await withRuns();
  const found = await atTerminal(server.socketPath, ["runs", "output", "019b11", "--json"]);
  expect(JSON.parse(found.stdout)).toEqual({ id: "3" });
  // The terminal UI names runs by their end.
  const byEnd = await atTerminal(server.socketPath, ["runs", "output", "00000002", "--json"]);
  expect(JSON.parse(byEnd.stdout)).toEqual({ id: "2" });
  const several = await atTerminal(server.socketPath, ["runs", "output", "019a0000"]);
  expect(several.code).toBe(2);
  expect(several.stderr).toContain("2 runs begin with 019a0000");
  const none = await atTerminal(server.socketPath, ["runs", "output", "019c22"]);
  expect(none.code).toBe(5);
});

it("in a pipe a run is read by a part of its id, and decided on by the whole of it alone", async () => {
  await using server = await withRuns();
  const read = await stepgate(server.home, ["runs", "output", "019b1111"]);
  expect([read.code, read.stdout]).toEqual([0, '{"id":"3"}\n']);
  for (const verb of ["approve", "reject", "replay", "cancel"])
    expect([verb, (await stepgate(server.home, [verb, "019b1111"])).code]).toEqual([verb, 5]);
  // A script's input is no terminal, also where a person sees what it prints.
  const asked = server.requests.length;
  const watched = await atTerminal(server.socketPath, ["approve", "019b1111"], { hasInput: false });
  expect(watched.code).toBe(5);
  expect(server.requests.slice(asked).map(({ url }) => url)).toEqual(["/api/v1/runtime/runs/019b1111"]);
});

it("a key is revoked when a person agrees, and not otherwise", async () => {
  await using server = await new StandIn((_, response) => {
    answerJson(response, 200, { id: "k1", name: "ci", revoked_at: new Date().toISOString() });
  }).listen();
  const refused = await atTerminal(server.socketPath, ["keys", "revoke", "ci"], { answer: "n" });
  expect([refused.code, server.requests.length]).toEqual([2, 0]);
  const agreed = await atTerminal(server.socketPath, ["keys", "revoke", "ci"], { answer: "yes" });
  expect([agreed.code, server.requests[0]?.url]).toEqual([0, "/control/keys/ci/revoke"]);
  const unasked = await atTerminal(server.socketPath, ["keys", "revoke", "ci", "--no-input"]);
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain("--yes");
});

it.runIf(hasTmux).each([
  ["Ctrl-C at a question of yes or no", "keys revoke ci", "[y/N]", "C-c", 130],
  ["Ctrl-D there", "keys revoke ci", "[y/N]", "C-d", 2],
  ["Ctrl-C at a question for a secret", "secrets set token", "Value of token", "C-c", 130],
  ["Ctrl-D there", "secrets set token", "Value of token", "C-d", 2],
  ["Escape there", "secrets set token", "Value of token", "Escape", 2],
])("%s changes nothing and says so: %s", async (_, command, question, key, code) => {
  await using server = await withRuns();
  using terminal = new TmuxTerminal(`${launcher} ${command}`, { env: { STEPGATE_HOME: server.home } });
  await terminal.shows(question);
  terminal.press(key);
  expect(await terminal.shows(`ended with ${code}`)).toContain("Nothing was changed.");
  expect(server.requests.filter(({ method }) => method === "POST")).toEqual([]);
});
