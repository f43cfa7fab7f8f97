import * as z from "zod";
import { defineNode, done } from "../engine/node.ts";
import { evaluateConditions } from "../engine/values/operators.ts";
import { checkConditions, conditionFields, conditionTemplates } from "./conditions.ts";
import { isList, noList } from "./list-field.ts";
import { template } from "./template-field.ts";

/** Conditions over each item of a list (spec 2.10); their templates read `item` and `index` beside everything else. */
export const filter = defineNode({
  type: "filter",
  title: "Filter",
  group: "Data",
  summary:
    "Keeps the items of a list that match; the conditions read `{{item}}` and `{{index}}`. Output: `{items, kept, dropped}`, the kept items and two counts.",
  config: z.strictObject({ items: template("The list"), ...conditionFields }),
  templates: ["/items/**"],
  lateTemplates: { pointers: conditionTemplates, roots: ["item", "index"] },
  check: ({ conditions }) => checkConditions(conditions),
  run({ config: { items, combinator, conditions, caseSensitive }, render }) {
    if (!isList(items)) return noList(items);
    const kept = items.filter((item, index) => {
      const locals = { item, index };
      const sides = conditions.map(({ id, operator }, at) => ({
        id,
        operator,
        left: render(`/conditions/${at}/field`, locals),
        right: render(`/conditions/${at}/value`, locals),
      }));
      return evaluateConditions(combinator, sides, caseSensitive).matched;
    });
    return done({ items: kept, kept: kept.length, dropped: items.length - kept.length });
  },
});
