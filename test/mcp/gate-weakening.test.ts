import { describe, expect, it } from "vitest";
import type { AuditList } from "../../src/contract/approval.ts";
import { callTool, failTool } from "../support/mcp.ts";
import { testRuntime } from "../support/runtime.ts";
import { type Data, create, deploy, echo, keyFor, paying, read } from "../support/workflow-tools.ts";

describe("taking a gate away", () => {
  const ways: [what: string, first: Data, change: Data, second: Data, words: string][] = [
    ["the policy", { approval_policy: "always" }, {}, { approval_policy: "never" }, "from always to never"],
    ["a node's requireApproval", {}, { definition: paying({}) }, {}, "the node pay no longer has requireApproval"],
    ["a gated node", {}, { definition: echo }, {}, "the gated node pay was removed"],
  ];

  it.each(ways)(
    "by dropping %s needs approvals:decide, and is in the audit log",
    async (_, first, change, second, words) => {
      const runtime = await testRuntime();
      const author = await keyFor(runtime, "workflows:read", "workflows:write", "actions:run");
      const id = await create(runtime, paying());
      await deploy(runtime, id, { slug: "pay", ...first }, author);
      await callTool(runtime, "update_workflow", { workflow_id: id, ...change }, { key: author });
      const refused = await failTool(runtime, "deploy_workflow", { workflow_id: id, ...second }, { key: author });
      expect(refused).toMatchObject({ code: "FORBIDDEN", error: expect.stringContaining(words) });
      expect((await read(runtime, id)).deployed_version).toBe(1);
      const entries = async () => (await runtime.control<AuditList>("GET", "/control/audit")).body.entries;
      expect(await entries()).toEqual([]);
      const decider = await keyFor(runtime, "workflows:write", "approvals:decide");
      expect((await deploy(runtime, id, second, decider)).version).toBe(2);
      expect(await entries()).toMatchObject([
        { event: "gate.weakened", user_id: "tester", decided_via: "api", comment: expect.stringContaining(words) },
      ]);
    },
  );

  it("needs no more where gates are not protected, and is in the audit log all the same", async () => {
    const runtime = await testRuntime({ approvals: { protectGates: false } });
    const author = await keyFor(runtime, "workflows:write");
    const id = await create(runtime, paying());
    await deploy(runtime, id, { slug: "pay", approval_policy: "always" }, author);
    expect((await deploy(runtime, id, { approval_policy: "never" }, author)).version).toBe(2);
    const { body } = await runtime.control<AuditList>("GET", "/control/audit");
    expect(body.entries).toMatchObject([{ event: "gate.weakened" }]);
  });

  it("is not possible by deleting the workflow and deploying another one under its slug", async () => {
    const runtime = await testRuntime();
    const author = await keyFor(runtime, "workflows:write");
    const id = await create(runtime, paying());
    await deploy(runtime, id, { slug: "pay" }, author);
    await callTool(runtime, "delete_workflow", { workflow_id: id }, { key: author });
    const next = await create(runtime, paying({}));
    const refused = await failTool(runtime, "deploy_workflow", { workflow_id: next, slug: "pay" }, { key: author });
    expect(refused).toMatchObject({ code: "FORBIDDEN" });
    expect((await runtime.get("/actions/pay")).status).toBe(404);
  });

  it("adding one, or leaving it, needs no more than workflows:write", async () => {
    const runtime = await testRuntime();
    const author = await keyFor(runtime, "workflows:write");
    const id = await create(runtime, paying({}));
    await deploy(runtime, id, { slug: "pay" }, author);
    await callTool(runtime, "update_workflow", { workflow_id: id, definition: paying() }, { key: author });
    expect((await deploy(runtime, id, { approval_policy: "always" }, author)).version).toBe(2);
    expect((await deploy(runtime, id, {}, author)).version).toBe(3);
    expect((await runtime.get("/actions/pay")).body["approval_policy"]).toBe("always");
  });
});
