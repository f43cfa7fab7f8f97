import { isRecord } from "../src/engine/values/json.ts";

type Schema = Readonly<Record<string, unknown>>;

/** One field of a config; `path` is like `conditions[].field`. The other columns are Markdown. */
export type ConfigField = { path: string; type: string; required: string; default: string; description: string };

/** An object schema, or one of a union, and the values that tell it from the others: `mode` is `value`. */
type Variant = { schema: Schema; fixed: ReadonlyMap<string, readonly unknown[]> };
type Place = { path: string; pointer: string };

/**
 * The fields that a config's JSON Schema describes, those of a list's items right after it. `templates` are the JSON
 * pointers of the fields that are templates.
 */
export function configFields(config: Schema, templates: readonly string[]): ConfigField[] {
  return objectFields(flatten({ schema: config, fixed: new Map() }), { path: "", pointer: "" });

  function objectFields(variants: readonly Variant[], place: Place): ConfigField[] {
    const names = new Set(variants.flatMap((variant) => Object.keys(properties(variant))));
    return [...names].flatMap((name) => {
      const inner = { path: place.path ? `${place.path}.${name}` : name, pointer: `${place.pointer}/${name}` };
      return describeField(name, variants, inner);
    });
  }

  function describeField(name: string, variants: readonly Variant[], place: Place): ConfigField[] {
    const having = variants.filter((variant) => name in properties(variant));
    const fields = having.map((variant) => record(properties(variant)[name]));
    const isTemplate = templates.includes(place.pointer);
    const preset = fields[0]?.["default"];
    const described = {
      path: place.path,
      type: isTemplate ? "template" : [...new Set(fields.map(typeName))].join(" \\| "),
      required: describeNeed(name, variants, having),
      default: preset === undefined || preset === "" ? "" : code(preset),
      description: text(fields[0]?.["description"]),
    };
    const items = having.flatMap((variant, index) => {
      const schema = fields[index]?.["items"];
      return isRecord(schema) ? flatten({ ...variant, schema }) : [];
    });
    if (isTemplate) return [described];
    return [described, ...objectFields(items, { path: `${place.path}[]`, pointer: `${place.pointer}/*` })];
  }
}

/** The variants that a union comes down to. */
function flatten({ schema, fixed }: Variant): Variant[] {
  const options = list(schema["oneOf"]).filter(isRecord);
  if (options.length > 0) return options.flatMap((option) => flatten({ schema: option, fixed }));
  const required = list(schema["required"]);
  const own = Object.entries(record(schema["properties"]))
    .map(([name, field]) => [name, fixedValues(record(field))] as const)
    .filter(([name, values]) => values.length > 0 && required.includes(name));
  return [{ schema, fixed: new Map([...fixed, ...own]) }];
}

/** Says when a field is needed or has a meaning, where that hangs on another field. */
function describeNeed(name: string, variants: readonly Variant[], having: readonly Variant[]): string {
  const requiring = variants.filter(({ schema }) => list(schema["required"]).includes(name));
  if (requiring.length === variants.length) return "yes";
  if (requiring.length > 0) return `with ${label(requiring, variants)}`;
  return having.length === variants.length ? "" : `only with ${label(having, variants)}`;
}

/** What the chosen variants have and the others do not: `mode` `value`. */
function label(chosen: readonly Variant[], variants: readonly Variant[]): string {
  const others = variants.filter((variant) => !chosen.includes(variant));
  for (const name of chosen[0]?.fixed.keys() ?? []) {
    const values = [...new Set(chosen.flatMap(({ fixed }) => fixed.get(name) ?? []))];
    const isTheirs = others.every(({ fixed }) => !fixed.get(name)?.some((value) => values.includes(value)));
    if (isTheirs) return `${name} ${values.map(code).join(", ")}`;
  }
  throw new Error("No field tells the variants of a union apart: the table can't say when a field is needed");
}

function typeName(schema: Schema): string {
  const values = fixedValues(schema);
  // Only operators are so many; they have a list of their own.
  if (values.length > 9) return `one of ${values.length} [operators](#operators)`;
  if (values.length > 0) return values.map(code).join(" \\| ");
  if (schema["type"] === "array") return "list";
  if (schema["type"] === undefined) return "any JSON";
  const [least, most] = [Number(schema["minimum"]), Number(schema["maximum"])];
  const from = least > Number.MIN_SAFE_INTEGER ? ` from ${least}` : "";
  const to = most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : "";
  return `${text(schema["type"])}${from}${to}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function fixedValues(schema: Schema): unknown[] {
  return schema["const"] === undefined ? list(schema["enum"]) : [schema["const"]];
}

function code(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

function properties({ schema }: Variant): Schema {
  return record(schema["properties"]);
}

function record(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
