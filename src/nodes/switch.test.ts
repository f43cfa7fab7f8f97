import { describe, expect, it } from "vitest";
import { bindNode, checkNode, outputOf } from "../../test/support/run-node.ts";
import { isTruthy, switchNode } from "./switch.ts";

const byValue = (matchField: unknown, values: unknown[], fallback = true) => ({
  mode: "value",
  matchField,
  branches: values.map((value, index) => ({ id: `b${index}`, name: `Branch ${index}`, value })),
  fallback,
});
const byExpression = (expressions: unknown[], fallback = true) => ({
  mode: "expression",
  branches: expressions.map((expression, index) => ({ id: `b${index}`, name: `Branch ${index}`, expression })),
  fallback,
});
const around = { outputs: { order: { status: "open", count: 3, tags: ["a"], note: null, isPaid: false, id: "7" } } };

describe("switch", () => {
  const cases: [title: string, data: object, taken: string][] = [
    ["takes the branch with the same text", byValue("{{order.status}}", ["paid", "open"]), "branch_b1"],
    ["takes the first of two that match", byValue("open", ["open", "open"]), "branch_b0"],
    ["minds the case", byValue("{{order.status}}", ["Open"]), "fallback"],
    ["compares a number as its text", byValue("{{order.count}}", [2, "3"]), "branch_b1"],
    ["compares a boolean as its text", byValue("{{order.isPaid}}", ["false"]), "branch_b0"],
    ["compares a list as JSON", byValue("{{order.tags}}", ['["a"]']), "branch_b0"],
    [
      "takes null and what is missing for the empty text",
      byValue("{{order.note}}", ["x", "{{order.gone}}"]),
      "branch_b1",
    ],
    ["resolves templates of its branches", byValue("7", ["{{order.id}}"]), "branch_b0"],
    ["says no_match without a fallback", byValue("x", ["y"], false), "no_match"],
    [
      "takes the first expression that is true",
      byExpression(["{{order.isPaid}}", "{{order.count}}", true]),
      "branch_b1",
    ],
    ["takes the fallback when none is", byExpression(["{{order.isPaid}}", "{{order.gone}}"]), "fallback"],
    ["takes a constant for a last resort", byExpression(["{{order.note}}", "true"], false), "branch_b1"],
  ];
  it.each(cases)("%s", async (_, data, taken) => {
    const output = await outputOf(switchNode, data, around);
    expect(output).toEqual({ taken });
    expect(bindNode(switchNode, data).live(output)).toEqual(taken === "no_match" ? [] : [taken]);
  });

  it("has a handle for each branch and one for the fallback, and takes none after a continued failure", () => {
    const bound = bindNode(switchNode, byValue("x", ["a", "b"], false));
    expect(bound.sources).toEqual(["branch_b0", "branch_b1", "fallback"]);
    expect(bound.live({ error: { code: "UNKNOWN", message: "" } })).toEqual([]);
  });

  const truths: [result: unknown, truthy: boolean][] = [
    [undefined, false],
    [null, false],
    [false, false],
    [0, false],
    ["", false],
    ["  ", false],
    ["false", false],
    [" False ", false],
    ["0", false],
    [true, true],
    [-1, true],
    ["true", true],
    ["no", true],
    ["null", true],
    ["0.0", true],
    [[], true],
    [{}, true],
  ];
  it.each(truths)("%j is truthy: %s", (result, truthy) => expect(isTruthy(result)).toBe(truthy));

  const branch = { id: "a", name: "A", value: "x", expression: "{{a.ok}}" };
  const good = { mode: "value", matchField: "{{a.b}}", branches: [branch], fallback: false };
  const findings: [data: object, finding: string][] = [
    [{ ...good, mode: undefined }, 'error /mode: mode is missing: it must be one of "value", "expression"'],
    [{ ...good, mode: "regex" }, 'error /mode: mode must be one of "value", "expression"'],
    [
      { ...good, matchField: undefined },
      "error /matchField: matchField is missing: give a value, or a template such as {{order.total}}",
    ],
    [{ ...good, branches: [] }, "error /branches: branches must be a list of at least 1"],
    [{ ...good, fallback: undefined }, "error /fallback: fallback is missing: it must be true or false"],
    [
      { ...good, branches: [{ ...branch, value: undefined }] },
      "error /branches/0/value: branches[0].value is missing: give a value, or a template such as {{order.total}}",
    ],
    [
      { ...good, mode: "expression", branches: [{ ...branch, expression: undefined }] },
      "error /branches/0/expression: branches[0].expression is missing: give a value, or a template such as {{order.total}}",
    ],
    [
      { ...good, branches: [{ ...branch, id: "a b" }] },
      "error /branches/0/id: branches[0].id must be 1 to 64 letters, digits, _ and -: it is part of a handle",
    ],
    [{ ...good, branches: [{ ...branch, name: 1 }] }, "error /branches/0/name: branches[0].name must be text"],
    [
      { ...good, branches: [branch, branch] },
      "error /branches/1/id: branches[1].id repeats a of branches[0]: two branches can't share a handle; give each its own id",
    ],
    [
      { ...good, mode: "expression", branches: [{ ...branch, expression: "{{a.total}} > 100" }] },
      "warning /branches/0/expression: branches[0].expression is text and not calculated: it is true unless it comes out empty, false or 0. Write one template alone, such as {{check.branch}}",
    ],
  ];
  it.each(findings)("%j is answered by one finding", (data, finding) => {
    expect(checkNode(switchNode, data)).toEqual([finding]);
  });

  const fine: object[] = [
    good,
    { ...good, mode: "expression" },
    { ...good, mode: "expression", branches: [{ ...branch, expression: " TRUE " }] },
  ];
  it.each(fine)("%j is fine, what the other mode needs included", (data) => {
    expect(checkNode(switchNode, data)).toEqual([]);
  });
});
