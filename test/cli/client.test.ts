import { expect, it } from "vitest";
import { Client } from "../../src/cli/client.ts";
import { followRun } from "../../src/cli/event-stream.ts";
import { answerJson, StandIn, type Handler } from "../support/stand-in.ts";

function clientOf({ socketPath }: StandIn, trace?: (line: string) => void): Client {
  const { signal } = new AbortController();
  return new Client({ socketPath }, { signal, headers: { "x-stepgate-workspace": "w" }, ...(trace ? { trace } : {}) });
}

const refusal = { error: "Rate limit exceeded", code: "RATE_LIMIT_EXCEEDED" };

it("a refusal is waited out as long as the daemon says", async () => {
  let calls = 0;
  await using server = await new StandIn((_, response) => {
    if (calls++ === 0) answerJson(response, 429, refusal, { "retry-after": "0.01" });
    else answerJson(response, 200, { ok: true });
  }).listen();
  expect(await clientOf(server).get("/x")).toEqual({ ok: true });
  expect(calls).toBe(2);
});

it("a refusal that lasts longer than the patience counts at once", async () => {
  await using server = await new StandIn((_, response) => {
    answerJson(response, 429, { ...refusal, details: [{ limit: "runs_per_hour" }] }, { "retry-after": "3000" });
  }).listen();
  await expect(clientOf(server).post("/x")).rejects.toMatchObject({
    message: "Rate limit exceeded",
    exit: "busy",
    extra: { code: "RATE_LIMIT_EXCEEDED", retryAfterSeconds: 3000, details: [{ limit: "runs_per_hour" }] },
  });
  expect(server.requests).toHaveLength(1);
});

it.each<[name: string, handler: Handler, exit: string, message: RegExp]>([
  ["a page of somebody else", (_, res) => void res.writeHead(502).end("<html>"), "failure", /answered HTTP 502/],
  [
    "half an answer",
    (_, res) => void res.writeHead(200, { "content-length": "9" }).end("{").destroy(),
    "unreachable",
    /reached/,
  ],
  ["a hang-up", (req) => void req.socket.destroy(), "unreachable", /can't be reached/],
])("%s is told as such", async (_, handler, exit, message) => {
  await using server = await new StandIn(handler).listen();
  await expect(clientOf(server).get("/x")).rejects.toMatchObject({ exit, message: expect.stringMatching(message) });
});

it("a socket without a daemon means that none runs", async () => {
  const client = new Client({ socketPath: "/nonexistent/control.sock" }, { signal: new AbortController().signal });
  await expect(client.get("/x")).rejects.toMatchObject({
    exit: "unreachable",
    message: "The daemon is not running.",
    extra: { hint: "start it with: stepgate start" },
  });
});

it("what is sent where is traced, with the workspace's header on every request", async () => {
  const lines: string[] = [];
  await using server = await new StandIn((_, response) => answerJson(response, 200, {})).listen();
  await clientOf(server, (line) => lines.push(line)).get("/x", { a: "1 2", b: undefined, c: 3 });
  expect(lines).toEqual([expect.stringMatching(/^GET \/x\?a=1\+2&c=3: 200 in \d+ ms$/)]);
  expect(server.requests[0]?.headers["x-stepgate-workspace"]).toBe("w");
});

const runId = "71be90d4-0000-7000-8000-000000000000";

function eventText(seq: number): string {
  return `event: step_started\nid: ${seq}\ndata: ${JSON.stringify({ seq, type: "step_started" })}\n\n`;
}

const statusText = (status: string) => `event: run\ndata: ${JSON.stringify({ run_id: runId, status })}\n\n`;

it("a stream that breaks is taken up where it broke: no event twice, none lost", async () => {
  const total = 9;
  await using server = await new StandIn((request, response) => {
    const after = Number(request.headers["last-event-id"]);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(statusText("running"));
    for (let seq = after + 1; seq <= Math.min(after + 4, total); seq++) response.write(eventText(seq));
    if (after + 4 < total) response.write(": half a mess", () => response.destroy());
    else response.end(statusText("succeeded"));
  }).listen();

  const changes = await Array.fromAsync(followRun(clientOf(server), runId));
  const seen = changes.flatMap((change) => (change.kind === "event" ? [change.event.seq] : []));
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(changes.at(-1)).toEqual({ kind: "status", status: "succeeded" });
  expect(server.requests.map((request) => request.headers["last-event-id"])).toEqual(["0", "4", "8"]);
});

it("a stream that is closed in good order before the end makes the client ask how the run stands", async () => {
  await using server = await new StandIn((request, response) => {
    if (request.headers.accept === "text/event-stream") response.writeHead(200).end(eventText(1));
    else answerJson(response, 200, { run_id: runId, status: "failed" });
  }).listen();
  const changes = await Array.fromAsync(followRun(clientOf(server), runId));
  expect(changes.at(-1)).toEqual({ kind: "status", status: "failed" });
});

it("a daemon that was never there is not waited for, and an error of the API ends the stream", async () => {
  await using server = await new StandIn((_, response) => {
    answerJson(response, 404, { error: "Run not found", code: "RUN_NOT_FOUND" });
  }).listen();
  await expect(Array.fromAsync(followRun(clientOf(server), runId))).rejects.toMatchObject({ exit: "notFound" });
  const nobody = new Client({ socketPath: "/nonexistent/control.sock" }, { signal: new AbortController().signal });
  await expect(Array.fromAsync(followRun(nobody, runId))).rejects.toMatchObject({ exit: "unreachable" });
});

it("following ends without a word when its time is up", async () => {
  await using server = await new StandIn(
    (_, response) => void response.writeHead(200).write(statusText("running")),
  ).listen();
  const changes = await Array.fromAsync(followRun(clientOf(server), runId, { signal: AbortSignal.timeout(100) }));
  expect(changes).toEqual([{ kind: "status", status: "running" }]);
});
