import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readConfig } from "./node-config.ts";
import { nodeSettings } from "./node-settings.ts";
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
  run: () => done(null),
});

const settings = nodeSettings.parse({});

describe("readConfig", () => {
  it("parts settings from config and fills in defaults", () => {
    const read = readConfig(filter, { items: "{{a}}", maxRetries: 2, label: "Keep" });
    expect(read).toMatchObject({
      issues: [],
      unknownFields: [],
      config: { items: "{{a}}", label2: "none", conditions: [] },
    });
    expect(read.settings).toEqual({ ...settings, maxRetries: 2, label: "Keep" });
  });

  it("reports a setting out of range and goes on with its default", () => {
    const read = readConfig(filter, { items: "x", maxRetries: 11, continueOnFailure: "yes", requireApproval: true });
    expect(read.issues).toEqual([
      {
        severity: "error",
        code: "invalid_setting",
        pointer: "/continueOnFailure",
        message: "continueOnFailure must be true or false",
      },
      { severity: "error", code: "invalid_setting", pointer: "/maxRetries", message: "maxRetries must be at most 10" },
    ]);
    expect(read.settings).toEqual({ ...settings, requireApproval: true });
  });

  it("drops unknown fields and names what was probably meant, settings included", () => {
    const read = readConfig(filter, {
      items: "x",
      max_retries: 1,
      conditions: [{ id: "a", field: "b", vlaue: 1 }],
      zzz: 1,
    });
    expect(read.issues).toEqual([]);
    expect(read.config).toEqual({ items: "x", label2: "none", conditions: [{ id: "a", field: "b" }] });
    expect(read.unknownFields).toEqual([
      { pointer: "/conditions/0/vlaue", name: "vlaue", nearest: "value" },
      { pointer: "/max_retries", name: "max_retries", nearest: "maxRetries" },
      { pointer: "/zzz", name: "zzz", nearest: null },
    ]);
  });

  it("says what is wrong with a config", () => {
    expect(readConfig(filter, { conditions: [{ id: "a" }] }).issues).toEqual([
      { severity: "error", code: "invalid_config", pointer: "/items", message: "items is missing: it must be text" },
      {
        severity: "error",
        code: "invalid_config",
        pointer: "/conditions/0/field",
        message: "conditions[0].field is missing: it must be text",
      },
    ]);
  });
});
