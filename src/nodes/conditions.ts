import { z } from "zod";
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

function wordOperator(input: unknown): string {
  if (input === undefined) return "is missing: it must be the name of an operator such as TEXT_CONTAINS";
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
