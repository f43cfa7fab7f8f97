import { expect, it } from "vitest";
import type { MintedKey } from "../../src/contract/key.ts";
import { workspaceList } from "../../src/contract/workspace.ts";
import { operations } from "../../src/daemon/operations/index.ts";
import { type TestRuntime, bearer, testRuntime } from "../support/runtime.ts";
import { greet, pass } from "../support/workflows.ts";

async function addWorkspace(runtime: TestRuntime, name: string, tier = "business"): Promise<MintedKey> {
  const made = await runtime.control("POST", "/control/workspaces", { name, tier });
  expect(made).toMatchObject({ status: 200, body: { id: expect.any(Number), name, tier } });
  const key = await runtime.control<MintedKey>(
    "POST",
    "/control/keys",
    { name: "own", scopes: ["actions:read", "actions:run", "runs:read", "approvals:decide", "workflows:write"] },
    { "x-stepgate-workspace": name },
  );
  return key.body;
}

it("workspaces are made once under their name and listed", async () => {
  const runtime = await testRuntime();
  await addWorkspace(runtime, "team", "pro");
  const again = await runtime.control("POST", "/control/workspaces", { name: "team", tier: "free" });
  expect(again).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
  const { body } = await runtime.control("GET", "/control/workspaces");
  expect(workspaceList.parse(body).workspaces.map(({ name, tier }) => [name, tier])).toEqual([
    ["default", "business"],
    ["team", "pro"],
  ]);
});

const refused: [name: string, path: string, body: object, status: number][] = [
  ["a name that is none", "", { name: "A b", tier: "pro" }, 400],
  ["no tier", "", { name: "team" }, 400],
  ["a tier that there is not", "", { name: "team", tier: "gold" }, 400],
  ["an unknown field", "", { name: "team", tier: "pro", plan: 1 }, 400],
  ["another tier of a workspace that there is not", "/nobody/tier", { tier: "pro" }, 404],
  ["another tier that there is not", "/default/tier", { tier: "gold" }, 400],
];

it.each(refused)("%s is refused", async (_, path, body, status) => {
  const runtime = await testRuntime();
  expect((await runtime.control("POST", `/control/workspaces${path}`, body)).status).toBe(status);
});

it("a tier counts from the next request on, for the rate and for minting; keys that are there keep working", async () => {
  const runtime = await testRuntime();
  const limit = async () => (await runtime.get("/actions")).headers.get("x-ratelimit-limit");
  expect(await limit()).toBe("1000");
  await runtime.mintKey();
  const changed = await runtime.control("POST", "/control/workspaces/default/tier", { tier: "free" });
  expect(changed.body).toMatchObject({ name: "default", tier: "free" });
  expect(await limit()).toBe("60");
  expect((await runtime.control("POST", "/control/keys", { name: "one more" })).status).toBe(409);
  await runtime.control("POST", "/control/workspaces/default/tier", { tier: "starter" });
  expect(await limit()).toBe("300");
});

it("a workspace has its own actions and runs, also over the control socket", async () => {
  const runtime = await testRuntime();
  const { secret } = await addWorkspace(runtime, "team");
  await runtime.publish(greet);
  await runtime.post("/actions/greet/run", { input: { name: "Ada" } });
  expect((await runtime.get("/actions", secret)).body["total"]).toBe(0);
  expect((await runtime.get("/runs", secret)).body["total"]).toBe(0);
  const inTeam = { "x-stepgate-workspace": "team" };
  expect((await runtime.control("GET", "/api/v1/runtime/runs", undefined, inTeam)).body["total"]).toBe(0);
  expect((await runtime.control("GET", "/control/keys", undefined, inTeam)).body["keys"]).toHaveLength(1);
  const nowhere = await runtime.control("GET", "/control/keys", undefined, { "x-stepgate-workspace": "nobody" });
  expect(nowhere.status).toBe(404);
});

/** Every operation that takes the id of something, as a caller sends it. */
const idTaking = operations
  .filter(({ route }) => route[1].includes(":"))
  .map(({ name, route: [method, path], scope }) => [name, { method, path, scope }] as const);

const bodies: Readonly<Record<string, object>> = {
  runAction: { input: { name: "Ada" } },
  approveRun: { decision: "approved" },
};

it.each(idTaking)("%s answers for an id of another workspace as for one that there is not", async (name, route) => {
  const runtime = await testRuntime();
  const { secret } = await addWorkspace(runtime, "team");
  await runtime.publish(greet);
  const run = await runtime.runToEnd("greet", { name: "Ada" });
  const send = async (ids: Record<string, string>, key: string) => {
    const query = name === "diffRuns" ? `?with=${ids["run_id"]}` : "";
    const path = route.path.replace(/:(\w+)/g, (_, field: string) => ids[field] ?? "none") + query;
    const body = route.method === "POST" ? JSON.stringify(bodies[name] ?? {}) : null;
    const answer = await runtime.request(route.method, path, { headers: bearer(key), body });
    // The id that was asked for is the caller's own word.
    const text = Object.values(ids).reduce((shown, id) => shown.replaceAll(id, "ID"), await answer.text());
    return [answer.status, text];
  };
  const theirs = await send({ run_id: run.run_id, slug: "greet" }, secret);
  const unknown = await send({ run_id: "01980000-0000-7000-8000-000000000000", slug: "nobody" }, secret);
  expect(theirs).toEqual(unknown);
  expect(theirs[0]).toBe(404);
  // The owner gets another answer, so that the route was the right one.
  expect((await send({ run_id: run.run_id, slug: "greet" }, runtime.secret))[0]).not.toBe(404);
});

it("a run of another workspace cannot be compared with an own one", async () => {
  const runtime = await testRuntime();
  const { secret } = await addWorkspace(runtime, "team");
  await runtime.publish(greet);
  const theirs = await runtime.runToEnd("greet", { name: "Ada" });
  const files = [{ file: "pass.yaml", text: pass }];
  await runtime.control("POST", "/control/publish", { files }, { "x-stepgate-workspace": "team" });
  const { body } = await runtime.post<{ run_id: string }>("/actions/pass/run?wait=60", {}, secret);
  const compare = async (one: string, other: string) =>
    (await runtime.get(`/runs/${one}/diff?with=${other}`, secret)).status;
  expect(await compare(body.run_id, body.run_id)).toBe(200);
  expect(await compare(body.run_id, theirs.run_id)).toBe(404);
  expect(await compare(theirs.run_id, body.run_id)).toBe(404);
});

it("an id of another workspace costs about the time of an unknown one", async () => {
  const runtime = await testRuntime({
    limits: { requestsPerMinute: { free: 1, starter: 1, pro: 1, business: 100_000 } },
  });
  const { secret } = await addWorkspace(runtime, "team");
  await runtime.publish(greet);
  const run = await runtime.runToEnd("greet", { name: "Ada" });
  const time = async (id: string) => {
    const startedAt = performance.now();
    await runtime.get(`/runs/${id}`, secret);
    return performance.now() - startedAt;
  };
  const [theirs, unknown]: [number[], number[]] = [[], []];
  for (let round = 0; round < 400; round++) {
    theirs.push(await time(run.run_id));
    unknown.push(await time("01980000-0000-7000-8000-000000000000"));
  }
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
  // Generous, for a machine that does other things too; a difference in kind, such as reading the run, is far more.
  const ratio = median(theirs) / median(unknown);
  expect(ratio).toBeGreaterThan(0.6);
  expect(ratio).toBeLessThan(1.6);
});

it("a key of one workspace cannot be shown, rotated or revoked from another", async () => {
  const runtime = await testRuntime();
  const { id, secret } = await addWorkspace(runtime, "team");
  for (const [method, path] of [
    ["GET", ""],
    ["POST", "/rotate"],
    ["POST", "/revoke"],
  ] as const) {
    expect((await runtime.control(method, `/control/keys/${id}${path}`)).status).toBe(404);
  }
  expect((await runtime.get("/actions", secret)).status).toBe(200);
});
