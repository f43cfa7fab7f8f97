import { describe, expect, it } from "vitest";
import { defaultLimits } from "../contract/limits.ts";
import { bindNode, checkNode, outputOf } from "../../test/support/run-node.ts";
import { merge } from "./merge.ts";

describe("merge", () => {
  it("puts out what came in at each handle, null for a skipped edge", async () => {
    const inputs = { input_2: { b: 1 }, input_0: "a", input_1: null };
    const output = await outputOf(merge, { mode: "wait_for_all", inputs: 3 }, { inputs });
    expect(JSON.stringify(output)).toBe('{"input_0":"a","input_1":null,"input_2":{"b":1}}');
  });

  it("has null at a handle that no edge leads to", async () => {
    expect(await outputOf(merge, { inputs: 2 }, { inputs: { input_0: 1 } })).toEqual({ input_0: 1, input_1: null });
  });

  it("has as many target handles as inputs", () => {
    const { targets, sources, timeoutMs } = bindNode(merge, { inputs: 4 });
    expect(targets).toEqual(["input_0", "input_1", "input_2", "input_3"]);
    expect(sources).toEqual(["default"]);
    expect(timeoutMs(defaultLimits)).toBeNull();
    expect(merge).toMatchObject({ ignores: ["maxRetries"] });
    expect(merge.config.parse({ inputs: 2 })).toEqual({ mode: "wait_for_all", inputs: 2 });
  });

  const findings: [data: object, finding: string][] = [
    [{}, "error /inputs: inputs is missing: it must be a number"],
    [{ inputs: 1 }, "error /inputs: inputs must be at least 2"],
    [{ inputs: 9 }, "error /inputs: inputs must be at most 8"],
    [{ inputs: 2.5 }, "error /inputs: inputs must be a whole number"],
    [{ inputs: 2, mode: "first" }, 'error /mode: mode must be "wait_for_all"'],
  ];
  it.each(findings)("%j is answered by one finding", (data, finding) => {
    expect(checkNode(merge, data)).toEqual([finding]);
  });
});
