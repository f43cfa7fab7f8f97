import { expect, it } from "vitest";
import { HttpService, json } from "../support/http-service.ts";
import { type Outside, outsideRuntime } from "../support/outside-runtime.ts";

/** What JSON, URLs and forms each write in another way. */
const secret = 'ca"nary\\ secret/0+42';

async function withSecret(input: object): Promise<Outside> {
  const outside = await outsideRuntime();
  await outside.test.control("POST", "/control/secrets/TOKEN", { value: secret });
  await outside.publishCall({ input });
  return outside;
}

/** Everything that is kept and shown of a run, also of what its service was sent. */
async function tellAll({ test }: Outside, input: object): Promise<string> {
  const run = await test.runToEnd("call", input);
  const journal = await test.get(`/runs/${run.run_id}/events`);
  return JSON.stringify([run, journal.body]);
}

const echo = async () =>
  HttpService.start(({ url, body }, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ url, body }));
  });

it("a secret that a service echoes as it stood in an address or in JSON is hidden there as well", async () => {
  const service = await echo();
  const url = `${service.url}/?raw={{secret.TOKEN}}`;
  const outside = await withSecret({ method: "POST", url, body: { key: "{{secret.TOKEN}}" } });
  const told = await tellAll(outside, {});
  expect(service.requests).toMatchObject([
    { url: "/?raw=ca%22nary\\%20secret/0+42", body: JSON.stringify({ key: secret }) },
  ]);
  expect(told).toContain("/?raw=[REDACTED]");
  expect(told).not.toMatch(/nary/);
});

it("a secret that a service echoes as it stood in the fields of a query is hidden there as well", async () => {
  const service = await echo();
  const outside = await withSecret({ method: "GET", url: service.url, query: { key: "{{secret.TOKEN}}" } });
  const told = await tellAll(outside, {});
  expect(service.requests).toMatchObject([{ url: "/?key=ca%22nary%5C+secret%2F0%2B42" }]);
  expect(told).toContain("/?key=[REDACTED]");
  expect(told).not.toMatch(/nary/);
});

it("a secret that is cut in two where a long answer is cut leaves no beginning", async () => {
  const service = await HttpService.start((_, response) => {
    response.writeHead(400, { "content-type": "text/plain" }).end(`${"no ".repeat(1330)}${secret} and more`);
  });
  const told = await tellAll(await withSecret({ method: "GET", url: service.url }), {});
  expect(told).toContain("no no [REDACTED]…");
  expect(told).not.toMatch(/nary/);
});

it("a workspace's secret stays with the service that it was sent to: no redirect takes it to another one", async () => {
  const other = await HttpService.start();
  const first = await HttpService.start(json(307, {}, { location: other.url }));
  const headers = { "x-api-key": "{{secret.TOKEN}}", "x-plain": "stays" };
  const outside = await withSecret({
    method: "POST",
    url: first.url,
    headers,
    body: "{{action_input.body}}",
  });
  expect(await outside.test.runToEnd("call", { body: "plain" })).toMatchObject({ status: "succeeded" });
  expect(first.requests[0]?.headers).toMatchObject({ "x-api-key": secret });
  expect(other.requests[0]?.headers).toMatchObject({ "x-plain": "stays" });
  expect(other.requests[0]?.headers).not.toHaveProperty("x-api-key");
  const refused = await outside.test.runToEnd("call", { body: `key=${secret}` });
  expect(refused).toMatchObject({ status: "failed", error: { code: "VALIDATION_ERROR" } });
  expect(other.requests).toHaveLength(1);
});
