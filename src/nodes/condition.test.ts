import { describe, expect, it } from "vitest";
import { bindNode, checkNode, outputOf } from "../../test/support/run-node.ts";
import { condition } from "./condition.ts";

const adult = { id: "c1", field: "{{person.age}}", operator: "NUMBER_IS_GREATER_THAN_OR_EQUAL_TO", value: 18 };
const named = { id: "c2", field: "{{person.name}}", operator: "TEXT_EXACTLY_MATCHES", value: "{{person.wanted}}" };
const around = { outputs: { person: { age: 20, name: "Ada", wanted: "ADA" } } };

describe("condition", () => {
  const branches: [combinator: string, conditions: object[], more: object, branch: boolean][] = [
    ["AND", [adult, named], {}, true],
    ["AND", [adult, named], { caseSensitive: true }, false],
    ["OR", [adult, named], { caseSensitive: true }, true],
    [
      "OR",
      [
        { ...adult, value: 21 },
        { ...named, value: "Bob" },
      ],
      {},
      false,
    ],
    ["AND", [{ id: "c", field: "{{person.email}}", operator: "DOES_NOT_EXIST" }], {}, true],
    ["AND", [{ id: "c", field: ["{{person.name}}"], operator: "LIST_CONTAINS", value: "Ada" }], {}, true],
  ];
  it.each(branches)("%s over %j with %j takes %s", async (combinator, conditions, more, branch) => {
    const output = await outputOf(condition, { combinator, conditions, ...more }, around);
    expect(output).toMatchObject({ branch });
    expect(bindNode(condition, { combinator, conditions }).live(output)).toEqual([String(branch)]);
  });

  it("puts out the detail of every condition in order, with what each side resolved to", async () => {
    const missing = { id: "c3", field: "{{person.email}}", operator: "NUMBER_IS_LESS_THAN", value: 1 };
    expect(await outputOf(condition, { combinator: "OR", conditions: [adult, named, missing] }, around)).toEqual({
      branch: true,
      matched: [
        { id: "c1", operator: adult.operator, matched: true, left: 20, right: 18 },
        { id: "c2", operator: named.operator, matched: true, left: "Ada", right: "ADA" },
        { id: "c3", operator: missing.operator, matched: false, left: null, right: 1, reason: "left is no number" },
      ],
    });
  });

  it("has the handles true and false, and takes neither after a failure that was continued", () => {
    const bound = bindNode(condition, { combinator: "AND", conditions: [adult] });
    expect(bound.sources).toEqual(["true", "false"]);
    expect(bound.targets).toEqual(["default"]);
    expect(bound.live({ error: { code: "UNKNOWN", message: "" } })).toEqual([]);
  });
});

describe("the config of conditions", () => {
  const good = { combinator: "AND", conditions: [adult] };
  const findings: [data: object, finding: string][] = [
    [{ conditions: [adult] }, 'error /combinator: combinator is missing: it must be one of "AND", "OR"'],
    [{ ...good, combinator: "and" }, 'error /combinator: combinator must be one of "AND", "OR"; did you mean AND?'],
    [{ combinator: "AND" }, "error /conditions: conditions is missing: it must be a list"],
    [{ ...good, conditions: [] }, "error /conditions: conditions must be a list of at least 1"],
    [
      { ...good, conditions: [{ id: "c", operator: "EXISTS" }] },
      "error /conditions/0/field: conditions[0].field is missing: give a value, or a template such as {{order.total}}",
    ],
    [
      { ...good, conditions: [{ ...adult, id: "" }] },
      "error /conditions/0/id: conditions[0].id must be text that is not empty",
    ],
    [
      { ...good, conditions: [{ id: "c", field: "x" }] },
      "error /conditions/0/operator: conditions[0].operator is missing: it must be the name of an operator such as TEXT_CONTAINS",
    ],
    [
      { ...good, conditions: [{ ...adult, operator: "TEXT_CONTAIN" }] },
      "error /conditions/0/operator: conditions[0].operator must be the name of an operator; did you mean TEXT_CONTAINS?",
    ],
    [{ ...good, caseSensitive: "yes" }, "error /caseSensitive: caseSensitive must be true or false"],
    [
      { ...good, conditions: [adult, { ...named, id: "c1" }] },
      "warning /conditions/1/id: conditions[1].id repeats c1 of conditions[0]: the detail can't tell the two apart; give each its own id",
    ],
    [
      { ...good, conditions: [{ id: "c", field: "x", operator: "NUMBER_IS_EQUAL_TO" }] },
      "warning /conditions/0/value: The condition c has no value for NUMBER_IS_EQUAL_TO to compare with; add one",
    ],
    [
      { ...good, conditions: [{ ...adult, field: "{{a + 1}}" }] },
      'error /conditions/0/field: unexpected "+": write a plain path such as order.items[0].name or a["odd key"]',
    ],
    [{ ...good, unless: true }, "warning /unless: unknown"],
  ];
  it.each(findings)("%j is answered by one finding", (data, finding) => {
    expect(checkNode(condition, data)).toEqual([finding]);
  });

  it("accepts the operator names of other systems and never offers them", () => {
    const aliased = { ...good, conditions: [{ ...adult, operator: "NUMBER_IS_GREATER_THAN_OR_EQUAL" }] };
    expect(checkNode(condition, aliased)).toEqual([]);
    const [refusal] = checkNode(condition, { ...good, conditions: [{ ...adult, operator: 7 }] });
    expect(refusal).toContain("TEXT_CONTAINS, TEXT_DOES_NOT_CONTAIN, ");
    expect(refusal).not.toContain("DATE_IS_BEFORE");
  });

  it("lets a text be compared with nothing, which is the empty text", () => {
    const isEmpty = { id: "c", field: "{{a.b}}", operator: "TEXT_EXACTLY_MATCHES" };
    expect(checkNode(condition, { ...good, conditions: [isEmpty] })).toEqual([]);
  });
});
