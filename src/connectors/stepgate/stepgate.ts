import type { Connector } from "../../engine/connector.ts";
import { isRecord, toText } from "../../engine/values/json.ts";
import { defineOperation } from "../define-operation.ts";

const runAction = defineOperation({
  key: "run_action",
  name: "Run an action",
  description:
    "Runs another action of this workspace with `input` and waits until its run is over, however long that takes and " +
    "across restarts; the step's output is the action's output. Use it to build one workflow out of others. The child " +
    "run keeps its own approval policy, retries and time-outs, counts for the hourly cap, and is cancelled with its " +
    "parent. If it fails, the step fails with its code and its run id. Actions may run each other 5 deep.",
  required: ["slug"],
  properties: {
    slug: { type: "string", minLength: 1, description: "Slug of the action to run, such as refund-order" },
    input: { type: "object", default: {}, description: "The action's input, as its input schema says" },
  },
  // Failures of one action say nothing of another.
  target: ({ slug }) => (typeof slug === "string" ? slug : null),
  // A step gets the run that it started before, so that a crash never starts a second one.
  effects: "idempotent",
  async run({ input, runAction: run }) {
    const given = input["input"];
    return run({ slug: toText(input["slug"]), input: isRecord(given) ? given : {} });
  },
});

/** Stepgate itself: one workflow runs another one (contract 13). */
export const stepgate: Connector = {
  slug: "stepgate",
  name: "Stepgate",
  description: "Runs other actions of this workspace and waits for them.",
  version: "1.0.0",
  auth: { type: "none", fields: [], optional: true },
  baseUrl: null,
  operations: [runAction],
  triggers: [],
};
