import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { atTerminal, stepgate } from "../support/command-line.ts";
import { answerJson, StandIn } from "../support/stand-in.ts";

const original = "71be90d4-0000-7000-8000-000000000000";
const plan = {
  reused: ["fetch"],
  rerun: ["send", "done"],
  side_effects_repeated: ["send"],
  refused: [{ step_id: "fetch", reason: "gone\u001b[2J" }],
};
const step = { step_id: "fetch", iteration: null, type: "set", name: null, status: "completed", attempt: 1 };
const started = {
  run_id: "82be90d4-0000-7000-8000-000000000000",
  action_slug: "hello",
  action_release_version: 1,
  status: "accepted",
  steps: [step],
};

/** Notes what is asked, and answers as a daemon would. */
async function listen() {
  const asked: unknown[] = [];
  const server = new StandIn((request, response) => {
    void text(request).then((body) => {
      asked.push([request.method, request.url, body === "" ? null : JSON.parse(body)]);
      answerJson(
        response,
        request.url?.endsWith("preview") ? 200 : 202,
        request.url?.endsWith("preview") ? plan : started,
      );
    });
  });
  return { server: await server.listen(), asked };
}

it("replay asks for a new run from where it is told, with the input it is given", async () => {
  const { server, asked } = await listen();
  await using _ = server;
  const plain = await stepgate(server.home, ["replay", original, "--json"]);
  expect([plain.code, JSON.parse(plain.stdout)]).toEqual([0, started]);
  await stepgate(server.home, ["replay", original, "--from", "send", "--json"]);
  await stepgate(server.home, ["replay", original, "--input", "-", "--json"], { stdin: '{"a": 1}' });
  const path = `/api/v1/runtime/runs/${original}/replay`;
  expect(asked).toEqual([
    ["POST", path, {}],
    ["POST", path, { from: "send" }],
    ["POST", path, { input: { a: 1 } }],
  ]);
});

it("--preview tells what would happen and starts nothing", async () => {
  const { server, asked } = await listen();
  await using _ = server;
  const { code, stdout } = await atTerminal(server.socketPath, ["replay", original, "--preview"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/taken over\s+fetch\n/);
  expect(stdout).toMatch(/runs again\s+send, done\n/);
  expect(stdout).toMatch(/acts again\s+send\n/);
  expect(stdout).toMatch(/refused\s+fetch: gone/);
  expect(stdout).not.toContain("\u001b[2J");
  const json = await stepgate(server.home, ["replay", original, "--preview", "--json"]);
  expect(JSON.parse(json.stdout)).toEqual(plan);
  expect(asked).toHaveLength(2);
});

it.each([
  [["--input", "[1]"], "--input"],
  [["--timeout", "5s"], "--timeout goes with --wait"],
])("replay %j is refused before anything is asked", async (args, message) => {
  const { server, asked } = await listen();
  await using _ = server;
  const { code, stderr } = await stepgate(server.home, ["replay", original, ...args]);
  expect([code, asked]).toEqual([2, []]);
  expect(stderr).toContain(message);
});

it("runs diff shows what differs, and all of it on demand", async () => {
  const side = {
    run_id: original,
    action_slug: "hello",
    action_release_version: 1,
    source: "action",
    status: "failed",
  };
  const steps = [
    { step_id: "fetch", iteration: null, change: "same", differences: [] },
    {
      step_id: "send",
      iteration: [2],
      change: "changed",
      differences: [{ field: "status", a: "failed", b: "completed" }],
    },
    { step_id: "done", iteration: null, change: "only_b", differences: [] },
  ];
  await using server = await new StandIn((_, response) => {
    answerJson(response, 200, {
      a: side,
      b: side,
      differences: [{ field: "status", a: "failed", b: "succeeded" }],
      steps,
    });
  }).listen();
  const { stdout } = await stepgate(server.home, ["runs", "diff", original, original]);
  expect(stdout.trim().split("\n")).toEqual([
    'run\tstatus\t"failed"\t"succeeded"',
    'send[2]\tstatus\t"failed"\t"completed"',
    "done\tonly_b",
  ]);
  expect(server.requests[0]?.url).toBe(`/api/v1/runtime/runs/${original}/diff?with=${original}`);
  expect((await stepgate(server.home, ["runs", "diff", original, original, "--all"])).stdout).toContain("fetch\tsame");
});

it("an input is edited until it is one, and its file is gone afterwards", async () => {
  const asked: unknown[] = [];
  const server = await new StandIn((request, response) => {
    if (request.method === "GET") return answerJson(response, 200, { ...started, input: { name: "Ada", count: 1 } });
    void text(request).then((body) => {
      asked.push(JSON.parse(body));
      answerJson(response, 202, started);
    });
  }).listen();
  await using _ = server;
  const notes = join(server.home, "edited");
  const editor = join(server.home, "editor.sh");
  // The first time it writes no object, the second time one; it notes what it was given and who may read it.
  writeFileSync(
    editor,
    `#!/bin/sh\ncat "$1" >> ${notes}; stat -c '%a %n' "$1" >> ${notes}\nif grep -q broken "$1"; then echo '{"name": "Bob"}' > "$1"; else echo '- broken' > "$1"; fi\n`,
    { mode: 0o755 },
  );
  const env = { LANG: "C.UTF-8", NO_COLOR: "1", EDITOR: editor };
  const { code, stderr } = await atTerminal(server.socketPath, ["replay", original, "--edit"], { env, answer: "y" });
  expect([code, asked]).toEqual([0, [{ input: { name: "Bob" } }]]);
  expect(stderr).toContain("The input has to be an object. Edit it again?");
  const [, file = ""] = /600 (.*)\n/.exec(readFileSync(notes, "utf8")) ?? [];
  expect(readFileSync(notes, "utf8")).toContain("name: Ada\ncount: 1\n");
  expect(existsSync(file)).toBe(false);
  const declined = await atTerminal(server.socketPath, ["replay", original, "--edit"], { env, answer: "n" });
  expect([declined.code, asked.length]).toEqual([2, 1]);
});

it("the comment of a decision may be in a file", async () => {
  const asked: unknown[] = [];
  const server = await new StandIn((request, response) => {
    if (request.method === "GET") return answerJson(response, 200, { ...started, approval: null });
    void text(request).then((body) => {
      asked.push(JSON.parse(body));
      answerJson(response, 200, {
        run_id: original,
        decision: "approved",
        status: "running",
        decided_at: "2026-01-01T00:00:00.000Z",
      });
    });
  }).listen();
  await using _ = server;
  const file = join(server.home, "comment.md");
  writeFileSync(file, "checked\nwith the customer\n");
  expect((await stepgate(server.home, ["approve", original, "--comment-file", file])).code).toBe(0);
  expect(asked).toEqual([{ decision: "approved", comment: "checked\nwith the customer" }]);
  expect((await stepgate(server.home, ["reject", original, "--comment-file", file, "-m", "no"])).code).toBe(2);
});
