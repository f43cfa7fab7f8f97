import { expect, it } from "vitest";
import type { PublishResult } from "../../src/contract/control.ts";
import { setWebhookSecrets, webhookSecretsOf } from "../../src/engine/webhook-secrets.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { callTool } from "../support/mcp.ts";
import { create } from "../support/workflow-tools.ts";

const hook = (data: string) => `
name: Hook
nodes:
  - {id: trigger, type: trigger, data: {kind: webhook, ${data}}}
  - {id: a, type: noop}
edges: [trigger -> a]
`;

const secretsOf = async (test: TestRuntime, workflowId: string) =>
  webhookSecretsOf(test.runtime.services, 1, workflowId);

async function publishHook(test: TestRuntime, data: string) {
  const { published, unchanged } = await test.publish(hook(data), { files: [{ file: "hook.yaml", text: hook(data) }] });
  const row = published[0] ?? unchanged[0];
  if (!row) throw new Error("Nothing was published");
  return { id: row.workflow_id, isNew: published.length > 0 };
}

it("a literal secret is moved out of the definition; the same file again is unchanged, another secret is a version", async () => {
  const test = await testRuntime();
  const { id } = await publishHook(test, "secret: canary-literal");
  expect(await secretsOf(test, id)).toEqual(["canary-literal"]);
  const stored = JSON.stringify([await test.store.findDeployedVersion(id), await test.store.findDraft(id)]);
  expect(stored).toContain('"secret":"[REDACTED]"');
  expect(stored).not.toContain("canary-literal");
  expect(await publishHook(test, "secret: canary-literal")).toEqual({ id, isNew: false });
  await test.restart();
  expect(await publishHook(test, "secret: canary-literal")).toEqual({ id, isNew: false });
  // What was exported, with its secret hidden, is the same too.
  expect(await publishHook(test, 'secret: "[REDACTED]"')).toEqual({ id, isNew: false });
  expect(await publishHook(test, "secrets: [canary-new, canary-literal]")).toEqual({ id, isNew: true });
  expect(await secretsOf(test, id)).toEqual(["canary-new", "canary-literal"]);
  expect(await publishHook(test, "secrets: [canary-newer, canary-literal]")).toEqual({ id, isNew: true });
  expect(await secretsOf(test, id)).toEqual(["canary-newer", "canary-literal"]);
});

it("a template is resolved when it is asked for; one that can't be resolved is an error, never no secret", async () => {
  const test = await testRuntime();
  const { id } = await publishHook(test, 'secret: "{{secret.HOOK}}"');
  await expect(secretsOf(test, id)).rejects.toThrow("The workspace has no secret HOOK");
  await test.control("POST", "/control/secrets/HOOK", { value: "one" });
  expect(await secretsOf(test, id)).toEqual(["one"]);
  await test.control("POST", "/control/secrets/HOOK", { value: "two" });
  expect(await secretsOf(test, id)).toEqual(["two"]);
  const empty = await publishHook(test, 'secret: "{{var.NOTHING}}"');
  await expect(secretsOf(test, empty.id)).rejects.toThrow(/webhook secret/);
  const open = await publishHook(test, "respondMode: immediate");
  expect(await secretsOf(test, open.id)).toEqual([]);
});

it("what a command sets wins until the definition says another secret, and is gone with null", async () => {
  const test = await testRuntime();
  const { services } = test.runtime;
  const { id } = await publishHook(test, "secret: literal");
  await setWebhookSecrets(services, 1, id, ["new", "literal"]);
  expect(await secretsOf(test, id)).toEqual(["new", "literal"]);
  expect(await publishHook(test, "secret: literal")).toEqual({ id, isNew: false });
  await publishHook(test, "secret: literal, respondMode: immediate");
  await test.restart();
  expect(await secretsOf(test, id)).toEqual(["new", "literal"]);
  await setWebhookSecrets(test.runtime.services, 1, id, []);
  expect(await secretsOf(test, id)).toEqual([]);
  await setWebhookSecrets(test.runtime.services, 1, id, null);
  expect(await secretsOf(test, id)).toEqual(["literal"]);
  await setWebhookSecrets(test.runtime.services, 1, id, ["set"]);
  await publishHook(test, "secret: another");
  expect(await secretsOf(test, id)).toEqual(["another"]);
});

it("a hidden secret that nobody has is a failure with its place", async () => {
  const test = await testRuntime();
  const request = { files: [{ file: "hook.yaml", text: hook('secret: "[REDACTED]"') }] };
  const { failed } = (await test.control<PublishResult>("POST", "/control/publish", request)).body;
  expect(failed[0]?.issues).toMatchObject([
    { code: "hidden_secret", path: "/nodes/0/data/secret", line: 4, message: expect.stringContaining("none to keep") },
  ]);
});

it("a literal secret in an agent's draft is sealed too, and stays through a change that was not shown it", async () => {
  const test = await testRuntime();
  const nodes = [
    { id: "trigger", type: "trigger", data: { kind: "webhook", secret: "canary-draft" } },
    { id: "a", type: "noop" },
  ];
  const definition = { name: "Draft", nodes, edges: [] };
  const id = await create(test, definition);
  const read = await callTool<{ definition: object }>(test, "get_workflow", { workflow_id: id });
  expect(JSON.stringify(read)).toContain("[REDACTED]");
  await callTool(test, "update_workflow", { workflow_id: id, definition: read.definition, name: "Draft 2" });
  const draft = await test.store.findDraft(id);
  expect(JSON.stringify([draft, read])).not.toContain("canary-draft");
  const kept = test.runtime.services.values.of(1).webhooks.get(id)?.get("draft");
  expect(kept).toEqual({ value: { "/nodes/trigger/secret": "canary-draft" } });
});
