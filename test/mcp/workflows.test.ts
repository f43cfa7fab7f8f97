import { describe, expect, it } from "vitest";
import type { RunDetail } from "../../src/contract/run.ts";
import type {
  DeletedWorkflowBody,
  OpenedWorkflow,
  SavedWorkflow,
  WorkflowList,
} from "../../src/contract/workflow-api.ts";
import { callTool, failTool } from "../support/mcp.ts";
import { testRuntime } from "../support/runtime.ts";
import {
  type Data,
  amount,
  create,
  deploy,
  done,
  echo,
  edge,
  hooked,
  input,
  keyFor,
  node,
  paying,
  read,
} from "../support/workflow-tools.ts";
import { greet } from "../support/workflows.ts";

describe("an agent with nothing but tools", () => {
  it("builds a workflow, is told its mistakes, mends them, deploys it, runs it and reads the output", async () => {
    const runtime = await testRuntime();
    const nodes = [
      input(amount),
      node("check", "condition", {
        combinator: "AND",
        conditions: [{ id: "c1", field: "{{action_input.amount}}", operator: "NUMBER_IS_GREATER_THAN", value: 100 }],
      }),
      node("large", "set", { assignments: [{ id: "a1", key: "size", value: "large" }] }),
      node("small", "set", { assignments: [{ id: "a1", key: "size", value: "small" }] }),
      done("{{sizes.size}}"),
    ];
    const edges = [
      edge("action_input", "check"),
      edge("check", "large", "yes"),
      edge("check", "small", "false"),
      edge("large", "done"),
      edge("small", "done"),
    ];
    const draft = { name: "Judge", description: "Judges an amount.", definition: { nodes, edges } };
    const checked = await callTool<SavedWorkflow>(runtime, "create_workflow", { ...draft, validate_only: true });
    expect(checked).toMatchObject({ workflow_id: null, revision: null, type: "callable", valid: false });
    expect(await callTool<WorkflowList>(runtime, "list_workflows")).toMatchObject({ workflows: [], total: 0 });

    const saved = await callTool<SavedWorkflow>(runtime, "create_workflow", draft);
    expect(saved).toMatchObject({ type: "callable", revision: 1, valid: false, errors: checked.errors });
    const { errors, workflow_id: id } = saved;
    const handle = errors.find(({ path }) => path === "/edges/1/sourceHandle");
    expect(handle?.message).toMatch(/yes.*true/s);
    const template = errors.find(({ node_id: owner }) => owner === "done");
    expect(template?.path).toBe("/nodes/4/data/properties/0/value");
    expect(template?.message).toContain("sizes");

    const refused = await failTool(runtime, "deploy_workflow", { workflow_id: id, slug: "judge" });
    expect(refused).toMatchObject({ code: "BAD_REQUEST", error: expect.stringContaining("sizes") });
    expect(refused.details).toEqual(expect.arrayContaining(errors));

    edges[1] = edge("check", "large", "true");
    nodes[4] = done("{{large.size}}{{small.size}}");
    const update = { workflow_id: id, definition: { nodes, edges }, expected_revision: 1 };
    const mended = await callTool<SavedWorkflow>(runtime, "update_workflow", update);
    expect(mended).toMatchObject({ revision: 2, valid: true, errors: [] });

    const deployed = await deploy(runtime, id ?? "", { slug: "judge" });
    expect(deployed).toEqual({
      workflow_id: id,
      version: 1,
      status: "deployed",
      action_slug: "judge",
      inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      outputSchema: { type: "object", properties: { text: { type: "string" } } },
      breaking_changes: [],
    });
    const run = { slug: "judge", input: { amount: 250 }, wait_seconds: 55 };
    const ended = await callTool<RunDetail>(runtime, "run_action", run);
    expect(ended).toMatchObject({ status: "succeeded", output: { text: "large" }, action_release_version: 1 });
  });

  it("is told at save what can't be stored at all, every problem at once", async () => {
    const runtime = await testRuntime();
    const definition = { nodes: [input(), node("old", "transform"), node("bad id", "noop")], edges: [] };
    const refused = await failTool(runtime, "create_workflow", { name: "Old", definition });
    expect(refused).toMatchObject({
      code: "BAD_REQUEST",
      error: expect.stringMatching(/^The definition can't be saved: /),
    });
    const places = (refused.details as { field: string; node_id: string; message: string }[]).map(
      ({ field, node_id: owner }) => `${field} ${owner}`,
    );
    expect(places).toEqual(expect.arrayContaining(["definition.nodes.1.type old", "definition.nodes.2.id bad id"]));
    expect(JSON.stringify(refused.details)).toContain("use set to build fields, or code");
    const answer = await callTool<SavedWorkflow>(runtime, "create_workflow", {
      name: "Old",
      definition,
      validate_only: true,
    });
    expect(answer).toMatchObject({ valid: false, workflow_id: null });
    for (const nothing of [{}, { nodes: "none" }, { nodes: [], edges: [] }]) {
      expect(await failTool(runtime, "create_workflow", { name: "No", definition: nothing })).toMatchObject({
        code: "BAD_REQUEST",
      });
    }
    expect(await callTool<WorkflowList>(runtime, "list_workflows")).toMatchObject({ total: 0 });
  });
});

describe("a draft", () => {
  it("changes without what runs changing, and nobody overwrites what they have not seen", async () => {
    const runtime = await testRuntime();
    const id = await create(runtime, echo, { description: "Echoes." });
    await deploy(runtime, id, { slug: "pay" });
    const before = await read(runtime, id);
    expect(before).toMatchObject({ name: "Pay", description: "Echoes.", action_slug: "pay", deployed_version: 1 });
    const definition = { ...echo, nodes: [input(amount), done("changed")] };
    const change = { workflow_id: id, definition, expected_revision: before.revision };
    const { revision } = await callTool<SavedWorkflow>(runtime, "update_workflow", change);
    expect(revision).toBe(before.revision + 1);
    const stale = await failTool(runtime, "update_workflow", change);
    expect(stale).toMatchObject({ code: "CONFLICT", error: expect.stringContaining(`revision ${revision}, not`) });
    expect((await runtime.runToEnd("pay", { amount: 7 })).output).toEqual({ text: "7" });
    await deploy(runtime, id);
    expect((await runtime.runToEnd("pay", { amount: 7 })).output).toEqual({ text: "changed" });
    expect((await read(runtime, id)).versions).toMatchObject([
      { version: 2, status: "deployed" },
      { version: 1, status: "archived" },
    ]);
    expect((await read(runtime, id, { version: 1 })).definition.nodes[1]).toMatchObject(
      done("{{action_input.amount}}"),
    );
    expect(await failTool(runtime, "get_workflow", { workflow_id: id, version: 3 })).toMatchObject({
      code: "VERSION_NOT_FOUND",
    });
  });

  it("keeps what a change leaves out, and may be given whole", async () => {
    const runtime = await testRuntime();
    const whole = { ...echo, name: "Other", slug: "echo", approval_policy: "always", concurrency: 3 };
    const id = await create(runtime, whole);
    await callTool(runtime, "update_workflow", { workflow_id: id, definition: paying() });
    const { definition, revision } = await read(runtime, id);
    expect(definition).toMatchObject({ name: "Pay", slug: "echo", approval_policy: "always", concurrency: 3 });
    expect(definition.nodes).toHaveLength(3);
    expect(revision).toBe(2);
    expect(await callTool(runtime, "update_workflow", { workflow_id: id })).toMatchObject({ revision: 2, valid: true });
    expect(await deploy(runtime, id)).toMatchObject({ action_slug: "echo" });
  });

  it("never changes its workflow's type", async () => {
    const runtime = await testRuntime();
    const id = await create(runtime);
    const change = { workflow_id: id, definition: hooked };
    const refused = await failTool(runtime, "update_workflow", change);
    expect(refused).toMatchObject({ code: "BAD_REQUEST", error: expect.stringContaining("The workflow is callable") });
    const checked = await callTool<SavedWorkflow>(runtime, "update_workflow", { ...change, validate_only: true });
    expect(checked).toMatchObject({ valid: false, revision: 1, type: "callable" });
    expect(await read(runtime, id)).toMatchObject({ revision: 1, type: "callable" });
  });

  it("is what a file says when the file is published", async () => {
    const runtime = await testRuntime();
    const { published } = await runtime.publish(greet);
    const id = published[0]?.workflow_id ?? "";
    expect(await read(runtime, id)).toMatchObject({ revision: 1, name: "Greet", deployed_version: 1 });
    await callTool(runtime, "update_workflow", { workflow_id: id, name: "Other" });
    await runtime.publish(greet.replace("Hello", "Hi"));
    const { definition, revision } = await read(runtime, id);
    expect([definition.name, JSON.stringify(definition).includes("Hi "), revision]).toEqual(["Greet", true, 3]);
  });

  it("hides a trigger's secret, and keeps it when it comes back hidden", async () => {
    const runtime = await testRuntime();
    const id = await create(runtime, hooked);
    const { definition } = await read(runtime, id);
    expect(definition.nodes[0]?.data["secret"]).toBe("[REDACTED]");
    await callTool(runtime, "update_workflow", { workflow_id: id, definition });
    const kept = runtime.runtime.services.values.of(1).webhooks.get(id)?.get("draft");
    expect(kept).toEqual({ value: { "/nodes/trigger/secret": "s3cr3t-text" } });
  });
});

describe("deploying", () => {
  it("always makes a version, of callable workflows alone", async () => {
    const runtime = await testRuntime();
    const id = await create(runtime);
    expect((await deploy(runtime, id, { slug: "pay" })).version).toBe(1);
    expect((await deploy(runtime, id)).version).toBe(2);
    const event = await create(runtime, hooked);
    expect(await failTool(runtime, "deploy_workflow", { workflow_id: event, slug: "hook" })).toEqual({
      error: "Event-driven workflows cannot be published through the runtime API",
      code: "BAD_REQUEST",
    });
  });

  it("makes a version for each of several that deploy at once", async () => {
    const runtime = await testRuntime();
    const id = await create(runtime, echo, { name: "Together" });
    await deploy(runtime, id, { slug: "together" });
    const deployed = await Promise.all(Array.from({ length: 6 }, () => deploy(runtime, id)));
    expect(deployed.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7]);
    const { versions } = await read(runtime, id);
    expect(versions.filter(({ status }) => status === "deployed")).toMatchObject([{ version: 7 }]);
  });

  it("names the action once and for good", async () => {
    const runtime = await testRuntime();
    const id = await create(runtime);
    const nameless = await failTool(runtime, "deploy_workflow", { workflow_id: id });
    expect(nameless).toMatchObject({ code: "BAD_REQUEST", details: [{ field: "slug" }] });
    expect(await failTool(runtime, "deploy_workflow", { workflow_id: id, slug: "Not One" })).toMatchObject({
      code: "BAD_REQUEST",
    });
    await deploy(runtime, id, { slug: "pay" });
    expect(await failTool(runtime, "deploy_workflow", { workflow_id: id, slug: "other" })).toMatchObject({
      code: "BAD_REQUEST",
      error: "An action's slug cannot be changed",
    });
    const renamed = { workflow_id: id, definition: { slug: "other" } };
    const { errors } = await callTool<SavedWorkflow>(runtime, "update_workflow", renamed);
    expect(errors).toMatchObject([{ path: "/slug", message: expect.stringContaining("it is pay") }]);
    const misnamed = await failTool(runtime, "deploy_workflow", { workflow_id: id });
    const words = "The action's slug is pay: deploy with that slug, or create another workflow";
    expect(misnamed).toMatchObject({ code: "BAD_REQUEST", details: [{ field: "slug", message: words }] });
    expect(await deploy(runtime, id, { slug: "pay" })).toMatchObject({ version: 2, action_slug: "pay" });
    const other = await create(runtime);
    expect(await failTool(runtime, "deploy_workflow", { workflow_id: other, slug: "pay" })).toMatchObject({
      code: "SLUG_TAKEN",
    });
  });

  it("refuses what breaks callers unless it is allowed, and says what it is", async () => {
    const runtime = await testRuntime();
    const id = await create(runtime, paying({}));
    await deploy(runtime, id, { slug: "pay" });
    const renamed = paying({}, [{ name: "amount_eur", type: "number", required: true }]);
    await callTool(runtime, "update_workflow", { workflow_id: id, definition: renamed });
    const refused = await failTool(runtime, "deploy_workflow", { workflow_id: id });
    expect(refused).toMatchObject({ code: "BAD_REQUEST", error: expect.stringContaining("allow_breaking") });
    expect(refused.details).toMatchObject([
      { code: "breaking_change", kind: "removed", field: "amount" },
      { code: "breaking_change", kind: "newly_required", field: "amount_eur" },
    ]);
    const { version, breaking_changes: changes } = await deploy(runtime, id, { allow_breaking: true });
    expect([version, changes.map(({ field }) => field)]).toEqual([2, ["amount", "amount_eur"]]);
  });
});

describe("deleting", () => {
  it("takes the action away, and publishing its slug brings the workflow back", async () => {
    const runtime = await testRuntime();
    const id = await create(runtime);
    await deploy(runtime, id, { slug: "pay" });
    const run = await runtime.runToEnd("pay", { amount: 1 });
    const deleted = await callTool<DeletedWorkflowBody>(runtime, "delete_workflow", { workflow_id: id });
    expect(deleted).toEqual({ workflow_id: id, deleted: true, deleted_action_slug: "pay" });
    expect((await runtime.get("/actions/pay")).body["code"]).toBe("ACTION_NOT_FOUND");
    expect(await failTool(runtime, "run_action", { slug: "pay", input: { amount: 1 } })).toMatchObject({
      code: "ACTION_NOT_FOUND",
    });
    for (const tool of ["get_workflow", "open_workflow", "update_workflow", "deploy_workflow", "delete_workflow"]) {
      expect([tool, (await failTool(runtime, tool, { workflow_id: id })).code]).toEqual([tool, "WORKFLOW_NOT_FOUND"]);
    }
    expect(await callTool(runtime, "list_workflows")).toMatchObject({ total: 0 });
    expect((await runtime.get(`/runs/${run.run_id}`)).body["status"]).toBe("succeeded");
    const next = await create(runtime);
    expect(await deploy(runtime, next, { slug: "pay" })).toMatchObject({ workflow_id: id, version: 2 });
    expect(await callTool<WorkflowList>(runtime, "list_workflows")).toMatchObject({ workflows: [{ workflow_id: id }] });
    expect((await runtime.runToEnd("pay", { amount: 2 })).output).toEqual({ text: "2" });
  });
});

describe("several at once", () => {
  it("each change their own part of a draft, where none of them says which revision it expects", async () => {
    const runtime = await testRuntime();
    const id = await create(runtime);
    const names = ["One", "Two", "Three"];
    const changes = [...names.map((name) => ({ name })), { description: "Pays" }, { definition: paying() }];
    const saved = await Promise.all(
      changes.map((change) => callTool<SavedWorkflow>(runtime, "update_workflow", { workflow_id: id, ...change })),
    );
    expect(saved.map(({ revision }) => revision).toSorted((a, b) => Number(a) - Number(b))).toEqual([2, 3, 4, 5, 6]);
    const { name, description, definition } = await read(runtime, id);
    expect(names).toContain(name);
    expect([description, definition?.nodes.map((each) => each.id)]).toEqual(["Pays", ["action_input", "pay", "done"]]);
  });

  it("a deletion that was answered is not undone by a deploy that had begun before", async () => {
    const runtime = await testRuntime();
    const id = await create(runtime);
    await deploy(runtime, id, { slug: "pay" });
    const [deleted, refused] = await Promise.all([
      callTool<DeletedWorkflowBody>(runtime, "delete_workflow", { workflow_id: id }),
      failTool(runtime, "deploy_workflow", { workflow_id: id }),
    ]);
    expect([deleted.deleted, refused.code]).toEqual([true, "WORKFLOW_NOT_FOUND"]);
    expect((await runtime.get("/actions/pay")).body["code"]).toBe("ACTION_NOT_FOUND");
  });
});

describe("reading", () => {
  it("lists by name, with a query, a type and pages", async () => {
    const runtime = await testRuntime();
    for (const name of ["Zoo", "Ärger", "Bill"]) await create(runtime, echo, { name, description: `About ${name}` });
    await create(runtime, hooked, { name: "Hook" });
    const list = async (args: Data) => {
      const { workflows, total } = await callTool<WorkflowList>(runtime, "list_workflows", args);
      return [workflows.map(({ name }) => name), total];
    };
    expect(await list({})).toEqual([["Bill", "Hook", "Zoo", "Ärger"], 4]);
    expect(await list({ query: "ÄRGER" })).toEqual([["Ärger"], 1]);
    expect(await list({ type: "event_driven" })).toEqual([["Hook"], 1]);
    expect(await list({ limit: "2", offset: 1 })).toEqual([["Hook", "Zoo"], 4]);
  });

  it("opens a workflow: its file, a command and its graph", async () => {
    const runtime = await testRuntime();
    const { published } = await runtime.publish(greet);
    const id = published[0]?.workflow_id ?? "";
    const opened = await callTool<OpenedWorkflow>(runtime, "open_workflow", { workflow_id: id });
    expect(opened).toMatchObject({ workflow_id: id, path: "1.yaml", command: `stepgate workflows graph ${id}` });
    expect(opened.mermaid).toMatch(/^flowchart TD\n[^]*n0 --> n1\n$/);
    const draft = await create(runtime);
    expect(await callTool(runtime, "open_workflow", { workflow_id: draft })).toMatchObject({ path: null });
  });
});

it("an id of another workspace is one that there is not", async () => {
  const runtime = await testRuntime();
  const id = await create(runtime);
  await deploy(runtime, id, { slug: "pay" });
  await runtime.control("POST", "/control/workspaces", { name: "other", tier: "business" });
  const minted = await runtime.control<{ secret: string }>(
    "POST",
    "/control/keys",
    { name: "o", scopes: ["workflows:read", "workflows:write"] },
    { "x-stepgate-workspace": "other" },
  );
  const key = minted.body.secret;
  for (const tool of ["get_workflow", "open_workflow", "update_workflow", "deploy_workflow", "delete_workflow"]) {
    const refused = await failTool(runtime, tool, { workflow_id: id }, { key });
    expect([tool, refused.code]).toEqual([tool, "WORKFLOW_NOT_FOUND"]);
  }
  expect(await callTool(runtime, "list_workflows", {}, { key })).toMatchObject({ workflows: [], total: 0 });
  const own = await callTool<SavedWorkflow>(runtime, "create_workflow", { name: "Own", definition: echo }, { key });
  expect(await deploy(runtime, own.workflow_id ?? "", { slug: "pay" }, key)).toMatchObject({ version: 1 });
  expect(await read(runtime, id)).toMatchObject({ deployed_version: 1, revision: 2 });
});

it("each tool needs its scope", async () => {
  const runtime = await testRuntime();
  const id = await create(runtime);
  const reader = await keyFor(runtime, "workflows:read");
  const writer = await keyFor(runtime, "workflows:write");
  for (const tool of ["get_workflow", "open_workflow", "list_workflows"]) {
    expect(await failTool(runtime, tool, { workflow_id: id }, { key: writer })).toMatchObject({ code: "FORBIDDEN" });
  }
  for (const tool of ["create_workflow", "update_workflow", "deploy_workflow", "delete_workflow"]) {
    expect(await failTool(runtime, tool, { workflow_id: id }, { key: reader })).toMatchObject({ code: "FORBIDDEN" });
  }
  expect(await read(runtime, id)).toMatchObject({ revision: 1 });
});
