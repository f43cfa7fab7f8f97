import * as z from "zod";
import type { Json } from "../contract/json.ts";
import { coerceProperty, type Coerced } from "../engine/values/coerce.ts";
import { deepEqual } from "../engine/values/json.ts";
import { defineNode, done, fail } from "../engine/node.ts";
import { checkProperties, property } from "./properties.ts";
import { template } from "./template-field.ts";

const outputProperty = property.extend({ value: template("What it is, turned into its type") });

/** Gives the run its output (spec 2.3, contract 2). A value that is missing takes the default, or leaves its key out. */
export const returnOutput = defineNode({
  type: "return_output",
  title: "Return Output",
  group: "Placeholder",
  summary:
    "Gives the run its output; the first one that completes counts. Output: the object of its properties, or the first upstream output when it declares none.",
  config: z.strictObject({
    properties: z.array(outputProperty).default([]).describe("What the run returns"),
  }),
  templates: ["/properties/*/value/**"],
  sources: () => [],
  ignores: ["maxRetries", "continueOnFailure"],
  check: ({ properties }) => checkProperties(properties),
  run({ config: { properties }, upstream }) {
    if (properties.length === 0) return done(upstream);
    const output: [string, Json][] = [];
    for (const entry of properties) {
      const read = readOutput(entry);
      if (!read.ok) return fail("VALIDATION_ERROR", `Can't return ${entry.name}: ${read.message}`);
      if (read.value !== undefined) output.push([entry.name, read.value]);
    }
    return done(Object.fromEntries(output));
  },
});

/** Messages name what is allowed, never the value: it may be a secret. */
function readOutput({
  type,
  required,
  value,
  default: preset,
  enum: allowed,
}: z.infer<typeof outputProperty>): Coerced<Json | undefined> {
  const read = coerceProperty(value === undefined ? preset : value, type);
  if (!read.ok) return read;
  if (read.value === undefined)
    return required ? { ok: false, message: "it is required, but its template yielded nothing" } : read;
  if (!allowed || allowed.some((choice) => deepEqual(choice, read.value))) return read;
  return { ok: false, message: `it has to be one of ${allowed.map((choice) => JSON.stringify(choice)).join(", ")}` };
}
