import * as z from "zod";
import { defineNode, done } from "../engine/node.ts";

/** Hands on what came in (spec 2.10): a place for branches to meet, or for a gate. */
export const noop = defineNode({
  type: "noop",
  title: "Noop",
  group: "Utilities",
  summary: "Does nothing. Output: the first upstream output, null when there is none.",
  config: z.strictObject({}),
  run: ({ upstream }) => done(upstream),
});
