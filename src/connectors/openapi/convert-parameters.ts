import type { Json } from "../../contract/json.ts";
import type { ManifestOperation, queryStyles } from "../../contract/manifest.ts";
import { setOwn } from "../../engine/values/json.ts";
import { isFreeHeader } from "../manifest/check-request.ts";
import { type Part, type References, cutText, listOf, recordOf, textOf } from "./references.ts";

export type Request = ManifestOperation["request"];
export type SchemaOf = (schema: unknown) => { [key: string]: Json };

/** What an operation takes, as it is put together. */
export type Draft = {
  path: string;
  properties: { [name: string]: Json };
  required: string[];
  request: Request;
  warnings: string[];
};

const places = ["path", "query", "header", "cookie"] as const;
type Place = (typeof places)[number];
type Parameter = { name: string; place: Place; part: Part };

/** Headers that other parts of the description speak of. */
const spokenOf = new Set(["accept", "content-type", "authorization"]);
/** Names that templates never resolve. */
const hidden = new Set(["__proto__", "constructor", "prototype"]);

/** An operation's parameters and those of its path; the operation's own win. */
export function findParameters(item: Part, operation: Part, refs: References): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const raw of [...listOf(item, "parameters"), ...listOf(operation, "parameters")]) {
    const part = refs.follow(raw);
    const place = places.find((one) => part && textOf(part, "in") === one);
    const name = part ? textOf(part, "name") : "";
    if (!part || !place || name === "") continue;
    if (place === "header" && spokenOf.has(name.toLowerCase())) continue;
    found.set(`${place} ${name}`, { name, place, part });
  }
  return [...found.values()];
}

/** Puts the parameters into a draft. A message says why the operation can't be called at all. */
export function addParameters(draft: Draft, parameters: readonly Parameter[], schemaOf: SchemaOf): string | null {
  const segments = new Map<string, string>();
  for (const parameter of parameters) {
    const { name, place, part } = parameter;
    const isRequired = place === "path" || part["required"] === true;
    if (hidden.has(name) || (place === "header" && !isFreeHeader(name))) {
      if (isRequired) return `its ${place} parameter ${name} can't be given`;
      draft.warnings.push(`The ${place} parameter ${name} can't be given and was left out`);
      continue;
    }
    const field = addField(draft, parameter, isRequired, schemaOf);
    const value = reference(field);
    if (place === "path") {
      const style = textOf(part, "style");
      if (style === "label" || style === "matrix") return `its path parameter ${name} has the style ${style}`;
      segments.set(name, value);
    } else addValue(draft.request, place, name, value, part);
  }
  draft.path = fillPath(draft, segments);
  return null;
}

/** Its name in the input: its own, unless a parameter of another place has that. */
function addField(draft: Draft, { name, place, part }: Parameter, isRequired: boolean, schemaOf: SchemaOf): string {
  const field = Object.hasOwn(draft.properties, name) ? `${place}_${name}` : name;
  const [content] = Object.values(recordOf(part, "content"));
  const schema = schemaOf(part["schema"] ?? recordOf(content, "schema"));
  const told = cutText(textOf(part, "description"), 500);
  setOwn(draft.properties, field, told === "" ? schema : { ...schema, description: withDefault(told, schema) });
  if (isRequired) draft.required.push(field);
  return field;
}

/** The schema's own description may end in the default, which the parameter's does not tell. */
function withDefault(told: string, schema: { [key: string]: Json }): string {
  const { description } = schema;
  const preset = typeof description === "string" ? /Default: .*$/.exec(description)?.[0] : undefined;
  return preset === undefined ? told : `${told} ${preset}`;
}

function addValue(request: Request, place: Exclude<Place, "path">, name: string, value: string, part: Part): void {
  if (place === "header") request.headers = { ...request.headers, [name]: value };
  else if (place === "cookie") request.cookies = { ...request.cookies, [name]: value };
  else {
    request.query = { ...request.query, [name]: value };
    const style = queryStyle(part);
    if (style !== "repeat") request.queryStyle = { ...request.queryStyle, [name]: style };
    else if (isObject(part)) request.queryStyle = { ...request.queryStyle, [name]: "repeat" };
  }
}

function isObject(part: Part): boolean {
  const schema = recordOf(part, "schema");
  return textOf(schema, "type") === "object" || Object.hasOwn(schema, "properties");
}

function queryStyle(part: Part): (typeof queryStyles)[number] {
  if (Object.keys(recordOf(part, "content")).length > 0) return "json";
  const style = textOf(part, "style");
  if (style === "deepObject") return "deep";
  if (part["explode"] !== false && (style === "" || style === "form")) return "repeat";
  return style === "spaceDelimited" ? "space" : style === "pipeDelimited" ? "pipe" : "comma";
}

/** A template that reads one field of the input. */
export function reference(field: string): string {
  return /^[a-zA-Z_][\w-]*$/.test(field) ? `{{input.${field}}}` : `{{input[${JSON.stringify(field)}]}}`;
}

/** The path with its places as templates; what it names without a parameter becomes one. */
function fillPath(draft: Draft, segments: ReadonlyMap<string, string>): string {
  const [bare = ""] = draft.path.split("#");
  const [path = "", search] = bare.split("?");
  for (const [name, value] of new URLSearchParams(search)) {
    draft.request.query = { ...draft.request.query, [name]: value };
  }
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const known = segments.get(name);
    if (known !== undefined) return known;
    draft.warnings.push(`The path names {${name}}, which is no parameter; it is taken as a required text`);
    if (!Object.hasOwn(draft.properties, name)) setOwn(draft.properties, name, { type: "string" });
    if (!draft.required.includes(name)) draft.required.push(name);
    return reference(name);
  });
}
