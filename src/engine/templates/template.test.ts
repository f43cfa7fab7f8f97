import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leastCpuMs } from "../../../test/support/cpu-time.ts";
import { readPath, toText, type Json } from "../values/json.ts";
import { compileConfig, compileTemplate, maxTextLength, type Scope, type Template } from "./template.ts";

const values = {
  order: { id: "o-1", total: 12.5, paid: false, note: null, tags: ["a", "b"], "odd key": "odd", empty: "" },
  tricky: { text: "{{order.id}} {{{{ }}" },
  item: "one",
};

function scopeOf(roots: Record<string, unknown>): Scope {
  return { read: (root, path) => readPath(roots, [root, ...path]) };
}

const scope = scopeOf(values);

function compile(source: string): Template {
  const template = compileTemplate(source);
  if ("problems" in template) throw new Error(`${source}: ${JSON.stringify(template.problems)}`);
  return template;
}

describe("a template that stands alone keeps the value's type", () => {
  const cases: [source: string, value: unknown][] = [
    ["{{order.id}}", "o-1"],
    ["{{order.total}}", 12.5],
    ["{{ order.paid }}", false],
    ["{{order.note}}", null],
    ["{{order.tags}}", ["a", "b"]],
    ["{{order.tags[1]}}", "b"],
    ["{{order.tags.1}}", "b"],
    ["{{order.tags.length}}", 2],
    ["{{order.id.length}}", 3],
    ['{{order["odd key"]}}', "odd"],
    ["{{\n  order . id\n}}", "o-1"],
    ["{{item}}", "one"],
    ["{{order.missing.deeper}}", undefined],
    ["{{nowhere}}", undefined],
    ["{{order.__proto__.polluted}}", undefined],
    ["{{order.constructor.constructor}}", undefined],
    ["{{order.toString}}", undefined],
  ];

  it.each(cases)("%s", (source, value) => {
    expect(compile(source).resolve(scope)).toEqual(value);
  });
});

describe("inside longer text, values become text", () => {
  const cases: [source: string, text: string][] = [
    ["", ""],
    ["no template } {", "no template } {"],
    ["Order {{order.id}}!", "Order o-1!"],
    [" {{order.id}}", " o-1"],
    ["{{order.id}}{{order.total}}", "o-112.5"],
    ["{{order.tags}} {{order.paid}}", '["a","b"] false'],
    ["[{{order.note}}{{order.missing}}{{order.empty}}]", "[]"],
    ['{"v":{{order.total}}}', '{"v":12.5}'],
    ["{{order.total}}}}", "12.5}}"],
    ["a }} b", "a }} b"],
    ['{{order["}}"]}}-{{item}}', "-one"],
    ["{{{{", "{{"],
    ["{{{{order.id}}", "{{order.id}}"],
    ["{{{{a}}}}", "{{a}}}}"],
    ["{{{{{", "{{{"],
    ["{{{{{{item}}", "{{one"],
    ["{{{{{{{{", "{{{{"],
    ["say {{{{item}} = {{item}}", "say {{item}} = one"],
  ];

  it.each(cases)("%j", (source, text) => {
    expect(compile(source).resolve(scope)).toBe(text);
  });

  it("what a template yields is never resolved again", () => {
    expect(compile("{{tricky.text}}").resolve(scope)).toBe(values.tricky.text);
    expect(compile(">{{tricky.text}}<").resolve(scope)).toBe(`>${values.tricky.text}<`);
  });

  it("a text that outgrows its limit is refused by name instead of filling the memory", () => {
    const big = scopeOf({ big: "x".repeat(maxTextLength / 2) });
    expect(compile("{{big}}{{big}}").resolve(big)).toHaveLength(maxTextLength);
    expect(() => compile("{{big}}{{big}}.").resolve(big)).toThrow(/grew past 16777216 characters/);
  });
});

describe("malformed templates are problems with their place", () => {
  const cases: [source: string, offset: number, message: RegExp][] = [
    ["{{}}", 0, /empty/],
    ["ab {{   }} c", 3, /empty/],
    ["{{a + 1}}", 4, /unexpected "\+"/],
    ["{{a b}}", 4, /unexpected "b"/],
    ["{{a.}}", 4, /unexpected "}"/],
    ["{{a..b}}", 4, /unexpected "\."/],
    ["{{a | upper}}", 4, /unexpected "\|"/],
    ["{{f(1)}}", 3, /unexpected "\("/],
    ["{{#if a}}", 2, /unexpected "#"/],
    ["{{a}", 0, /never closed/],
    ["x {{a", 2, /never closed/],
    ["{{", 0, /never closed/],
    ["Dear {{name, order {{id}}", 5, /never closed/],
    ['{{a["x}}', 4, /quote " is never closed/],
    ['{{a["}}{{"] + 1}}', 12, /unexpected "\+"/],
    ["{{{a}}}", 0, /three braces/],
    ["{{{", 0, /three braces/],
    ["{{{{{{{a}}", 4, /three braces/],
    ["{{0}}", 2, /starts with the id/],
    ["{{1a.b}}", 2, /starts with the id/],
    ["{{-a}}", 2, /starts with the id/],
    ['{{ ["a"].b }}', 3, /starts with the id/],
    ["{{имя}}", 2, /starts with the id/],
  ];

  it.each(cases)("%j", (source, offset, message) => {
    expect(compileTemplate(source)).toEqual({ problems: [{ offset, message: expect.stringMatching(message) }] });
  });

  it("every problem of a text is reported, not the first alone", () => {
    const compiled = compileTemplate("{{}} {{ok}} {{a+b}} {{{x}}} {{open");
    expect("problems" in compiled && compiled.problems.map(({ offset }) => offset)).toEqual([0, 15, 20, 28]);
  });
});

describe("references", () => {
  it("name the root, the path behind it, and where they stand in the source", () => {
    const source = 'Hi {{ order.tags[0] }} and {{item["x y"]}}';
    const { references, constant } = compile(source);
    expect(references).toEqual([
      { root: "order", path: ["tags", 0], text: "order.tags[0]", offset: 6 },
      { root: "item", path: ["x y"], text: 'item["x y"]', offset: 29 },
    ]);
    expect(references.map(({ text, offset }) => source.startsWith(text, offset))).toEqual([true, true]);
    expect(constant).toBe(false);
  });

  it("a text without references is constant, also when it has escapes", () => {
    expect(["", "plain", "{{{{x}}"].map((source) => compile(source).constant)).toEqual([true, true, true]);
  });
});

describe("compileConfig", () => {
  it("resolves every text of objects and lists; a missing value leaves its key out, and is null in a list", () => {
    const config = {
      to: "{{order.id}}",
      gone: "{{order.missing}}",
      none: "{{order.note}}",
      list: ["{{order.missing}}", "{{item}}", 3, { gone: "{{nowhere}}" }],
      fixed: { n: 1, ok: true, nil: null, text: "{{{{x}}" },
    };
    expect(compileConfig(config).resolve(scope)).toStrictEqual({
      to: "o-1",
      none: null,
      list: [null, "one", 3, {}],
      fixed: { n: 1, ok: true, nil: null, text: "{{x}}" },
    });
  });

  it("a config that is one text resolves to its value, missing included", () => {
    expect(compileConfig("{{order.total}}").resolve(scope)).toBe(12.5);
    expect(compileConfig("{{nowhere}}").resolve(scope)).toBeUndefined();
    expect(compileConfig(7).resolve(scope)).toBe(7);
  });

  it("references and problems carry the JSON pointer of their text", () => {
    const { references, problems } = compileConfig({
      "a/b": [{ "x~y": "{{item.z}}" }],
      bad: ["{{}}"],
      worse: "{{{x}}}",
    });
    expect(references).toEqual([{ root: "item", path: ["z"], text: "item.z", offset: 2, pointer: "/a~1b/0/x~0y" }]);
    expect(problems.map(({ pointer, offset }) => [pointer, offset])).toEqual([
      ["/bad/0", 0],
      ["/worse", 0],
    ]);
  });

  const config = {
    id: "{{",
    conditions: [{ id: "{{", field: "{{item}}", value: ["{{item}}", "{{order.id}}"] }],
    headers: { "x/y": "{{item}}", b: "{{order.total}}" },
    whole: "{{order.id}}",
  };
  const masks: [fields: string[], pointers: string[]][] = [
    [[], []],
    [["/conditions/*/field"], ["/conditions/0/field"]],
    [["/conditions/*/value/**"], ["/conditions/0/value/0", "/conditions/0/value/1"]],
    [["/conditions/*/*"], ["/conditions/0/id!", "/conditions/0/field"]],
    [["/headers/*"], ["/headers/x~1y", "/headers/b"]],
    [["/headers/x~1y"], ["/headers/x~1y"]],
    [["/whole/**"], ["/whole"]],
    [["/conditions"], []],
    [
      ["/conditions/*/field", "/whole"],
      ["/conditions/0/field", "/whole"],
    ],
  ];

  it.each(masks)("with fields %j only the texts there are templates", (fields, pointers) => {
    const { references, problems } = compileConfig(config, { fields });
    const found = [...problems.map(({ pointer }) => `${pointer}!`), ...references.map(({ pointer }) => pointer)];
    expect(found).toEqual(pointers);
  });

  it("texts that are no fields stay as they are, braces included", () => {
    const code = "return `{{a}} {{{{ ${x}`";
    expect(compileConfig({ code, to: "{{item}}" }, { fields: ["/to"] }).resolve(scope)).toEqual({ code, to: "one" });
  });

  it("a part can be resolved alone, and says which template it is", () => {
    const compiled = compileConfig({ conditions: [{ field: "{{item}}", value: [1, "{{item}}"] }] });
    const other = scopeOf({ item: 5 });
    expect(compiled.at("/conditions/0/field")?.template?.references).toMatchObject([{ root: "item", path: [] }]);
    expect(compiled.at("/conditions/0/field")?.resolve(other)).toBe(5);
    expect(compiled.at("/conditions/0/value")?.resolve(other)).toEqual([1, 5]);
    expect(compiled.at("/conditions/0/value")?.template).toBeNull();
    expect(compiled.at("")?.resolve(other)).toEqual({ conditions: [{ field: 5, value: [1, 5] }] });
    expect(compiled.at("/conditions/1")).toBeUndefined();
    expect(compiled.at("/__proto__")).toBeUndefined();
  });

  it("a key named __proto__ stays a key", () => {
    const hostile = (text: string): Json =>
      JSON.parse(`{"__proto__": {"polluted": "${text}"}, "constructor": "${text}"}`);
    for (const text of ["{{item}}", "fixed"]) {
      const resolved = compileConfig(hostile(text)).resolve(scope);
      expect(JSON.stringify(resolved)).toBe(JSON.stringify(hostile(text === "fixed" ? "fixed" : "one")));
      expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype);
    }
    expect("polluted" in {}).toBe(false);
  });
});

const piece = fc.constantFrom(
  "{",
  "{{",
  "}}",
  "}",
  "a",
  "order",
  ".",
  "[0]",
  '["',
  '"]',
  " ",
  "{{order.id}}",
  "{{{{",
  "\\",
);

describe("whatever the text", () => {
  it("compiling never throws; every problem and reference lies inside the text", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const source = pieces.join("");
        const compiled = compileTemplate(source);
        const places = "problems" in compiled ? compiled.problems : compiled.references;
        for (const { offset } of places) expect(offset >= 0 && offset <= source.length).toBe(true);
        if ("problems" in compiled) expect(compiled.problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  it("a resolved text is its plain pieces and the values' texts, each put in once and as it came", () => {
    const plain = fc.string().map((text) => text.replaceAll("{", "("));
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom("{{x.v}}", "{{{{", "{{a}} }}"));
    fc.assert(
      fc.property(fc.array(fc.record({ before: plain, value }), { maxLength: 6 }), plain, (slots, after) => {
        const source = slots.map(({ before }, index) => `${before}{{x.v[${index}]}}`).join("") + after;
        const resolved = compile(source).resolve(scopeOf({ x: { v: slots.map((slot) => slot.value) } }));
        const [only] = slots;
        if (slots.length === 1 && only && only.before + after === "") expect(resolved).toBe(only.value);
        else expect(resolved).toBe(slots.map((slot) => slot.before + toText(slot.value)).join("") + after);
      }),
    );
  });

  it("any text can be escaped so that it comes out as it is", () => {
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => pieces.join("").replaceAll(/\{{3,}/g, "{{")),
        (text) => {
          expect(compile(text.replaceAll("{{", "{{{{")).resolve(scope)).toBe(text);
        },
      ),
    );
  });
});

const hostile: [name: string, source: string][] = [
  ["50 kB of {{", "{{".repeat(25_000)],
  ["100 kB of {{", "{{".repeat(50_000)],
  ["openings with a space", "{{ ".repeat(33_000)],
  ["openings with a name", "{{a ".repeat(25_000)],
  ["openings and one end", `${"{{a ".repeat(25_000)}}}`],
  ["empty templates", "{{}}".repeat(25_000)],
  ["three braces", "{{{ }} ".repeat(15_000)],
  ["open quotes", '{{a["'.repeat(20_000)],
  ["open quotes of both kinds", `{{a["{{b['`.repeat(10_000)],
  ["quotes with ends in them", '{{a["}}'.repeat(15_000)],
  ["ends", "}}".repeat(50_000)],
  ["white space", `{{${" ".repeat(100_000)}`],
  ["a path of dots", `{{a${".".repeat(100_000)}}}`],
  ["a deep path", `{{a${".a".repeat(50_000)}}}`],
  ["escapes in a quote", `{{a["${"\\\\".repeat(50_000)}`],
  ["references", "{{a.b}} ".repeat(12_500)],
  ["literals and references", "{{{{{{a}}".repeat(11_000)],
];

it.each(hostile)("100 kB of %s compile and resolve in under 50 ms", (_, source) => {
  const work = () => {
    const compiled = compileTemplate(source);
    if (!("problems" in compiled)) compiled.resolve(scope);
  };
  expect(leastCpuMs(work, 5)).toBeLessThan(50);
});
