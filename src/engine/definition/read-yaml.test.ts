import { describe, expect, it } from "vitest";
import { complexity } from "../../contract/limits.ts";
import { readYaml } from "./read-yaml.ts";

const codes = (text: string) => readYaml(text).problems.map(({ code, at }) => [code, at]);

describe("readYaml", () => {
  it("reads YAML 1.2: yes and dates are texts, and numbers are JSON's", () => {
    const { root, problems } = readYaml("a: yes\nb: 2020-01-01\nc: 0x10\nd: 1.5\ne: ~\nf: [on, true]\n<<: {g: 1}");
    expect(problems).toEqual([]);
    expect(root?.value).toEqual({ a: "yes", b: "2020-01-01", c: 16, d: 1.5, e: null, f: ["on", true], "<<": { g: 1 } });
  });

  it("stays with YAML 1.2 where a directive asks for 1.1", () => {
    expect(readYaml("%YAML 1.1\n---\na: yes").root?.value).toEqual({ a: "yes" });
  });

  it.each([
    ["a: .nan", "not_json", 3],
    ["a: [.inf]", "not_json", 4],
    ["a: !!binary aGk=", "not_json", 3],
    ["a: !!timestamp 2020-01-01", "not_json", 3],
    ["a: !mine x", "not_json", 3],
    ["1: x", "not_json", 0],
    ["true: x", "not_json", 0],
    ["? [a]\n: x", "not_json", 2],
    ["a: *nobody", "not_json", 3],
    ["a: &x [*x]", "not_json", 7],
    ["a: 1\nb: 2\na: 3", "duplicate_key", 10],
    ["", "empty_file", 0],
    ["# nothing", "empty_file", 0],
    ["a: 1\n---\nb: 2", "invalid_yaml", 5],
    ["\ta: 1", "invalid_yaml", 0],
    ['a: "x', "invalid_yaml", 5],
  ])("refuses %j as %s", (text, code, at) => {
    expect(codes(text)).toEqual([[code, at]]);
  });

  it("says in its own words that a file holds one document", () => {
    expect(readYaml("a: 1\n---\nb: 2").problems.map(({ message }) => message)).toEqual([
      "The file holds several documents, parted by ---; each belongs into a file of its own",
    ]);
  });

  it("finds several problems in one go", () => {
    expect(codes("a: .nan\na: 1\n2: !x y").map(([code]) => code)).toEqual([
      "not_json",
      "not_json",
      "duplicate_key",
      "not_json",
    ]);
  });

  it("lets aliases share values", () => {
    expect(readYaml("a: &x {b: [1]}\nc: *x\nd: [*x, *x]").root?.value).toEqual({
      a: { b: [1] },
      c: { b: [1] },
      d: [{ b: [1] }, { b: [1] }],
    });
  });

  it("stops aliases that multiply without end", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 30; level += 1) {
      lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(", ")}]`);
    }
    const { root, problems } = readYaml(lines.join("\n"));
    expect(problems.length).toBeGreaterThan(0);
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(["too_many_aliases"]));
    expect(JSON.stringify(root?.value).length).toBeLessThan(complexity.bytes * 20);
  });

  it("counts the length of texts that aliases repeat", () => {
    const text = `a: &a ${"x".repeat(100_000)}\nb: [${Array.from({ length: 200 }, () => "*a").join(", ")}]`;
    expect(codes(text)).toEqual([["too_many_aliases", 100_010]]);
  });

  it("refuses more than 64 levels, written out or by aliases", () => {
    expect(codes("[".repeat(65) + "]".repeat(65))).toEqual([["too_deep", 64]]);
    const chain = ["a0: &a0 [1]"];
    for (let level = 1; level < 200; level += 1) chain.push(`a${level}: &a${level} [*a${level - 1}]`);
    expect(codes(chain.join("\n")).map(([code]) => code)).toContain("too_deep");
    expect(readYaml("[".repeat(200_000)).problems.length).toBeGreaterThan(0);
  });

  it("reads a hundred thousand keys in reasonable time", () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join("\n");
    expect(readYaml(text).problems).toEqual([]);
  });
});
