import { describe, expect, it } from "vitest";
import { didYouMean, nearestName } from "./nearest-name.ts";

describe("nearestName", () => {
  it.each([
    ["lable", ["name", "label"], "label"],
    ["max_retries", ["maxRetries", "requireApproval"], "maxRetries"],
    ["conditons", ["combinator", "conditions"], "conditions"],
    ["TEXT_CONTAIN", ["TEXT_STARTS_WITH", "TEXT_CONTAINS"], "TEXT_CONTAINS"],
    ["Set", ["set", "noop"], "set"],
    ["opp", ["op", "id"], "op"],
    ["chek", ["check", "cheek"], "check"],
    ["__proto__", ["proto"], "proto"],
    ["bool", ["string", "boolean"], "boolean"],
    ["amounts_total", ["amount", "amountsTotalNet"], "amountsTotalNet"],
  ])("takes %s for one of %j", (name, known, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  it.each([
    ["http", ["set", "code"]],
    ["id", ["op"]],
    ["a", ["b"]],
    ["url", ["key", "run"]],
    ["x".repeat(100_000), ["conditions"]],
    ["", ["a"]],
    ["st", ["string"]],
    ["anything", []],
  ])("finds nothing near %s in %j", (name, known) => {
    expect(nearestName(name, known)).toBeNull();
  });

  it("words the suggestion for the end of a message", () => {
    expect(didYouMean("lable", ["label"])).toBe("; did you mean label?");
    expect(didYouMean("lable", [])).toBe("");
  });
});
