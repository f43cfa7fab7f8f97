import * as z from "zod";
import { maxLoopItems } from "../contract/limits.ts";
import { keyName } from "../contract/workflow.ts";
import { defineNode, fail } from "../engine/node.ts";
import { isList, noList } from "./list-field.ts";
import { template } from "./template-field.ts";

/** Runs its body once for each item, one after the other (spec 2.10, contract 5). The engine iterates and completes it. */
export const loop = defineNode({
  type: "loop",
  title: "Loop",
  group: "Flow",
  summary:
    "Runs what follows `loop` for each item, then goes on at `done`. Output: `{iterations, totalItems}`, each iteration as `{index, item, output}`.",
  config: z.strictObject({
    items: template("The list"),
    itemVariable: keyName.default("item").describe("Name under which the body reads its item"),
    batchSize: z.int().min(1).default(1).describe("Checked, but without effect: one item is one iteration"),
  }),
  templates: ["/items/**"],
  sources: () => ["loop", "done"],
  live: () => ["done"],
  timeoutMs: () => null,
  ignores: ["maxRetries"],
  run({ config: { items } }) {
    if (!isList(items)) return noList(items);
    if (items.length <= maxLoopItems) return { kind: "iterate" };
    const message = `A loop takes at most ${maxLoopItems} items and got ${items.length}; filter or split them`;
    return fail("VALIDATION_ERROR", message);
  },
});
