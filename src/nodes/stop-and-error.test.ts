import { describe, expect, it } from "vitest";
import { bindNode, checkNode, runNode } from "../../test/support/run-node.ts";
import { stopAndError } from "./stop-and-error.ts";

const around = { outputs: { order: { id: 7, lines: [1], code: "OUT_OF_STOCK" } } };

describe("stop_and_error", () => {
  const cases: [data: object, code: string, message: string][] = [
    [{ errorMessage: "No such order" }, "WORKFLOW_STOPPED", "No such order"],
    [{ errorMessage: "Order {{order.id}}", errorCode: "NO_ORDER" }, "NO_ORDER", "Order 7"],
    [{ errorMessage: "{{order.id}}", errorCode: "{{order.code}}" }, "OUT_OF_STOCK", "7"],
    [{ errorMessage: "{{order.lines}}", errorCode: "{{order.gone}}" }, "WORKFLOW_STOPPED", "[1]"],
    [{ errorMessage: "{{order.gone}}" }, "WORKFLOW_STOPPED", "The workflow was stopped without a message"],
  ];
  it.each(cases)("%j fails with %s: %s", async (data, code, message) => {
    expect(await runNode(stopAndError, data, around)).toEqual({ kind: "fail", error: { code, message } });
  });

  it("leads nowhere, and neither retries nor goes on", () => {
    expect(bindNode(stopAndError, { errorMessage: "x" })).toMatchObject({ sources: [], targets: ["default"] });
    expect(stopAndError.ignores).toEqual(["maxRetries", "continueOnFailure"]);
  });

  it("needs a message", () => {
    const finding = "error /errorMessage: errorMessage is missing: give a value, or a template such as {{order.total}}";
    expect(checkNode(stopAndError, {})).toEqual([finding]);
  });
});
