import * as z from "zod";
import type { Json } from "../contract/json.ts";
import { isRecord, type Path } from "../engine/values/json.ts";
import { defineNode, done, type NodeContext } from "../engine/node.ts";
import { isList, noList } from "./list-field.ts";
import { template } from "./template-field.ts";

/** Takes a list out of the output that holds it (spec 2.10). */
export const splitOut = defineNode({
  type: "split_out",
  title: "Split Out",
  group: "Data",
  summary:
    "Takes a list out of an output. Output: `{items, count}`; with `includeParent` also the fields beside the list.",
  config: z.strictObject({
    items: template("The list; the output that it is read from is the parent, else the first upstream output"),
    includeParent: z.boolean().default(false).describe("Whether the parent's other fields are part of the output"),
    itemKey: z.string().min(1).default("item").describe("Reserved; it has no effect"),
  }),
  templates: ["/items/**"],
  run(context) {
    const { items, includeParent } = context.config;
    if (!isList(items)) return noList(items);
    const parent = includeParent ? readParent(context) : null;
    return done({ ...(isRecord(parent) ? parent : {}), items, count: items.length });
  },
});

function readParent(context: Pick<NodeContext<unknown>, "origin" | "upstream">): Json {
  const origin = context.origin("/items");
  return origin ? without(origin.output, origin.path) : context.upstream;
}

/** A copy of a value without what a path leads to; what lies beside the path is shared. */
function without(value: Json, [key, ...rest]: Path): Json {
  if (key === undefined) return null;
  if (Array.isArray(value)) {
    if (rest.length === 0) return value.filter((_, index) => index !== key);
    return value.map((item, index) => (index === key ? without(item, rest) : item));
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([name]) => name !== String(key)));
  return Object.fromEntries(
    entries.map(([name, member]) => [name, name === String(key) ? without(member, rest) : member]),
  );
}
