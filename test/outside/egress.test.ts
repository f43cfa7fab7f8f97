import { networkInterfaces } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import type { EgressSettings } from "../../src/contract/outside.ts";
import { type EgressOptions, createEgress } from "../../src/daemon/egress/create-egress.ts";
import type { ResolveName } from "../../src/daemon/egress/guarded-agent.ts";
import { CallError } from "../../src/engine/calls/call-error.ts";
import { HttpService, json } from "../support/http-service.ts";

type Rights = { settings: Record<string, boolean>; secrets: Record<string, string> };

function openEgress(settings: Partial<EgressSettings> = {}, options: Partial<EgressOptions> = {}) {
  const egress = createEgress({
    settings: { allow: [], allowPrivateNetworks: false, ...settings },
    ownPort: () => null,
    ...options,
  });
  onTestFinished(() => egress.close());
  return (url: string, init?: RequestInit, rights: Rights | null = null) => egress.fetchFor(rights)(url, init);
}

async function failureOf(call: Promise<Response>): Promise<{ code: string; message: string }> {
  try {
    await (await call).arrayBuffer();
  } catch (error) {
    if (error instanceof CallError) return error.failure;
    throw error;
  }
  throw new Error("The call was made");
}

/** Every name has the address of this machine. */
const toLoopback: ResolveName = async () => [{ address: "127.0.0.1", family: 4 }];
const privately: Rights = { settings: { allowPrivateNetwork: true }, secrets: {} };

/** The spellings of research/reliability.md 2.2 and their relatives; PORT is where the service listens. */
const spellings = [
  "http://127.0.0.1:PORT/",
  "http://127.1:PORT/",
  "http://127.0.1:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f000001:PORT/",
  "http://0x7f.1:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://017700000001:PORT/",
  "http://①②⑦.⓪.⓪.①:PORT/",
  "http://127。0。0。1:PORT/",
  "http://127.0.0.1.:PORT/",
  "http://user@127.0.0.1:PORT/",
  "http://evil.com@127.0.0.1:PORT/",
  "http://127.0.0.1:PORT\\@evil.com/",
  "http:127.0.0.1:PORT/",
  "http:/127.0.0.1:PORT/",
  "http://0:PORT/",
  "http://0.0.0.0:PORT/",
  "http://[::1]:PORT/",
  "http://[::]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::ffff:7f00:1]:PORT/",
  "http://[0:0:0:0:0:ffff:7f00:0001]:PORT/",
  "http://[::7f00:1]:PORT/",
  "http://[64:ff9b::7f00:1]:PORT/",
  "http://[2002:7f00:1::]:PORT/",
  "http://localhost:PORT/",
  "http://LOCALHOST.:PORT/",
  "http://foo.localhost:PORT/",
  "http://127.0.0.1.nip.io:PORT/",
  "http://rebound.example:PORT/",
  "http://127.%30.0.1:PORT/",
];

it.each(spellings)("the spelling %s of this machine is refused without a connection", async (spelling) => {
  const service = await HttpService.start();
  const call = openEgress({}, { resolveName: toLoopback });
  const failure = await failureOf(call(spelling.replace("PORT", String(service.port))));
  expect(failure).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("refused") });
  expect(service.connections).toBe(0);
});

const untouchable = [
  ["169.254.169.254", "link-local"],
  ["[fe80::1]", "link-local"],
  ["[::ffff:169.254.169.254]", "link-local"],
  ["[64:ff9b::a9fe:a9fe]", "behind a translation"],
  ["[2002:a9fe:a9fe::]", "behind a translation"],
  ["[fd00:ec2::254]", "metadata"],
  ["100.100.100.200", "metadata"],
  ["168.63.129.16", "metadata"],
  ["0.0.0.0", "reserved"],
  ["[::]", "reserved"],
  ["224.0.0.1", "reserved"],
  ["[ff02::1]", "reserved"],
  ["255.255.255.255", "reserved"],
  ["240.0.0.1", "reserved"],
  ["192.0.2.1", "reserved"],
  ["[2001:db8::1]", "reserved"],
] as const;

it.each(untouchable)("%s is called by nobody, whatever is allowed (%s)", async (host, what) => {
  const allow = [host, "169.254.0.0/16", "0.0.0.0/0", "[::]/0"];
  const call = openEgress({ allow, allowPrivateNetworks: true });
  expect((await failureOf(call(`http://${host}:8080/`, {}, privately))).message).toContain(what);
});

const privates = ["10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "[fd12::1]", "[fec0::1]", "127.9.9.9"];

it.each(privates)("%s is private: refused unless somebody allows it", async (host) => {
  expect((await failureOf(openEgress()(`http://${host}:8080/`))).message).toContain("egress.allow");
});

it("a connection, a listed address with its port, a listed name, a network, and the setting for all allow private addresses", async () => {
  const service = await HttpService.start();
  const at = (host: string) => `http://${host}:${service.port}/`;
  const statusOf = async (call: Promise<Response>) => (await call).status;
  expect(await statusOf(openEgress()(at("127.0.0.1"), {}, privately))).toBe(200);
  expect(await statusOf(openEgress({ allow: [service.place] })(at("127.0.0.1")))).toBe(200);
  expect(await statusOf(openEgress({ allow: ["127.0.0.0/8"] })(at("127.0.0.1")))).toBe(200);
  expect(await statusOf(openEgress({ allowPrivateNetworks: true })(at("localhost")))).toBe(200);
  const named = openEgress({ allow: [`vectors.test:${service.port}`] }, { resolveName: toLoopback });
  expect(await statusOf(named(at("vectors.test")))).toBe(200);
  expect((await failureOf(named(at("other.test")))).message).toContain("loopback");
  expect((await failureOf(openEgress({ allow: ["127.0.0.1:1"] })(at("127.0.0.1")))).message).toContain("loopback");
  expect((await failureOf(openEgress({ allow: ["127.0.0.2"] })(at("127.0.0.1")))).message).toContain("loopback");
});

it.each(["http://127.0.0.1/", "10.0.0.0/33", "localhost/8", "[::1]/129", "127.0.0.1:70000", ""])(
  "the entry %j of egress.allow is no address, and is named",
  (entry) => {
    expect(() => openEgress({ allow: [entry] })).toThrow(`${JSON.stringify(entry)} is no address`);
  },
);

it("the daemon's own port is reached by nobody, on no address of this machine", async () => {
  const service = await HttpService.start(undefined, "0.0.0.0");
  const all = { allowPrivateNetworks: true, allow: [service.place] };
  const call = openEgress(all, { ownPort: () => service.port });
  const own = Object.values(networkInterfaces()).flatMap(
    (list) => list?.filter(({ family }) => family === "IPv4") ?? [],
  );
  for (const host of ["127.0.0.1", "localhost", "127.0.0.2", ...own.map(({ address }) => address)]) {
    expect((await failureOf(call(`http://${host}:${service.port}/`, {}, privately))).message).toMatch(
      /daemon itself|reserved/,
    );
  }
  expect(service.connections).toBe(0);
});

it("a name that changes its address between check and connect, or from one call to the next, reaches nothing forbidden", async () => {
  const closing = json(200, {}, { connection: "close" });
  const allowed = await HttpService.start(closing);
  const forbidden = await HttpService.start(closing, "127.0.0.2", allowed.port);
  let lookups = 0;
  // Allowed when it is looked up first, forbidden ever after: a guard that checks one lookup and connects by another is lost.
  const flip: ResolveName = async () => {
    lookups += 1;
    return [{ address: lookups === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
  };
  const call = openEgress({ allow: [allowed.place] }, { resolveName: flip });
  expect((await call(`http://flip.example:${allowed.port}/`)).status).toBe(200);
  for (let calls = 2; calls <= 4; calls += 1) {
    expect((await failureOf(call(`http://flip.example:${allowed.port}/`))).message).toContain("127.0.0.2");
    expect(lookups).toBe(calls);
  }
  expect([allowed.connections, forbidden.connections]).toEqual([1, 0]);
});

it("of a name with public and private addresses the private ones are left out", async () => {
  const service = await HttpService.start();
  const mixed: ResolveName = async () => [
    { address: "10.0.0.1", family: 4 },
    { address: "127.0.0.1", family: 4 },
  ];
  const call = openEgress({ allow: [service.place] }, { resolveName: mixed });
  expect((await call(`http://mixed.test:${service.port}/`)).status).toBe(200);
});

it.each(["ftp://127.0.0.1/", "file:///etc/passwd", "data:text/plain,hello", "javascript:1", "no address"])(
  "%s is nothing to call",
  async (url) => {
    expect(await failureOf(openEgress()(url))).toMatchObject({ code: "VALIDATION_ERROR" });
  },
);

it("a redirect to a forbidden address is refused before a connection, from wherever it comes", async () => {
  const inner = await HttpService.start();
  const outer = await HttpService.start();
  const call = openEgress({ allow: [outer.place] });
  for (const status of [301, 302, 303, 307, 308]) {
    outer.answer = json(status, {}, { location: `http://127.0.0.1:${inner.port}/secret` });
    await failureOf(call(outer.url));
    outer.answer = json(status, {}, { location: `http://user:pass@${outer.place}/` });
    await failureOf(call(outer.url));
  }
  expect(inner.connections).toBe(0);
});

it("three redirects are followed and a fourth is not", async () => {
  const service = await HttpService.start(({ url }, response) => {
    const left = Number(url.slice(1));
    if (left === 0) response.end("there");
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  const call = openEgress({ allow: [service.place] });
  const arrived = await call(`${service.url}/3`);
  expect([await arrived.text(), arrived.url]).toEqual(["there", `${service.url}/0`]);
  expect((await failureOf(call(`${service.url}/4`))).message).toContain("more than 3 times");
});

const methods = [
  ["POST", 301, "GET", ""],
  ["POST", 302, "GET", ""],
  ["PUT", 301, "PUT", "body"],
  ["POST", 303, "GET", ""],
  ["DELETE", 303, "GET", ""],
  ["POST", 307, "POST", "body"],
  ["PATCH", 308, "PATCH", "body"],
] as const;

it.each(methods)("a %s that is redirected with %i becomes a %s", async (method, status, expected, body) => {
  const service = await HttpService.start(({ url }, response) =>
    url === "/" ? response.writeHead(status, { location: "/next" }).end() : response.end(),
  );
  await openEgress({ allow: [service.place] })(service.url, { method, body: method === "DELETE" ? null : "body" });
  expect(service.requests[1]).toMatchObject({ method: expected, body });
  expect("content-type" in (service.requests[1]?.headers ?? {})).toBe(body !== "");
});

it("credentials stay with their origin: no header and no body with one crosses to another", async () => {
  const other = await HttpService.start();
  const first = await HttpService.start();
  const call = openEgress({ allow: [first.place, other.place] });
  const rights = { settings: {}, secrets: { api_key: "key-of-the-first" } };
  const headers = { authorization: "Bearer t", cookie: "a=b", "x-api-key": "key-of-the-first", "x-plain": "stays" };
  first.answer = json(302, {}, { location: other.url });
  await call(first.url, { headers }, rights);
  const sent = other.requests[0]?.headers ?? {};
  expect(sent).toMatchObject({ "x-plain": "stays" });
  expect(["authorization", "cookie", "x-api-key"].filter((name) => name in sent)).toEqual([]);
  first.answer = json(307, {}, { location: other.url });
  await failureOf(call(first.url, { method: "POST", body: "key=key-of-the-first" }, rights));
  expect(other.requests).toHaveLength(1);
  // Within the origin everything goes along.
  first.answer = ({ url }, response) =>
    url === "/" ? response.writeHead(302, { location: "/again" }).end() : response.end();
  await call(first.url, { headers }, rights);
  expect(first.requests.at(-1)?.headers).toMatchObject({ authorization: "Bearer t", "x-api-key": "key-of-the-first" });
});

it("an answer of more than 5 MiB is cut off, whether or not it says how long it is, also when it is compressed", async () => {
  const { gzipSync } = await import("node:zlib");
  const limit = 5 * 1024 * 1024;
  const service = await HttpService.start();
  const call = openEgress({ allow: [service.place] });
  service.answer = (_, response) => void response.end(Buffer.alloc(limit));
  expect((await (await call(service.url)).arrayBuffer()).byteLength).toBe(limit);
  const bomb = gzipSync(Buffer.alloc(limit + 1));
  for (const answer of [
    (response: Parameters<HttpService["answer"]>[1]) => response.end(Buffer.alloc(limit + 1)),
    (response: Parameters<HttpService["answer"]>[1]) => {
      response.write(Buffer.alloc(limit));
      response.end("x");
    },
    (response: Parameters<HttpService["answer"]>[1]) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
  ]) {
    service.answer = (_, response) => {
      answer(response);
    };
    expect((await failureOf(call(service.url))).message).toContain("longer than 5 MiB");
  }
});

it("proxy settings of the environment are not heeded", async () => {
  const proxy = await HttpService.start();
  const service = await HttpService.start();
  for (const name of ["http_proxy", "HTTP_PROXY", "all_proxy"]) process.env[name] = proxy.url;
  onTestFinished(() => {
    for (const name of ["http_proxy", "HTTP_PROXY", "all_proxy"]) delete process.env[name];
  });
  await openEgress({ allow: [service.place] })(service.url);
  expect([proxy.connections, service.requests.length]).toEqual([0, 1]);
});

it("a port of another protocol is a connection that fails, where the address may be called at all", async () => {
  for (const port of [1, 25, 6667]) {
    const call = (rights: Rights | null, host = "127.0.0.1") =>
      failureOf(openEgress({}, { resolveName: toLoopback })(`http://${host}:${port}/`, {}, rights));
    expect(await call(privately)).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(await call(privately, "vectors.test")).toMatchObject({ code: "UPSTREAM_ERROR" });
    for (const host of ["127.0.0.1", "[::1]", "vectors.test"]) {
      const refused = { code: "VALIDATION_ERROR", message: expect.stringContaining("is a loopback address") };
      expect(await call(null, host)).toMatchObject(refused);
    }
  }
});

it("an abort closes the socket, while waiting for the answer and in the middle of it", async () => {
  const service = await HttpService.start((request, response) => {
    if (request.url === "/half") response.write("half of it");
  });
  const call = openEgress({ allow: [service.place] });
  for (const path of ["/never", "/half"]) {
    const abort = new AbortController();
    const answer = call(service.url + path, { signal: abort.signal }).then((response) => response.text());
    const seen = answer.catch((error: unknown) => error);
    while (service.open === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => setTimeout(resolve, 20));
    abort.abort(new Error("enough"));
    expect(await seen).toMatchObject({ message: "enough" });
    while (service.open > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }
});

it("what breaks a call is told by its code: refused, closed, garbage", async () => {
  const service = await HttpService.start();
  const call = openEgress({ allow: ["127.0.0.1"] });
  service.answer = (_, __, socket) => socket.destroy();
  expect(await failureOf(call(service.url))).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
  service.answer = (_, response, socket) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
    setTimeout(() => socket.destroy(), 10);
  };
  expect(await failureOf(call(service.url))).toMatchObject({ code: "UPSTREAM_ERROR" });
  service.answer = (_, __, socket) => socket.end("this is no HTTP\r\n\r\n");
  expect(await failureOf(call(service.url))).toMatchObject({ code: "UNKNOWN" });
  await service.stop();
  const refused = await failureOf(call(service.url));
  expect(refused).toMatchObject({ code: "UPSTREAM_ERROR", message: expect.stringContaining("refused the connection") });
});
