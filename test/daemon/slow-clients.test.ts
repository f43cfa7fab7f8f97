import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createLog } from "../../src/daemon/log.ts";
import { type ServerBounds, serveTcp } from "../../src/daemon/http/server.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";

/** The daemon's own bounds are 10 s and 30 s; the ratio is what counts here. */
const bounds: ServerBounds = {
  headersTimeout: 400,
  requestTimeout: 900,
  connectionsCheckingInterval: 50,
  maxConnections: 512,
};

const host = "Host: 127.0.0.1:7717\r\n";

async function serve(changes: Partial<ServerBounds> = {}) {
  const runtime = await testRuntime();
  const log = createLog({ format: "json", level: "warn", write: (line) => runtime.logged.push(line) });
  const place = { host: "127.0.0.1", port: 0 };
  const server = await serveTcp(runtime.runtime.runtimeApp, place, log, { ...bounds, ...changes });
  onTestFinished(() => server.close());
  return { runtime, port: server.port };
}

async function open(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

/** Writes a byte every now and then until the other side has had enough; how long that took and what it said. */
async function drip(socket: Socket): Promise<{ ms: number; answer: string }> {
  const startedAt = performance.now();
  const answer = text(socket);
  while (!socket.closed && !socket.readableEnded) {
    if (socket.writable) socket.write("x");
    await Promise.race([answer, setTimeout(50)]);
  }
  return { ms: performance.now() - startedAt, answer: await answer };
}

function post({ secret }: TestRuntime, length: number): string {
  const head = `POST /api/v1/runtime/actions/a/run HTTP/1.1\r\n${host}Authorization: Bearer ${secret}\r\n`;
  return `${head}Content-Length: ${length}\r\n\r\n{`;
}

it("a client that sends its headers byte by byte is cut off with 408, in the shape of every error", async () => {
  const { port, runtime } = await serve();
  const { ms, answer } = await drip(await open(port, `GET /healthz HTTP/1.1\r\n${host}X-Slow: `));
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(JSON.parse(answer.slice(answer.indexOf("{")))).toEqual({ error: expect.any(String), code: "BAD_REQUEST" });
  expect(ms).toBeLessThan(1_500);
  expect(runtime.logged).toEqual([]);
});

it("a client that sends its body byte by byte is cut off, and that is no error of the daemon's", async () => {
  const { port, runtime } = await serve();
  const { ms, answer } = await drip(await open(port, post(runtime, 10_000)));
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(ms).toBeLessThan(3_000);
  await runtime.settled();
  expect(runtime.logged).toEqual([]);
});

it("a client that leaves in the middle of its body is no error of the daemon's", async () => {
  const { port, runtime } = await serve();
  const socket = await open(port, post(runtime, 10_000));
  await setTimeout(100);
  socket.destroy();
  await setTimeout(100);
  expect(runtime.logged).toEqual([]);
});

it("a client whose body of unknown length is refused as too large is told that its connection ends", async () => {
  const { port, runtime } = await serve();
  const chunk = `100001\r\n${"x".repeat(0x10_00_01)}\r\n`;
  const head = `POST /api/v1/runtime/actions/a/run HTTP/1.1\r\n${host}Authorization: Bearer ${runtime.secret}\r\n`;
  const answer = await text(await open(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`));
  expect(answer).toMatch(/^HTTP\/1.1 413 .*\r\nconnection: close\r\n/is);
});

it("a client may keep its connection idle for a minute, and is told so", async () => {
  const { port } = await serve();
  const socket = await open(port, `GET /healthz HTTP/1.1\r\n${host}\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  expect(head.toString()).toMatch(/\r\nkeep-alive: timeout=65\r\n/i);
});

it("five hundred slow clients neither hold up a quick one nor stay", async () => {
  const { port } = await serve();
  const slow = await Promise.all(Array.from({ length: 500 }, () => open(port, "GET / HTTP/1.1\r\nX-Slow: ")));
  const startedAt = performance.now();
  const quick = await open(port, `GET /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
  expect(await text(quick)).toMatch(/^HTTP\/1.1 200 /);
  expect(performance.now() - startedAt).toBeLessThan(300);
  await Promise.all(slow.map(async (socket) => text(socket)));
});

it("connections beyond the bound are not taken, and room is made when one leaves", async () => {
  const { port } = await serve({ maxConnections: 3 });
  const ask = `GET /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
  const held = await Promise.all([1, 2, 3].map(() => open(port, "GET / HTTP/1.1\r\n")));
  const refused = await open(port, ask);
  expect(await text(refused).catch(() => "")).toBe("");
  held[0]?.destroy();
  await setTimeout(100);
  expect(await text(await open(port, ask))).toMatch(/^HTTP\/1.1 200 /);
});

const tooMuch: [name: string, head: string, status: number][] = [
  ["headers beyond 16 KiB", `X-Long: ${"x".repeat(17_000)}\r\n`, 431],
  ["five thousand headers", Array.from({ length: 5_000 }, (_, n) => `X-${n}: 1\r\n`).join(""), 431],
];

it.each(tooMuch)("%s are refused", async (_, head, status) => {
  const { port } = await serve();
  const answer = await text(await open(port, `GET /healthz HTTP/1.1\r\n${host}${head}Connection: close\r\n\r\n`));
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

it("a connection that a client keeps after a held answer does not hold the stop up", async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: held, resolve: give } = Promise.withResolvers<void>();
  const app = async () => {
    ask();
    await held;
    return new Response("{}");
  };
  const log = createLog({ format: "json", level: "warn", write: () => undefined });
  const server = await serveTcp(app, { host: "127.0.0.1", port: 0 }, log);
  const answer = text(await open(server.port, `GET / HTTP/1.1\r\n${host}\r\n`));
  await asked;
  const startedAt = performance.now();
  const closed = server.close();
  give();
  await closed;
  // Answers in progress have 2 s.
  expect(performance.now() - startedAt).toBeLessThan(1_500);
  expect(await answer).toMatch(/\{\}$/);
});
