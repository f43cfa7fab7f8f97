import * as z from "zod";
import type { Json } from "../contract/json.ts";
import { keyName } from "../contract/workflow.ts";
import { coerce, type Coerced } from "../engine/values/coerce.ts";
import { isRecord, setOwn, toJson } from "../engine/values/json.ts";
import { defineNode, done, fail } from "../engine/node.ts";
import { findDuplicates } from "./duplicates.ts";
import { template } from "./template-field.ts";

const assignment = z.strictObject({
  id: z.string().min(1).describe("Names the assignment"),
  key: keyName.describe("Key in the output"),
  value: template("What the key gets"),
  type: z
    .enum(["string", "number", "boolean", "json"])
    .optional()
    .describe(
      "What the value is turned into; left out, it stays as it is. `boolean` is true for true and the text `true` alone",
    ),
});

/** Builds an object (spec 2.10). Without a type, a value that is missing leaves its key as the input has it. */
export const set = defineNode({
  type: "set",
  title: "Set",
  group: "Data",
  summary: "Builds an object from values and templates. Output: the object.",
  config: z.strictObject({
    assignments: z.array(assignment).min(1).describe("Filled in order; the last one of a key wins"),
    includeInputFields: z
      .boolean()
      .default(false)
      .describe("Whether the output starts as a copy of the first upstream output"),
  }),
  templates: ["/assignments/*/value/**"],
  check({ assignments }) {
    const keys = assignments.map(({ key }) => key);
    return findDuplicates(keys, {
      list: "assignments",
      field: "key",
      severity: "warning",
      consequence: "the last one wins",
    });
  },
  run({ config: { assignments, includeInputFields }, upstream }) {
    const output: { [key: string]: Json } = includeInputFields && isRecord(upstream) ? { ...upstream } : {};
    for (const { key, value, type } of assignments) {
      if (value === undefined && type === undefined) continue;
      const coerced: Coerced = type === undefined ? { ok: true, value: toJson(value) } : coerce(value, type);
      if (!coerced.ok) return fail("VALIDATION_ERROR", `Can't set ${key}: ${coerced.message}`);
      setOwn(output, key, coerced.value);
    }
    return done(output);
  },
});
