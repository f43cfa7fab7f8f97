import { describe, expect, it } from "vitest";
import { bindNode, checkNode, outputOf, runNode } from "../../test/support/run-node.ts";
import { aggregate } from "./aggregate.ts";

const orders = [
  { id: "a", customer: "ada", total: 10, tag: { color: "red" } },
  { id: "b", customer: "bob", total: "2.5", tag: null },
  { id: "c", customer: "ada", total: "n/a" },
  { id: "d", customer: null, total: null },
];
const around = { outputs: { shop: { orders, separator: " + " } } };
const one = (op: string, more: object = {}) => ({
  items: "{{shop.orders}}",
  operations: [{ id: "o", key: "x", op, ...more }],
});

describe("aggregate", () => {
  const results: [op: string, more: object, result: unknown][] = [
    ["count", {}, 4],
    ["count", { field: "tag" }, 1],
    ["sum", { field: "total" }, 12.5],
    ["sum", { field: "{{item.total}}" }, 12.5],
    ["avg", { field: "total" }, 6.25],
    ["min", { field: "total" }, 2.5],
    ["max", { field: "total" }, 10],
    ["max", { field: "id" }, null],
    ["concat", { field: "id" }, "abcd"],
    ["concat", { field: "id", separator: ", " }, "a, b, c, d"],
    ["concat", { field: "customer", separator: "{{shop.separator}}" }, "ada + bob + ada"],
    ["concat", { field: "tag", separator: "{{shop.gone}}" }, '{"color":"red"}'],
    ["collect", {}, orders],
    ["collect", { field: "tag.color" }, ["red", null, null, null]],
    ["collect", { field: "{{item}}" }, orders],
    ["first", {}, orders[0]],
    ["first", { field: "tag.color" }, "red"],
    ["last", {}, orders[3]],
    ["last", { field: "tag" }, null],
    ["sum", { field: "id.length" }, 4],
  ];
  it.each(results)("%s with %j is %j", async (op, more, result) => {
    expect(await outputOf(aggregate, one(op, more), around)).toEqual({ x: result });
  });

  const ofNothing: [op: string, result: unknown][] = [
    ["count", 0],
    ["sum", 0],
    ["avg", 0],
    ["min", null],
    ["max", null],
    ["concat", ""],
    ["collect", []],
    ["first", null],
    ["last", null],
  ];
  it.each(ofNothing)("%s of an empty list is %j", async (op, result) => {
    expect(await outputOf(aggregate, { ...one(op, { field: "a" }), items: [] })).toEqual({ x: result });
  });

  it("fills a key for each operation", async () => {
    const operations = [
      { id: "1", key: "orders", op: "count" },
      { id: "2", key: "revenue", op: "sum", field: "total" },
    ];
    expect(await outputOf(aggregate, { items: orders, operations })).toEqual({ orders: 4, revenue: 12.5 });
  });

  it("groups by a value's text, and puts items without one into _null", async () => {
    const items = [
      ...orders,
      { customer: 7 },
      { customer: "7" },
      { customer: { a: 1 } },
      { customer: "" },
      "no object",
    ];
    expect(await outputOf(aggregate, { ...one("count"), items, groupBy: "{{item.customer}}" })).toEqual({
      groups: { ada: { x: 2 }, bob: { x: 1 }, _null: { x: 2 }, "7": { x: 2 }, '{"a":1}': { x: 1 }, "": { x: 1 } },
    });
    expect(await outputOf(aggregate, { ...one("count"), items: [], groupBy: "customer" })).toEqual({ groups: {} });
  });

  it("takes __proto__ for a group and a key like others", async () => {
    const items = JSON.parse('[{"g":"__proto__","__proto__":5},{"g":"constructor"}]') as unknown[];
    const operations = [{ id: "o", key: "__proto__", op: "count" }];
    const output = await outputOf(aggregate, { items, operations, groupBy: "g" });
    expect(JSON.stringify(output)).toBe('{"groups":{"__proto__":{"__proto__":1},"constructor":{"__proto__":1}}}');
    expect(await outputOf(aggregate, { ...one("collect", { field: "__proto__" }), items })).toEqual({
      x: [null, null],
    });
  });

  it("calculates long lists", async () => {
    const list = Array.from({ length: 200_000 }, (_, index) => index);
    const output = await outputOf(
      aggregate,
      { ...one("max", { field: "{{item}}" }), items: "{{list}}" },
      { outputs: { list } },
    );
    expect(output).toEqual({ x: 199_999 });
  });

  it("has null for a sum that no number can hold", async () => {
    expect(await outputOf(aggregate, { ...one("sum", { field: "{{item}}" }), items: [1e308, 1e308] })).toEqual({
      x: null,
    });
  });

  it("fails when items is no list", async () => {
    const message = "items has to be a list, but its template yielded nothing; check its path";
    const outcome = await runNode(aggregate, { ...one("count"), items: "{{shop.gone}}" }, around);
    expect(outcome).toEqual({ kind: "fail", error: { code: "VALIDATION_ERROR", message } });
  });

  it("has one way in and one way out", () => {
    expect(bindNode(aggregate, one("count"))).toMatchObject({ sources: ["default"], targets: ["default"] });
  });

  const operation = { id: "o", key: "x", op: "count" };
  const ops = '"sum", "avg", "min", "max", "concat", "count", "collect", "first", "last"';
  const findings: [data: object, finding: string][] = [
    [{ items: undefined }, "error /items: items is missing: give a value, or a template such as {{order.total}}"],
    [{ operations: [] }, "error /operations: operations must be a list of at least 1"],
    [
      { operations: [{ ...operation, key: "" }] },
      "error /operations/0/key: operations[0].key must be text that is not empty",
    ],
    [
      { operations: [{ ...operation, op: "median" }] },
      `error /operations/0/op: operations[0].op must be one of ${ops}`,
    ],
    [
      { operations: [operation, operation] },
      "warning /operations/1/key: operations[1].key repeats x of operations[0]: the last one wins",
    ],
    [
      { operations: [{ ...operation, field: "a b" }] },
      'error /operations/0/field: operations[0].field is no path, at character 3: unexpected "b": write a plain path such as order.items[0].name or a["odd key"]',
    ],
    [
      { groupBy: "{{order.id}}" },
      "error /groupBy: groupBy is a path into the item: write price or {{item.price}}; other templates can't stand here",
    ],
    [{ groupBy: "" }, "error /groupBy: groupBy is empty: write a path into the item, such as price"],
    [
      { operations: [{ ...operation, separator: "{{}}" }] },
      "error /operations/0/separator: the template is empty: write a path such as {{order.total}}",
    ],
  ];
  it.each(findings)("%j is answered by one finding", (data, finding) => {
    expect(checkNode(aggregate, { ...one("count"), ...data })).toEqual([finding]);
  });

  it.each(["sum", "avg", "min", "max", "concat"])("%s needs a field", (op) => {
    expect(checkNode(aggregate, one(op))).toEqual([
      "error /operations/0/field: operations[0].field is missing: it must be text",
    ]);
  });
});
