import fc from "fast-check";
import { expect, it } from "vitest";
import { request } from "../support/mcp.ts";
import { testRuntime } from "../support/runtime.ts";

/** Cases; 2,000 are for a long look. */
const numRuns = Number(process.env["STEPGATE_FUZZ"] ?? 100);

const plenty = { free: 1e6, starter: 1e6, pro: 1e6, business: 1e6 };
const oddKeys = ["__proto__", "constructor", "toString", "requireApproval", "properties", "conditions", "items"];
const id = fc.constantFrom("action_input", "done", "a", "b", "a b", "__proto__", "");
const type = fc.constantFrom(
  "action_input",
  "return_output",
  "trigger",
  "loop",
  "merge",
  "set",
  "condition",
  "transform",
  "x",
);
const data = fc.dictionary(fc.constantFrom(...oddKeys, "secret", "kind", "assignments"), fc.jsonValue(), {
  maxKeys: 3,
});
const often = <T>(good: fc.Arbitrary<T>) => fc.oneof({ weight: 9, arbitrary: good }, fc.jsonValue({ maxDepth: 2 }));
const node = often(fc.record({ id: often(id), type: often(type), data: often(data) }, { requiredKeys: [] }));
const handle = fc.constantFrom("default", "true", "loop", "done", "input_0", "nope");
const edge = often(
  fc.record({ source: id, target: id, sourceHandle: handle, targetHandle: handle }, { requiredKeys: [] }),
);
const lists = { nodes: often(fc.array(node, { maxLength: 5 })), edges: often(fc.array(edge, { maxLength: 6 })) };
const fields = {
  slug: fc.constantFrom("a", "B"),
  name: fc.jsonValue(),
  approval_policy: fc.constantFrom("always", "?"),
};
const definition = often(fc.record({ ...lists, ...fields }, { requiredKeys: [] }));

it(
  "whatever definition an agent gives, each tool answers well or says what is wrong, and what was stored can be read",
  { timeout: 20_000 + numRuns * 200 },
  async () => {
    const runtime = await testRuntime({ limits: { requestsPerMinute: plenty } });
    const call = async (name: string, args: object) => {
      const { body } = await request(runtime, "tools/call", { name, arguments: args });
      const text = JSON.stringify(body);
      expect(text).not.toMatch(/-32603|INTERNAL_ERROR/);
      return { ok: !body.result?.["isError"], text, structured: body.result?.["structuredContent"] };
    };
    const property = fc.asyncProperty(definition, definition, async (first, second) => {
      const checked = await call("create_workflow", { name: "F", definition: first, validate_only: true });
      const made = await call("create_workflow", { name: "F", definition: first });
      // Only what is no object at all is malformed; all else is checked.
      expect(checked.ok).toBe(typeof first === "object" && first !== null && !Array.isArray(first));
      const workflowId = (made.structured as { workflow_id?: string } | undefined)?.workflow_id;
      if (workflowId === undefined) return;
      await call("update_workflow", { workflow_id: workflowId, definition: second });
      await call("deploy_workflow", { workflow_id: workflowId, slug: `s${workflowId}`.slice(0, 50) });
      for (const tool of ["get_workflow", "open_workflow", "delete_workflow"]) {
        expect([tool, (await call(tool, { workflow_id: workflowId })).ok]).toEqual([tool, true]);
      }
    });
    await fc.assert(property, { numRuns });
    expect(runtime.logged).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  },
);
