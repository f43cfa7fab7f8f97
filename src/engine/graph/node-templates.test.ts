import { describe, expect, it } from "vitest";
import * as z from "zod";
import { nodeSettings } from "./node-settings.ts";
import { configTemplates } from "./node-templates.ts";
import { defineNode, done } from "../node.ts";

const filter = defineNode({
  type: "filter",
  title: "Filter",
  group: "Data",
  summary: "Test double.",
  config: z.strictObject({
    items: z.string(),
    label2: z.string().default("none"),
    conditions: z
      .array(z.strictObject({ id: z.string(), field: z.string(), value: z.unknown().optional() }))
      .default([]),
  }),
  templates: ["/items"],
  lateTemplates: { pointers: ["/conditions/*/field", "/conditions/*/value/**"], roots: ["item"] },
  run: () => done(null),
});

const settings = nodeSettings.parse({});

describe("configTemplates", () => {
  const scope = { read: (root: string, path: readonly unknown[]) => [root, ...path].join("/") };
  const config = {
    items: "{{list.rows}}",
    label2: "{{no.template}}",
    conditions: [{ id: "{{id}}", field: "{{item.a}}", value: { deep: ["{{b}}", 3] } }],
  };
  const templates = configTemplates(filter, config, nodeSettings.parse({ approvalDescription: "Pay {{a.sum}}?" }));

  const resolved = templates.resolve(scope);
  const conditions = [{ id: "{{id}}", field: "{{item.a}}", value: { deep: ["b", 3] } }];

  it("resolves the declared fields alone, and leaves what reads the handler's own roots as it is", () => {
    expect(resolved).toEqual({ ...config, items: "list/rows", conditions });
    expect(templates.raw).toEqual(config);
  });

  it("renders the handler's own templates when asked", () => {
    expect(templates.renderLate("/conditions/0/field", resolved, () => scope)).toBe("item/a");
    expect(templates.renderLate("/conditions/7/value", resolved, () => scope)).toBeUndefined();
  });

  it("takes those that were resolved before from the config, whatever they would yield now", () => {
    const later = { read: () => "later" };
    expect(templates.renderLate("/conditions/0/value", resolved, () => later)).toEqual({ deep: ["b", 3] });
  });

  it("keeps a key that is named like a wild card from standing for its siblings", () => {
    const starred = { items: "x", conditions: [{ id: "a", field: "b", value: { "*": "{{b}}", c: "{{d}}" } }] };
    const own = configTemplates(filter, starred, settings);
    expect(own.resolve(scope)).toMatchObject({ conditions: [{ value: { "*": "{{b}}", c: "d" } }] });
    const value = own.renderLate("/conditions/0/value", own.resolve(scope), () => scope);
    expect(value).toEqual({ "*": "b", c: "d" });
  });

  it("lists what is read, early and late, with the approval's description", () => {
    expect(templates.references.map(({ text, pointer }) => [text, pointer])).toEqual([
      ["list.rows", "/items"],
      ["a.sum", "/approvalDescription"],
    ]);
    expect(templates.lateReferences.map(({ text }) => text)).toEqual(["item.a", "b"]);
  });

  it.each([
    ["{{list.rows}}", "list"],
    ["{{ list.rows }}", "list"],
    [" {{list.rows}}", undefined],
    ["{{list.rows}}{{a}}", undefined],
    ["text", undefined],
  ])("knows whether %j is one template and nothing else", (items, root) => {
    expect(configTemplates(filter, { items }, settings).referenceAt("/items")?.root).toBe(root);
  });

  it("collects malformed templates of every kind", () => {
    const broken = { items: "{{}}", conditions: [{ id: "a", field: "{{x" }] };
    const { problems } = configTemplates(filter, broken, nodeSettings.parse({ approvalDescription: "{{a + 1}}" }));
    expect(problems.map(({ pointer }) => pointer)).toEqual(["/items", "/conditions/0/field", "/approvalDescription"]);
  });

  it("takes a config that is no object as empty", () => {
    expect(configTemplates(filter, null, settings).resolve(scope)).toEqual({});
  });
});
