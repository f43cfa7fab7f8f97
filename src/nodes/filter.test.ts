import { describe, expect, it } from "vitest";
import { bindNode, checkNode, outputOf, runNode } from "../../test/support/run-node.ts";
import { filter } from "./filter.ts";

const paid = { id: "c1", field: "{{item.status}}", operator: "TEXT_EXACTLY_MATCHES", value: "paid" };
const base = { items: "{{orders.list}}", combinator: "AND", conditions: [paid] };
const list = [
  { status: "paid", total: 5 },
  { status: "open", total: 7 },
  { status: "PAID", total: 9 },
];
const around = { outputs: { orders: { list, least: 6 }, item: "of a loop outside" } };

describe("filter", () => {
  const least = { id: "c2", field: "{{item.total}}", operator: "NUMBER_IS_GREATER_THAN", value: "{{orders.least}}" };
  const cases: [title: string, data: object, kept: unknown[]][] = [
    ["keeps what matches, in order", {}, [list[0], list[2]]],
    ["minds the case when told to", { caseSensitive: true }, [list[0]]],
    ["joins conditions by AND", { conditions: [paid, least] }, [list[2]]],
    ["joins conditions by OR", { combinator: "OR", conditions: [paid, least] }, list],
    [
      "reads the index",
      { conditions: [{ id: "c", field: "{{index}}", operator: "NUMBER_IS_LESS_THAN", value: 1 }] },
      [list[0]],
    ],
    [
      "resolves templates anywhere in a side",
      {
        conditions: [{ id: "c", field: "no {{index}}: {{item.status}}", operator: "TEXT_ENDS_WITH", value: "1: open" }],
      },
      [list[1]],
    ],
    ["takes an empty list", { items: [] }, []],
    [
      "takes a list that is written down, with templates in it",
      { items: [{ status: "{{orders.list[0].status}}" }] },
      [{ status: "paid" }],
    ],
  ];
  it.each(cases)("%s", async (_, data, kept) => {
    const items = "items" in data ? data.items : list;
    const dropped = (Array.isArray(items) ? items.length : 0) - kept.length;
    expect(await outputOf(filter, { ...base, ...data }, around)).toEqual({ items: kept, kept: kept.length, dropped });
  });

  const noLists: [items: unknown, message: string][] = [
    ["{{orders.missing}}", "nothing; check its path"],
    [null, "null; check its path"],
    ['["a"]', "a text; a Set with the type json reads a list out of one"],
    ["{{orders}}", "an object; point it at the list inside"],
    [5, "a number"],
  ];
  it.each(noLists)("fails when items is %j", async (items, message) => {
    expect(await runNode(filter, { ...base, items }, around)).toEqual({
      kind: "fail",
      error: { code: "VALIDATION_ERROR", message: `items has to be a list, but its template yielded ${message}` },
    });
  });

  it("has one way in and one way out", () => {
    const bound = bindNode(filter, base);
    expect(bound).toMatchObject({ sources: ["default"], targets: ["default"], effects: "none" });
    expect(bound.live({ items: [], kept: 0, dropped: 0 })).toEqual(["default"]);
  });

  it("needs items and looks at its conditions as Condition does", () => {
    const { items: _, ...without } = base;
    const items = "error /items: items is missing: give a value, or a template such as {{order.total}}";
    expect(checkNode(filter, without)).toEqual([items]);
    expect(checkNode(filter, { ...base, conditions: [paid, paid] })).toEqual([expect.stringContaining("repeats c1")]);
    const malformed = { ...base, conditions: [{ ...paid, value: "{{}}" }] };
    expect(checkNode(filter, malformed)).toEqual([expect.stringMatching(/^error \/conditions\/0\/value: .*empty/)]);
  });
});
