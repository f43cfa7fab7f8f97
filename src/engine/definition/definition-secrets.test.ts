import { expect, it } from "vitest";
import type { WorkflowDefinition } from "../../contract/workflow.ts";
import type { Json } from "../values/json.ts";
import { hideSecrets, takeSecrets } from "./definition-secrets.ts";

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

it("literal secrets are taken out of a definition, and come back by their place when they were hidden", () => {
  const written = hooked({ secret: "s3cr3t", secrets: ["new", "{{secret.OLD}}"] });
  const literals = { "/nodes/trigger/secret": "s3cr3t", "/nodes/trigger/secrets/0": "new" };
  const stored = hooked({ secret: "[REDACTED]", secrets: ["[REDACTED]", "{{secret.OLD}}"] });
  expect(takeSecrets(written, {})).toEqual({ definition: stored, literals, lost: [] });
  expect(takeSecrets(stored, literals)).toEqual({ definition: stored, literals, lost: [] });
  const changed = takeSecrets(hooked({ secret: "other" }), literals);
  expect(changed.literals).toEqual({ "/nodes/trigger/secret": "other" });
});

it("a hidden secret that nobody has is told with its place, and a secret is no prototype's", () => {
  const unknown = takeSecrets(hooked({ secrets: ["[REDACTED]"] }, "another"), { "/nodes/trigger/secrets/0": "new" });
  expect(unknown).toMatchObject({ literals: {}, lost: [{ nodeIndex: 0, pointer: "/data/secrets/0" }] });
});
