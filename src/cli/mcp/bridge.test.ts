import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import { CliError } from "../cli-error.ts";
import type { Answer } from "../exchange.ts";
import { bridge } from "./bridge.ts";

type Post = (
  message: { id?: Json; [key: string]: Json | undefined },
  signal: AbortSignal,
  onMessage: (line: string) => void,
) => Promise<Answer | null>;

const answer = (status: number, content: string): Answer => ({ status, headers: {}, content });
const result = (id: Json | undefined) => answer(200, JSON.stringify({ jsonrpc: "2.0", id, result: {} }));

/** A bridge over a stand-in for the daemon: what it wrote and logged, and how to talk to it. */
function start(post: Post, onWrite: () => void = () => undefined) {
  const input = new PassThrough();
  const written: unknown[] = [];
  const logged: string[] = [];
  const ended = bridge({
    input,
    write: (line) => {
      written.push(JSON.parse(line));
      onWrite();
    },
    log: (line) => logged.push(line),
    post: async (message, signal, onMessage) => post(message as Parameters<Post>[0], signal, onMessage),
  });
  return {
    written,
    logged,
    send: (message: unknown) => void input.write(`${JSON.stringify(message)}\n`),
    async end() {
      input.end();
      await ended;
    },
  };
}

const ask = (id: Json, method = "ping") => ({ jsonrpc: "2.0", id, method });

it("answers come as they are ready, and all of them before the end", async () => {
  const slow = Promise.withResolvers<void>();
  const { send, end, written } = start(async ({ id }) => {
    if (id === 1) await slow.promise;
    return result(id);
  }, slow.resolve);
  send(ask(1));
  send(ask(2));
  await end();
  expect(written).toMatchObject([{ id: 2 }, { id: 1 }]);
});

it("a request that its client cancels is let go of and never answered", async () => {
  const begun = Promise.withResolvers<void>();
  const { send, end, written, logged } = start(async ({ id }, signal) => {
    if (id !== "a") return result(id);
    begun.resolve();
    const { promise, reject } = Promise.withResolvers<Answer>();
    signal.addEventListener("abort", () => reject(new Error("aborted")));
    return promise;
  });
  send(ask("a"));
  await begun.promise;
  send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "b" } });
  send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } });
  send(ask(2));
  await end();
  expect(written).toMatchObject([{ id: 2, result: {} }]);
  expect(logged).toEqual([]);
});

it.each<[status: number, content: string, error: unknown]>([
  [
    401,
    '{"error":"API key revoked","code":"UNAUTHORIZED"}',
    { message: "API key revoked", data: { code: "UNAUTHORIZED" } },
  ],
  [502, "<html>", { message: "The daemon answered HTTP 502, and not as Stepgate does" }],
  [200, "[]", { message: "The daemon answered HTTP 200, and not as Stepgate does", data: [] }],
])("an answer with %i and the body %s becomes the error of its request", async (status, content, error) => {
  const { send, end, written } = start(async () => answer(status, content));
  send(ask(1));
  await end();
  expect(written).toMatchObject([{ jsonrpc: "2.0", id: 1, error: { code: -32000, ...(error as object) } }]);
});

it("what has no answer is logged when it goes wrong, never answered", async () => {
  const { send, end, written, logged } = start(async () => {
    throw new CliError("unreachable", "The daemon is not running", { hint: "start it" });
  });
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await end();
  expect([written, logged]).toEqual([[], ["The daemon is not running; start it"]]);
});

it("an answer over several lines is written as one", async () => {
  const { send, end, written } = start(async () => answer(400, '{\n"jsonrpc": "2.0",\n"id": null, "error": {}\n}'));
  send([1]);
  await end();
  expect(written).toEqual([{ jsonrpc: "2.0", id: null, error: {} }]);
});

it("a stream's messages are passed on as they come, until its client cancels it or the input ends", async () => {
  const cancelled: unknown[] = [];
  const { send, end, written, logged } = start(async ({ id, method }, signal, onMessage) => {
    if (method === "ping") return result(id);
    onMessage(JSON.stringify({ jsonrpc: "2.0", method: "told", params: { id } }));
    if (id === 3) {
      onMessage(`{"jsonrpc": "2.0",\n "id": 3, "result": {}}`);
      return null;
    }
    if (id === 4) return null;
    const { promise, reject } = Promise.withResolvers<null>();
    signal.addEventListener("abort", () => {
      cancelled.push(id);
      reject(new Error("aborted"));
    });
    return promise;
  });
  for (const id of [1, 2, 3, 4]) send(ask(id, "subscriptions/listen"));
  send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  send(ask(5));
  await end();
  expect(cancelled).toEqual([1, 2]);
  const told = (id: number) => ({ method: "told", params: { id } });
  expect(written).toMatchObject([
    told(1),
    told(2),
    told(3),
    { id: 3, result: {} },
    told(4),
    { id: 4, error: { message: "The daemon ended the stream" } },
    { id: 5 },
  ]);
  expect(logged).toEqual([]);
});
