import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { toolPath } from "../scripts/pinned-node.mjs";
import { renderApiDocs } from "../scripts/render-api-docs.ts";
import { type OpenApi, describeApi } from "../src/daemon/http/openapi.ts";
import { operations } from "../src/daemon/operations/index.ts";
import { generateClient } from "./support/generate-client.ts";
import { liveDaemon } from "./support/live-daemon.ts";
import { testRuntime } from "./support/runtime.ts";
import { orderHook, publishHook, send } from "./support/webhooks.ts";
import { greet } from "./support/workflows.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const types = fileURLToPath(new URL("../node_modules/@types", import.meta.url));

/** Type-checks a file as strictly as the project's own; what the compiler has against it. */
function compile(folder: string, file: string): string {
  const config = {
    compilerOptions: {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      module: "nodenext",
      target: "esnext",
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      typeRoots: [types],
      types: ["node"],
    },
    files: [file],
  };
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  try {
    execFileSync(process.execPath, [toolPath("tsc"), "-p", folder], { encoding: "utf8", stdio: "pipe" });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

/** The schema of an answer that is described in place. */
function answerSchema({ responses }: Record<string, unknown>, status: string): object {
  type Described = Record<string, { content: Record<string, { schema: object }> }>;
  const found = (responses as Described)[status]?.content["application/json"];
  if (!found) throw new Error(`Nothing describes the answer ${status}`);
  return found.schema;
}

/** What somebody writes against the client: it compiles only when the document says what there is. */
const usage = `import * as client from "./client.ts";

export async function use(options: client.Options) {
  const health = await client.getHealth({ url: options.url });
  const actions = await client.listActions(options);
  if (actions.status !== 200) throw new Error(actions.body.code);
  const slug: string = actions.body.actions[0]?.slug ?? "";
  const header = { "idempotency-key": "once" };
  const started = await client.runAction(options, { path: { slug }, header, query: { wait: 20 }, body: { input: { name: "Ada" } } });
  if (started.status !== 202) throw new Error(started.body.error);
  const run_id: string = started.body.run_id;
  const run = await client.getRun(options, { path: { run_id }, query: { steps: "all" } });
  if (run.status !== 200) throw new Error(run.body.error);
  const total: number = run.body.steps_total;
  const list = await client.listRuns(options, { query: { status: "succeeded", limit: 5 } });
  const events = await client.getRunEvents(options, { path: { run_id } });
  const refused = await client.approveRun(options, { path: { run_id }, body: { decision: "approved" } });
  const code: client.Error["code"] | null = refused.status === 200 ? null : refused.body.code;
  const strangers = await client.listRuns({ url: options.url });
  return { health: health.status, output: run.body.output, total, runs: list.body, events: events.body, code, strangers: strangers.status };
}
`;

it("a client generated from the document that the daemon serves compiles and works", { timeout: 60_000 }, async () => {
  const daemon = await liveDaemon();
  await daemon.publish(greet);
  const answer = await fetch(`${daemon.url}/api/v1/openapi.json`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "client.ts"), generateClient((await answer.json()) as OpenApi));
  writeFileSync(join(folder, "usage.ts"), usage);
  expect(compile(folder, "usage.ts")).toBe("");
  // Seen to fail: a field that the document does not have.
  writeFileSync(join(folder, "wrong.ts"), usage.replace("body.steps_total", "body.steps_sum"));
  expect(compile(folder, "wrong.ts")).toContain("steps_sum");
  const { use } = (await import(/* @vite-ignore */ join(folder, "usage.ts"))) as {
    use(options: { url: string; key: string }): Promise<Record<string, unknown>>;
  };
  expect(await use({ url: daemon.url, key: await daemon.mintKey() })).toEqual({
    health: 200,
    output: { text: "Hello Ada" },
    total: 1,
    runs: expect.objectContaining({ total: 1 }),
    events: expect.objectContaining({ next_after: 2 }),
    code: "BAD_REQUEST",
    strangers: 401,
  });
});

it("answers are what the document says, good ones and refusals", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const api = describeApi(operations, "1.0.0");
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "api", components: api.components });
  const check = (name: string, body: unknown) => {
    const validate = ajv.getSchema(`api#/components/schemas/${name}`);
    if (!validate) throw new Error(`The document has no schema ${name}`);
    expect([name, validate(body), validate.errors]).toEqual([name, true, null]);
  };
  const answerOf = (id: string) => {
    const operation = Object.values(api.paths)
      .flatMap(Object.values)
      .find(({ operationId }) => operationId === id);
    return /schemas\/(\w+)/.exec(JSON.stringify(operation?.responses))?.[1] ?? "";
  };
  const { run_id: id } = await runtime.runToEnd("greet", { name: "Ada" });
  const good: [id: string, answer: Promise<{ status: number; body: unknown }>][] = [
    ["listActions", runtime.get("/actions")],
    ["getAction", runtime.get("/actions/greet")],
    ["runAction", runtime.post("/actions/greet/run", { input: { name: "Ada" } })],
    ["listRuns", runtime.get("/runs")],
    ["getRun", runtime.get(`/runs/${id}`)],
    ["getRunEvents", runtime.get(`/runs/${id}/events`)],
    ["replayRun", runtime.post(`/runs/${id}/replay`, { from: "start" })],
    ["previewReplay", runtime.post(`/runs/${id}/replay/preview`, {})],
  ];
  for (const [name, answer] of good) {
    const { status, body } = await answer;
    expect([name, status < 300]).toEqual([name, true]);
    check(answerOf(name), body);
  }
  check("Error", (await runtime.get("/runs?limit=0")).body);
  check("Error", (await runtime.get("/runs", "nobody")).body);
  check("Error", (await runtime.post("/actions/greet/run", {})).body);
});

it("the document names every operation with its scope, and nothing in it refers to what is not there", () => {
  const api = describeApi(operations, "1.0.0");
  for (const { name, scope, route } of operations) {
    const path = `/api/v1/runtime${route[1].replaceAll(/:(\w+)/g, "{$1}")}`;
    expect(api.paths[path]?.[route[0].toLowerCase()]).toMatchObject({
      operationId: name,
      security: [{ apiKey: [scope] }],
      responses: {
        [route[2]]: expect.anything(),
        401: expect.anything(),
        403: expect.anything(),
        429: expect.anything(),
      },
    });
  }
  const references = [...JSON.stringify(api).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = ""]) => path);
  for (const path of new Set(references)) {
    const found = path.split("/").reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], api);
    expect([path, typeof found]).toEqual([path, "object"]);
  }
});

it("the document has the webhooks, which take no key and answer as it says", async () => {
  const runtime = await testRuntime();
  const { path } = await publishHook(runtime, orderHook());
  const operation = describeApi(operations, "1.0.0").paths["/webhooks/{subscription_id}"]?.["post"];
  expect(operation).toMatchObject({ security: [], responses: { 401: expect.anything(), 504: expect.anything() } });
  const schema = answerSchema(operation ?? {}, "202");
  const validate = new Ajv2020({ validateFormats: false }).compile(schema);
  expect([validate((await send(runtime, path)).body), validate({})]).toEqual([true, false]);
});

it("the document has what is answered beside the good case: no readiness, no room, an earlier run, a stream's place", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const { paths, components } = describeApi(operations, "1.0.0");
  const described = (path: string, method = "get") => paths[path]?.[method]?.["responses"];
  runtime.runtime.beginStop();
  for (const path of ["/readyz", "/healthz"]) {
    const { status } = await runtime.runtime.runtimeApp(new Request(`http://127.0.0.1:7717${path}`));
    expect(described(path)).toHaveProperty(String(status));
  }
  expect(described("/metrics")).toHaveProperty("403");
  // 256 answers may be kept open; the next one is refused with 503.
  expect(described("/api/v1/runtime/runs/{run_id}")).toHaveProperty("503");
  expect(described("/api/v1/runtime/runs/{run_id}/events")).toHaveProperty("503");
  expect(described("/api/v1/runtime/runs")).not.toHaveProperty("503");
  const header = "idempotent-replayed";
  const started = described("/api/v1/runtime/actions/{slug}/run", "post");
  expect(started).toMatchObject({ 202: { headers: { [header]: { $ref: `#/components/headers/${header}` } } } });
  expect(components["headers"]).toHaveProperty(header);
  const parameters = paths["/api/v1/runtime/runs/{run_id}/events"]?.["get"]?.["parameters"];
  expect(parameters).toContainEqual(expect.objectContaining({ name: "last-event-id", in: "header" }));
});

it("docs/api.md is what scripts/write-api-docs.ts writes", () => {
  const committed = readFileSync(new URL("../docs/api.md", import.meta.url), "utf8");
  expect(committed).toBe(renderApiDocs(operations));
});
