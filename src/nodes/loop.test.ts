import { describe, expect, it } from "vitest";
import { defaultLimits } from "../contract/limits.ts";
import { bindNode, checkNode, runNode } from "../../test/support/run-node.ts";
import { loop } from "./loop.ts";

const numbers = (length: number) => Array.from({ length }, (_, index) => index);

describe("loop", () => {
  it.each([[[]], [["a", null]], [numbers(10_000)]])("hands a good list over to the engine: %#", async (items) => {
    expect(await runNode(loop, { items: "{{a.list}}" }, { outputs: { a: { list: items } } })).toEqual({
      kind: "iterate",
    });
  });

  const failures: [items: unknown, message: string][] = [
    ["{{a.gone}}", "items has to be a list, but its template yielded nothing; check its path"],
    [
      "a, b",
      "items has to be a list, but its template yielded a text; a Set with the type json reads a list out of one",
    ],
    [numbers(10_001), "A loop takes at most 10000 items and got 10001; filter or split them"],
  ];
  it.each(failures)("fails on a bad list: %#", async (items, message) => {
    const outcome = await runNode(loop, { items });
    expect(outcome).toEqual({ kind: "fail", error: { code: "VALIDATION_ERROR", message } });
  });

  it("has a handle for its body and one for what follows, and goes on at done alone", () => {
    const bound = bindNode(loop, { items: [] });
    expect(bound.sources).toEqual(["loop", "done"]);
    expect(bound.live({ iterations: [], totalItems: 0 })).toEqual(["done"]);
    expect(bound.timeoutMs(defaultLimits)).toBeNull();
    expect(loop).toMatchObject({ ignores: ["maxRetries"] });
  });

  it("calls its item `item`, one at a time, unless told otherwise", () => {
    expect(loop.config.parse({ items: [] })).toEqual({ items: [], itemVariable: "item", batchSize: 1 });
    expect(checkNode(loop, { items: [], itemVariable: "order", batchSize: 50 })).toEqual([]);
  });

  const findings: [data: object, finding: string][] = [
    [{}, "error /items: items is missing: give a value, or a template such as {{order.total}}"],
    [
      { items: [], itemVariable: "an item" },
      "error /itemVariable: itemVariable must be letters, digits and _, starting with a letter or _",
    ],
    [{ items: [], batchSize: 0 }, "error /batchSize: batchSize must be at least 1"],
    [{ items: [], batchSize: 1.5 }, "error /batchSize: batchSize must be a whole number"],
  ];
  it.each(findings)("%j is answered by one finding", (data, finding) => {
    expect(checkNode(loop, data)).toEqual([finding]);
  });
});
