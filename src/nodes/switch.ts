import * as z from "zod";
import { isRecord, toText } from "../engine/values/json.ts";
import { defineNode, done, type ConfigFinding } from "../engine/node.ts";
import { scanTemplate } from "../engine/templates/template-scan.ts";
import { findDuplicates } from "./duplicates.ts";
import { template } from "./template-field.ts";

const branchId = z
  .string()
  .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, _ and -: it is part of a handle")
  .describe("Makes the source handle `branch_<id>`");
const branchName = z.string().describe("Shown in the graph");
const expression = template("The first one that is neither missing, null, false, 0, empty, `false` nor `0` is taken");
const value = template("Compared with matchField as text, case and all");
const matchField = template("What the branches' values are compared with");
const fallback = z.boolean().describe("Whether the run goes on at `fallback` when no branch matches");

/** The branches of a mode, which says what a branch needs. */
function branchList<Criteria extends z.ZodRawShape>(criteria: Criteria) {
  const branch = z.strictObject({ id: branchId, name: branchName, ...criteria });
  return z.array(branch).min(1).describe("Tried in order");
}

/** N-way router (spec 2.10): the first branch that matches is taken. After a failure that is continued none is. */
export const switchNode = defineNode({
  type: "switch",
  title: "Switch",
  group: "Flow",
  summary:
    "Goes on at the first branch that matches. Output: `{taken}`, which is `branch_<id>`, `fallback` or `no_match`.",
  config: z.discriminatedUnion("mode", [
    z.strictObject({
      mode: z.literal("value").describe("What a branch is chosen by"),
      matchField,
      branches: branchList({ value, expression: expression.optional() }),
      fallback,
    }),
    z.strictObject({
      mode: z.literal("expression").describe("What a branch is chosen by"),
      matchField: matchField.optional(),
      branches: branchList({ value: value.optional(), expression }),
      fallback,
    }),
  ]),
  templates: ["/matchField/**", "/branches/*/value/**", "/branches/*/expression/**"],
  sources: ({ branches }) => [...branches.map(({ id }) => `branch_${id}`), "fallback"],
  live(output) {
    const taken = isRecord(output) ? output["taken"] : null;
    return typeof taken === "string" && taken !== "no_match" ? [taken] : [];
  },
  check({ mode, branches }) {
    const ids = branches.map(({ id }) => id);
    const consequence = "two branches can't share a handle; give each its own id";
    return [
      ...findDuplicates(ids, { list: "branches", field: "id", severity: "error", consequence }),
      ...(mode === "expression" ? branches.flatMap((branch, index) => checkExpression(branch.expression, index)) : []),
    ];
  },
  run({ config }) {
    const isTaken = (branch: (typeof config.branches)[number]) =>
      config.mode === "value" ? toText(branch.value) === toText(config.matchField) : isTruthy(branch.expression);
    const branch = config.branches.find(isTaken);
    if (branch) return done({ taken: `branch_${branch.id}` });
    return done({ taken: config.fallback ? "fallback" : "no_match" });
  },
});

const falsyTexts = new Set(["", "false", "0"]);

/**
 * What counts as true in an expression. Missing, null, false, 0 and the empty text do not; nor do texts that say `false`
 * or `0` (white space and case aside), since values often arrive as texts. All else does, empty lists and objects too.
 */
export function isTruthy(result: unknown): boolean {
  return typeof result === "string" ? !falsyTexts.has(result.trim().toLowerCase()) : Boolean(result);
}

/** Templates hold no operators: `{{order.total}} > 100` is a text, and true. */
function checkExpression(source: unknown, index: number): ConfigFinding[] {
  if (typeof source !== "string" || /^\s*(?:true|false)\s*$/i.test(source)) return [];
  const [part, more] = scanTemplate(source).parts;
  if (part === undefined || (typeof part !== "string" && more === undefined)) return [];
  const message = `branches[${index}].expression is text and not calculated: it is true unless it comes out empty, false or 0. Write one template alone, such as {{check.branch}}`;
  return [
    { severity: "warning", code: "expression_not_calculated", message, pointer: `/branches/${index}/expression` },
  ];
}
