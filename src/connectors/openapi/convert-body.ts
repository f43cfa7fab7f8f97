import type { Json } from "../../contract/json.ts";
import { isRecord, setOwn } from "../../engine/values/json.ts";
import { type Draft, type SchemaOf, reference } from "./convert-parameters.ts";
import { type Part, type References, cutText, recordOf, textOf } from "./references.ts";

/** A file in a multipart body. */
const file: { [key: string]: Json } = {
  type: "object",
  description: "A file",
  properties: {
    base64: { type: "string", description: "Its bytes" },
    filename: { type: "string" },
    contentType: { type: "string" },
  },
  required: ["base64"],
};

/** Puts the request body into a draft as one field. A message says why the operation can't be called at all. */
export function addBody(draft: Draft, operation: Part, refs: References, schemaOf: SchemaOf): string | null {
  if (operation["requestBody"] === undefined) return null;
  const body = refs.follow(operation["requestBody"]);
  if (!body) return "its request body is not part of the document";
  const content = recordOf(body, "content");
  const types = Object.keys(content);
  const chosen = chooseType(types);
  const isRequired = body["required"] === true;
  if (chosen === null) {
    if (types.length === 0) return null;
    if (isRequired) return `its body is ${types.slice(0, 3).join(" or ")}, which can't be sent`;
    draft.warnings.push(`Its body, ${types.slice(0, 3).join(" or ")}, can't be sent and was left out`);
    return null;
  }
  const schema = recordOf(content[chosen], "schema");
  const inlined = schemaOf(schema);
  const field = Object.hasOwn(draft.properties, "body") ? "request_body" : "body";
  const told = cutText(textOf(body, "description"), 500);
  const whole = chosen.startsWith("multipart/") ? withFiles(inlined, schema, refs) : inlined;
  setOwn(draft.properties, field, told === "" ? whole : { ...whole, description: told });
  if (isRequired) draft.required.push(field);
  draft.request.body = reference(field);
  if (bare(chosen) !== "application/json") draft.request.contentType = bare(chosen);
  return null;
}

function bare(type: string): string {
  return (type.split(";")[0] ?? "").trim().toLowerCase();
}

/** The type that is sent: JSON, else a form, else text. */
function chooseType(types: readonly string[]): string | null {
  const find = (fits: (type: string) => boolean): string | undefined => types.find((type) => fits(bare(type)));
  return (
    find((type) => type === "application/json") ??
    find(isJsonType) ??
    find((type) => type === "application/x-www-form-urlencoded") ??
    find((type) => type === "multipart/form-data") ??
    find((type) => type.startsWith("text/")) ??
    (types.includes("*/*") ? "application/json" : null)
  );
}

/** Whether a media type is JSON. */
export function isJsonType(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json$/i.test(bare(type));
}

/** Binary fields are files; how a description marks them is gone from the schema that others read. */
function withFiles(inlined: { [key: string]: Json }, raw: Part, refs: References): { [key: string]: Json } {
  const properties = recordOf(refs.follow(raw), "properties");
  const shown = isRecord(inlined["properties"]) ? inlined["properties"] : {};
  const entries = Object.entries(shown).map(([name, schema]): [string, Json] => {
    const property = refs.follow(properties[name]);
    if (isBinary(property)) return [name, file];
    if (isBinary(refs.follow(property?.["items"]))) return [name, { type: "array", items: file }];
    return [name, schema];
  });
  return { ...inlined, properties: Object.fromEntries(entries) };
}

function isBinary(schema: Part | null): boolean {
  if (!schema) return false;
  const { contentMediaType } = schema;
  return (
    textOf(schema, "format") === "binary" || (typeof contentMediaType === "string" && isBinaryType(contentMediaType))
  );
}

function isBinaryType(type: string): boolean {
  return !isJsonType(type) && !type.startsWith("text/");
}
