import * as compare from "./compare.ts";
import type { Operands, Verdict } from "./compare.ts";
import { toJson, type Json } from "./json.ts";

/** The 23 operators, by group: 8 text, 6 number, 2 boolean, 2 existence, 4 list, 1 date (spec 2.10, contract 4). */
export const operatorNames = [
  "TEXT_CONTAINS",
  "TEXT_DOES_NOT_CONTAIN",
  "TEXT_EXACTLY_MATCHES",
  "TEXT_DOES_NOT_EXACTLY_MATCH",
  "TEXT_STARTS_WITH",
  "TEXT_DOES_NOT_START_WITH",
  "TEXT_ENDS_WITH",
  "TEXT_DOES_NOT_END_WITH",
  "NUMBER_IS_GREATER_THAN",
  "NUMBER_IS_LESS_THAN",
  "NUMBER_IS_EQUAL_TO",
  "NUMBER_IS_NOT_EQUAL_TO",
  "NUMBER_IS_GREATER_THAN_OR_EQUAL_TO",
  "NUMBER_IS_LESS_THAN_OR_EQUAL_TO",
  "BOOLEAN_IS_TRUE",
  "BOOLEAN_IS_FALSE",
  "EXISTS",
  "DOES_NOT_EXIST",
  "LIST_CONTAINS",
  "LIST_DOES_NOT_CONTAIN",
  "LIST_IS_EMPTY",
  "LIST_IS_NOT_EMPTY",
  "DATE_IS_AFTER",
] as const;

/** The 23, and five that are understood when a workflow comes from elsewhere but never listed. */
export const acceptedOperators = [
  ...operatorNames,
  "DATE_IS_BEFORE",
  "DATE_IS_EQUAL",
  "TEXT_START_WITH",
  "NUMBER_IS_GREATER_THAN_OR_EQUAL",
  "NUMBER_IS_LESS_THAN_OR_EQUAL",
] as const;

export type Operator = (typeof acceptedOperators)[number];
export type Condition = { id: string; operator: string; left: unknown; right: unknown };
export type ConditionDetail = {
  id: string;
  operator: string;
  matched: boolean;
  left: Json;
  right: Json;
  reason?: string;
};

type Evaluate = (operands: Operands) => Verdict;

const text =
  (test: (a: string, b: string) => boolean): Evaluate =>
  (operands) =>
    compare.compareTexts(operands, test);
const number =
  (test: (a: number, b: number) => boolean): Evaluate =>
  (operands) =>
    compare.compareNumbers(operands, test);
const date =
  (test: (a: number, b: number) => boolean): Evaluate =>
  (operands) =>
    compare.compareDates(operands, test);

const startsWith = text((a, b) => a.startsWith(b));
const isAtLeast = number((a, b) => a >= b);
const isAtMost = number((a, b) => a <= b);

const evaluators: Record<Operator, Evaluate> = {
  TEXT_CONTAINS: text((a, b) => a.includes(b)),
  TEXT_DOES_NOT_CONTAIN: text((a, b) => !a.includes(b)),
  TEXT_EXACTLY_MATCHES: text((a, b) => a === b),
  TEXT_DOES_NOT_EXACTLY_MATCH: text((a, b) => a !== b),
  TEXT_STARTS_WITH: startsWith,
  TEXT_START_WITH: startsWith,
  TEXT_DOES_NOT_START_WITH: text((a, b) => !a.startsWith(b)),
  TEXT_ENDS_WITH: text((a, b) => a.endsWith(b)),
  TEXT_DOES_NOT_END_WITH: text((a, b) => !a.endsWith(b)),
  NUMBER_IS_GREATER_THAN: number((a, b) => a > b),
  NUMBER_IS_LESS_THAN: number((a, b) => a < b),
  NUMBER_IS_EQUAL_TO: number((a, b) => a === b),
  NUMBER_IS_NOT_EQUAL_TO: number((a, b) => a !== b),
  NUMBER_IS_GREATER_THAN_OR_EQUAL_TO: isAtLeast,
  NUMBER_IS_GREATER_THAN_OR_EQUAL: isAtLeast,
  NUMBER_IS_LESS_THAN_OR_EQUAL_TO: isAtMost,
  NUMBER_IS_LESS_THAN_OR_EQUAL: isAtMost,
  BOOLEAN_IS_TRUE: (operands) => compare.testBoolean(operands, true),
  BOOLEAN_IS_FALSE: (operands) => compare.testBoolean(operands, false),
  EXISTS: ({ left }) => ({ matched: compare.exists(left) }),
  DOES_NOT_EXIST: ({ left }) => ({ matched: !compare.exists(left) }),
  LIST_CONTAINS: (operands) => compare.testList(operands, (list) => compare.isListed(list, operands)),
  LIST_DOES_NOT_CONTAIN: (operands) => compare.testList(operands, (list) => !compare.isListed(list, operands)),
  LIST_IS_EMPTY: (operands) => compare.testList(operands, (list) => list.length === 0),
  LIST_IS_NOT_EMPTY: (operands) => compare.testList(operands, (list) => list.length > 0),
  DATE_IS_AFTER: date((a, b) => a > b),
  DATE_IS_BEFORE: date((a, b) => a < b),
  DATE_IS_EQUAL: date((a, b) => a === b),
};

const byName = new Map<string, Evaluate>(Object.entries(evaluators));

/** Evaluates one operator (contract 4). Never throws, whatever the operands; an unknown operator does not match. */
export function evaluateCondition(condition: {
  operator: string;
  left: unknown;
  right: unknown;
  caseSensitive: boolean;
}): Verdict {
  const evaluate = byName.get(condition.operator);
  return evaluate ? evaluate(condition) : { matched: false, reason: `${condition.operator} is no operator` };
}

/** Evaluates every condition, in order, also those that can change nothing any more: the detail shows them all. */
export function evaluateConditions(
  combinator: "AND" | "OR",
  conditions: readonly Condition[],
  caseSensitive: boolean,
): { matched: boolean; details: ConditionDetail[] } {
  const details = conditions.map(({ id, operator, left, right }) => {
    const { matched, reason } = evaluateCondition({ operator, left, right, caseSensitive });
    const shown = { left: toJson(left), right: toJson(right) };
    return { id, operator, matched, ...shown, ...(reason !== undefined && { reason }) };
  });
  const isMatch = ({ matched }: ConditionDetail) => matched;
  return { matched: combinator === "AND" ? details.every(isMatch) : details.some(isMatch), details };
}
