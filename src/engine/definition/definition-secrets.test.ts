import { expect, it } from "vitest";
import type { WorkflowDefinition } from "../../contract/workflow.ts";
import type { Json } from "../values/json.ts";
import { hideSecrets, keepSecrets } from "./definition-secrets.ts";

function hooked(data: { [key: string]: Json }, id = "trigger"): WorkflowDefinition {
  return { name: "Hook", approval_policy: "never", nodes: [{ id, type: "trigger", data }], edges: [] };
}

const dataOf = (definition: WorkflowDefinition) => definition.nodes[0]?.data;

it("hides a trigger's literal secrets and no others", () => {
  const data = { kind: "webhook", secret: "s3cr3t", secrets: ["new", "{{secret.OLD}}"] };
  const shown = { kind: "webhook", secret: "[REDACTED]", secrets: ["[REDACTED]", "{{secret.OLD}}"] };
  expect(dataOf(hideSecrets(hooked(data)))).toEqual(shown);
  const open = hooked({ kind: "webhook", secret: "{{secret.HOOK}}" });
  expect(hideSecrets(open)).toEqual(open);
  const set = { ...open, nodes: [{ id: "a", type: "set", data: { secret: "not a trigger's" } }] };
  expect(hideSecrets(set)).toEqual(set);
});

it("a hidden secret that comes back is the one that was there; another one replaces it", () => {
  const current = hooked({ secret: "s3cr3t", secrets: ["new", "old"] });
  expect(keepSecrets(hideSecrets(current), current)).toEqual(current);
  expect(dataOf(keepSecrets(hooked({ secret: "other" }), current))).toEqual({ secret: "other" });
  const unknown = hooked({ secret: "[REDACTED]" }, "another");
  expect(keepSecrets(unknown, current)).toEqual(unknown);
});
