import * as z from "zod";
import { isRecord, toJson } from "../engine/values/json.ts";
import { defineNode, done } from "../engine/node.ts";
import { evaluateConditions } from "../engine/values/operators.ts";
import { checkConditions, conditionFields, conditionTemplates } from "./conditions.ts";

/** Two-way branch (spec 2.10). After a failure that is continued neither branch is taken. */
export const condition = defineNode({
  type: "condition",
  title: "Condition",
  group: "Flow",
  summary: "Goes on at `true` or at `false`. Output: `{branch, matched}`, the detail of each condition in `matched`.",
  config: z.strictObject(conditionFields),
  templates: conditionTemplates,
  sources: () => ["true", "false"],
  live: (output) => (isRecord(output) && typeof output["branch"] === "boolean" ? [String(output["branch"])] : []),
  check: ({ conditions }) => checkConditions(conditions),
  run({ config: { combinator, conditions, caseSensitive } }) {
    const sides = conditions.map(({ id, operator, field, value }) => ({ id, operator, left: field, right: value }));
    const { matched, details } = evaluateConditions(combinator, sides, caseSensitive);
    return done({ branch: matched, matched: details.map(toJson) });
  },
});
