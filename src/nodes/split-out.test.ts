import { describe, expect, it } from "vitest";
import { bindNode, checkNode, outputOf, runNode } from "../../test/support/run-node.ts";
import { splitOut } from "./split-out.ts";

const order = { id: 7, lines: [1, 2], cart: { lines: [3], note: "n", boxes: [{ lines: [4], size: 1 }, { size: 2 }] } };
const around = { outputs: { order, first: { other: true } }, upstream: { up: 1 } };

describe("split_out", () => {
  it("puts out the list and its length, without its parent unless told otherwise", async () => {
    expect(await outputOf(splitOut, { items: "{{order.lines}}" }, around)).toEqual({ items: [1, 2], count: 2 });
    expect(await outputOf(splitOut, { items: [] }, around)).toEqual({ items: [], count: 0 });
  });

  const { lines: _, ...withoutLines } = order;
  const { lines: __, ...cartWithoutLines } = order.cart;
  const parents: [items: unknown, parent: object][] = [
    ["{{order.lines}}", withoutLines],
    ["{{ order.output.lines }}", withoutLines],
    ["{{order.cart.lines}}", { ...order, cart: cartWithoutLines }],
    ["{{order.cart.boxes[0].lines}}", { ...order, cart: { ...order.cart, boxes: [{ size: 1 }, { size: 2 }] } }],
    [["{{order.id}}"], { up: 1 }],
    [[7], { up: 1 }],
  ];
  it.each(parents)("spreads the parent of %j without the list", async (items, parent) => {
    const before = structuredClone(order);
    const output = await outputOf(splitOut, { items, includeParent: true }, around);
    expect(output).toEqual({ ...parent, items: expect.any(Array) as unknown[], count: expect.any(Number) as number });
    expect(order).toEqual(before);
  });

  it("takes a list out of a list of lists", async () => {
    const outputs = { a: { rows: [[1], [2], [3]] } };
    const output = await outputOf(splitOut, { items: "{{a.rows[1]}}", includeParent: true }, { outputs });
    expect(output).toEqual({ rows: [[1], [3]], items: [2], count: 1 });
  });

  it.each([
    ["{{a}}", [1]],
    ["{{a[0]}}", [[1]]],
  ])("has no parent fields where %s is read from a list", async (items, a) => {
    const output = await outputOf(splitOut, { items, includeParent: true }, { outputs: { a } });
    expect(output).toEqual({ items: [1], count: 1 });
  });

  it("puts its own items and count over those of the parent, and keeps __proto__ a plain key", async () => {
    const a = JSON.parse('{"items":[5],"count":9,"list":[1],"__proto__":{"x":1}}') as never;
    const output = await outputOf(splitOut, { items: "{{a.list}}", includeParent: true }, { outputs: { a } });
    expect(JSON.stringify(output)).toBe('{"items":[1],"count":1,"__proto__":{"x":1}}');
  });

  it("fails when items is no list", async () => {
    const message = "items has to be a list, but its template yielded a number";
    const outcome = await runNode(splitOut, { items: "{{order.id}}", includeParent: true }, around);
    expect(outcome).toEqual({ kind: "fail", error: { code: "VALIDATION_ERROR", message } });
  });

  it("has one way in, one way out and its defaults", () => {
    expect(bindNode(splitOut, { items: [] })).toMatchObject({ sources: ["default"], targets: ["default"] });
    expect(splitOut.config.parse({ items: [] })).toEqual({ items: [], includeParent: false, itemKey: "item" });
    expect(checkNode(splitOut, { items: [], itemKey: "line" })).toEqual([]);
  });

  const findings: [data: object, finding: string][] = [
    [{}, "error /items: items is missing: give a value, or a template such as {{order.total}}"],
    [{ items: [], includeParent: "yes" }, "error /includeParent: includeParent must be true or false"],
    [{ items: [], itemKey: "" }, "error /itemKey: itemKey must be text that is not empty"],
  ];
  it.each(findings)("%j is answered by one finding", (data, finding) => {
    expect(checkNode(splitOut, data)).toEqual([finding]);
  });
});
