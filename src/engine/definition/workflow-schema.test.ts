import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { testCatalogue } from "../../../test/support/definitions.ts";
import { defineNode, done } from "../node.ts";
import { buildWorkflowSchema } from "./workflow-schema.ts";

const wait = defineNode({
  type: "code",
  title: "Choice",
  group: "Utilities",
  summary: "A config that is a choice of two.",
  config: z.discriminatedUnion("mode", [
    z.strictObject({ mode: z.literal("duration"), amount: z.number() }),
    z.strictObject({ mode: z.literal("until"), until: z.string() }),
  ]),
  run: () => done(null),
});
const validate = new Ajv({ strict: false }).compile(buildWorkflowSchema([...testCatalogue, wait]));
const accepts = (nodes: string, edges = "[]", rest = "") =>
  validate(parse(`name: x\nnodes: [${nodes}]\nedges: ${edges}\n${rest}`));

describe("buildWorkflowSchema", () => {
  it.each([
    ["a node without data", "{id: a, type: noop}"],
    ["settings beside config", "{id: a, type: set, data: {limit: 3, maxRetries: 2, label: x, requireApproval: true}}"],
    [
      "settings in every branch of a choice",
      "{id: a, type: code, data: {mode: until, until: x, continueOnFailure: true}}",
    ],
    ["a placeholder's label", "{id: a, type: return_output, data: {label: x, properties: [{name: a, type: string}]}}"],
  ])("accepts %s", (_, node) => {
    expect(accepts(node)).toBe(true);
  });

  it.each([
    ["an unknown node type", "{id: a, type: transform}"],
    ["a bad id", "{id: 1a, type: noop}"],
    ["an unknown field of a node", "{id: a, type: noop, lable: x}"],
    ["an unknown field of a config", "{id: a, type: set, data: {vlaue: 1}}"],
    ["a value out of range", "{id: a, type: set, data: {limit: 10}}"],
    ["a setting out of range", "{id: a, type: set, data: {maxRetries: 11}}"],
    ["a setting without effect", "{id: a, type: loop, data: {items: x, maxRetries: 1}}"],
    ["a setting on a placeholder", "{id: a, type: return_output, data: {requireApproval: true}}"],
    ["a missing field", "{id: a, type: condition, data: {}}"],
    ["missing data", "{id: a, type: condition}"],
    ["a field of another branch", "{id: a, type: code, data: {mode: until, until: x, amount: 1}}"],
  ])("refuses %s", (_, node) => {
    expect(accepts(node)).toBe(false);
  });

  it.each([
    ["[a -> b, a.true -> m.input_0]", true],
    ["[{source: a, target: b}, {id: e1, source: a, target: b, sourceHandle: x, targetHandle: y}]", true],
    ["[a to b]", false],
    ["[{source: a}]", false],
    ["[{source: a, target: b, source_handle: x}]", false],
  ])("takes edges %s: %s", (edges, isAccepted) => {
    expect(accepts("", edges)).toBe(isAccepted);
  });

  it("knows what files may say beside the definition, and nothing else", () => {
    expect(accepts("", "[]", "id: w\nslug: x\nconcurrency: 2\n$schema: here\napproval_policy: always")).toBe(true);
    expect(accepts("", "[]", "approval_policy: sometimes")).toBe(false);
    expect(accepts("", "[]", "version: 3")).toBe(false);
  });
});
