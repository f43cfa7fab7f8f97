import { expect, it } from "vitest";
import { callTool, modernRequest, request } from "../support/mcp.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { create, keyFor } from "../support/workflow-tools.ts";
import { greet, pass } from "../support/workflows.ts";

const prompt = { type: "ref/prompt", name: "debug_run" };
const template = (uri: string) => ({ type: "ref/resource", uri });

async function complete(runtime: TestRuntime, ref: object, name: string, value: string, key = runtime.secret) {
  const { body } = await request(runtime, "completion/complete", { ref, argument: { name, value } }, { key });
  return body.result?.["completion"] ?? body.error;
}

it("run ids, slugs and workflow ids are completed for prompts and templates", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  await runtime.publish(pass);
  const { run_id: runId } = await callTool<{ run_id: string }>(runtime, "run_action", { slug: "pass" });
  const workflowId = await create(runtime);
  const found = (...values: string[]) => ({ values, total: values.length, hasMore: false });
  expect(await complete(runtime, prompt, "run_id", runId.slice(0, 8).toUpperCase())).toEqual(found(runId));
  expect(await complete(runtime, prompt, "run_id", "zzz")).toEqual(found());
  expect(await complete(runtime, template("run://{run_id}/journal"), "run_id", "")).toEqual(found(runId));
  expect(await complete(runtime, template("action://{slug}"), "slug", "")).toEqual(found("greet", "pass"));
  expect(await complete(runtime, template("action://{slug}"), "slug", "gr")).toEqual(found("greet"));
  expect(await complete(runtime, template("workflow://{workflow_id}"), "workflow_id", workflowId)).toEqual(
    found(workflowId),
  );
  // A goal is anything at all.
  expect(await complete(runtime, { type: "ref/prompt", name: "build_workflow" }, "goal", "x")).toEqual(found());
  const modern = await modernRequest(runtime, "completion/complete", {
    ref: prompt,
    argument: { name: "run_id", value: "" },
  });
  expect(modern.body.result).toMatchObject({ resultType: "complete", completion: found(runId) });
});

it("says that there is more than it looked at, and does not count that", async () => {
  const runtime = await testRuntime();
  await runtime.publish(pass);
  const run = async () =>
    callTool<{ run_id: string }>(runtime, "run_action", { slug: "pass", input: {}, dry_run: true });
  const { run_id: oldest } = await run();
  await Promise.all(Array.from({ length: 100 }, run));
  const all = await complete(runtime, template("run://{run_id}"), "run_id", "");
  expect(all).toEqual({ values: expect.any(Array), hasMore: true });
  expect((all as { values: string[] }).values).toHaveLength(100);
  expect(await complete(runtime, template("run://{run_id}"), "run_id", oldest)).toEqual({ values: [], hasMore: true });
});

it("nobody is shown what their key may not list, and what there is not is refused", async () => {
  const runtime = await testRuntime();
  await runtime.publish(pass);
  await callTool(runtime, "run_action", { slug: "pass" });
  const key = await keyFor(runtime, "actions:read");
  expect(await complete(runtime, template("run://{run_id}"), "run_id", "", key)).toMatchObject({ code: -32602 });
  expect(await complete(runtime, prompt, "run_id", "", key)).toMatchObject({ code: -32602 });
  const refs: [object, string][] = [
    [{ type: "ref/prompt", name: "none" }, "run_id"],
    [template("run://x"), "run_id"],
    [prompt, "slug"],
    [prompt, "__proto__"],
    [{ type: "ref/other" }, "run_id"],
  ];
  for (const [ref, name] of refs) expect(await complete(runtime, ref, name, "")).toMatchObject({ code: -32602 });
  const { body } = await request(runtime, "completion/complete", { ref: prompt, argument: { name: "run_id" } });
  expect(body.error).toMatchObject({ code: -32602 });
});
