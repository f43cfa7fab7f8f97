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
