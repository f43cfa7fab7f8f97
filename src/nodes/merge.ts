import * as z from "zod";
import { defineNode, done } from "../engine/node.ts";

/** Waits until every inbound edge is completed, failed or skipped (spec 2.10). The engine waits; this collects. */
export const merge = defineNode({
  type: "merge",
  title: "Merge",
  group: "Flow",
  summary:
    "Waits for all its inputs. Output: an object with what came in at each of `input_0`, `input_1` …, null where an edge was skipped.",
  config: z.strictObject({
    mode: z.literal("wait_for_all").default("wait_for_all").describe("The only one there is"),
    inputs: z.int().min(2).max(8).describe("How many target handles there are; each takes one edge"),
  }),
  targets: ({ inputs }) => handles(inputs),
  timeoutMs: () => null,
  ignores: ["maxRetries"],
  run({ config, inputs }) {
    return done(Object.fromEntries(handles(config.inputs).map((handle) => [handle, inputs.get(handle) ?? null])));
  },
});

function handles(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `input_${index}`);
}
