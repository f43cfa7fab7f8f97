import * as z from "zod";
import { didYouMean } from "../engine/definition/nearest-name.ts";
import type { ConfigFinding } from "../engine/node.ts";
import { acceptedOperators, operatorNames, type Operator } from "../engine/values/operators.ts";
import { findDuplicates } from "./duplicates.ts";
import { template } from "./template-field.ts";

const accepted: ReadonlySet<unknown> = new Set(acceptedOperators);

/** Takes the aliases of other systems too, but lists the 23 alone (contract 4). */
const operator = z
  .custom<Operator>((value) => accepted.has(value), { error: ({ input }) => wordOperator(input) })
  .meta({ type: "string", enum: [...operatorNames], description: "How field is compared with value" });

/** Operators as other tools and languages write them: too far from ours to be taken for slips. */
const familiarOperators: ReadonlyMap<string, string> = new Map(
  (
    [
      [
        "TEXT_EXACTLY_MATCHES for texts, NUMBER_IS_EQUAL_TO for numbers",
        "equals",
        "equal",
        "eq",
        "==",
        "===",
        "=",
        "is",
        "isequalto",
      ],
      [
        "TEXT_DOES_NOT_EXACTLY_MATCH for texts, NUMBER_IS_NOT_EQUAL_TO for numbers",
        "notequals",
        "notequal",
        "neq",
        "ne",
        "!=",
        "!==",
        "isnot",
      ],
      ["NUMBER_IS_GREATER_THAN", "greaterthan", "gt", ">", "larger", "greater", "isgreaterthan"],
      ["NUMBER_IS_LESS_THAN", "lessthan", "lt", "<", "smaller", "less", "islessthan"],
      ["NUMBER_IS_GREATER_THAN_OR_EQUAL_TO", "greaterthanorequal", "greaterthanorequals", "gte", "ge", ">="],
      ["NUMBER_IS_LESS_THAN_OR_EQUAL_TO", "lessthanorequal", "lessthanorequals", "lte", "le", "<="],
      ["TEXT_CONTAINS", "contains", "includes", "like"],
      ["TEXT_STARTS_WITH", "startswith"],
      ["TEXT_ENDS_WITH", "endswith"],
      ["BOOLEAN_IS_TRUE", "true", "istrue"],
      ["BOOLEAN_IS_FALSE", "false", "isfalse"],
    ] as const
  ).flatMap(([ours, ...theirs]) => theirs.map((name) => [name, ours])),
);

function wordOperator(input: unknown): string {
  if (input === undefined) return "is missing: it must be the name of an operator such as TEXT_CONTAINS";
  const familiar =
    typeof input === "string" ? familiarOperators.get(input.toLowerCase().replace(/[\s_-]/g, "")) : undefined;
  if (familiar !== undefined) return `must be the name of an operator; here it is ${familiar}`;
  const hint = typeof input === "string" ? didYouMean(input, operatorNames) : "";
  return `must be the name of an operator${hint || `: ${operatorNames.join(", ")}`}`;
}

/** The fields that Condition and Filter share (spec 2.10). */
export const conditionFields = {
  combinator: z.enum(["AND", "OR"]).describe("Whether all conditions have to match, or one of them"),
  conditions: z
    .array(
      z.strictObject({
        id: z.string().min(1).describe("Names the condition in the detail"),
        field: template("The left side"),
        operator,
        value: template("The right side, for operators that have one").optional(),
      }),
    )
    .min(1)
    .describe("Evaluated in order, all of them"),
  caseSensitive: z.boolean().default(false).describe("Whether texts that differ in case alone are different"),
};

/** Templates of the shared fields; Filter resolves them item by item. */
export const conditionTemplates = ["/conditions/*/field/**", "/conditions/*/value/**"];

type Conditions = readonly { id: string; operator: Operator; value?: unknown }[];

/** Warns of ids that repeat, and of comparisons that can come to nothing because there is nothing to compare with. */
export function checkConditions(conditions: Conditions): ConfigFinding[] {
  const ids = conditions.map(({ id }) => id);
  const consequence = "the detail can't tell the two apart; give each its own id";
  return [
    ...findDuplicates(ids, { list: "conditions", field: "id", severity: "warning", consequence }),
    ...conditions.flatMap((condition, index) => checkValue(condition, `/conditions/${index}`)),
  ];
}

/** A text may well be compared with the empty one; a number, a date or a list item with nothing is a slip. */
const comparesValues = /^(?:NUMBER_|DATE_|LIST_CONTAINS$|LIST_DOES_NOT_CONTAIN$)/;

function checkValue({ id, operator: name, value }: Conditions[number], pointer: string): ConfigFinding[] {
  if (value !== undefined || !comparesValues.test(name)) return [];
  const message = `The condition ${id} has no value for ${name} to compare with; add one`;
  return [{ severity: "warning", code: "missing_value", message, pointer: `${pointer}/value` }];
}
