import * as z from "zod";
import { defineNode } from "../engine/node.ts";
import { checkProperties, property } from "./properties.ts";

/** Where a callable workflow begins (spec 2.3); its properties are the input schema. No step: it writes no events. */
export const actionInput = defineNode({
  type: "action_input",
  title: "Action Input",
  group: "Placeholder",
  summary: "Begins a callable workflow and declares its input. Output: the input, read as `{{action_input.field}}`.",
  config: z.strictObject({
    properties: z.array(property).default([]).describe("What callers give"),
  }),
  targets: () => [],
  check: ({ properties }) => checkProperties(properties),
});
