import type { Json } from "../../contract/json.ts";
import { isRecord, toText } from "../../engine/values/json.ts";
import { invalid } from "../invalid-call.ts";

/** A body as it is sent; without a content type where the sender writes one of its own (multipart). */
export type EncodedBody = { body: string | FormData; contentType: string | null };

/** Encodes a body by its content type: JSON, a form, multipart, else text. Throws a CallError for a form of no object. */
export function encodeBody(value: Json, contentType: string): EncodedBody {
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (type === "application/x-www-form-urlencoded") return { body: encodeForm(value), contentType };
  if (type === "multipart/form-data") return { body: encodeMultipart(value), contentType: null };
  if (/[/+]json$/.test(type)) return { body: JSON.stringify(value), contentType };
  return { body: toText(value), contentType };
}

function encodeForm(value: Json): string {
  const form = new URLSearchParams();
  for (const [name, member] of membersOf(value)) form.append(name, toText(member));
  return form.toString();
}

function encodeMultipart(value: Json): FormData {
  const form = new FormData();
  for (const [name, member] of membersOf(value)) {
    const file = isRecord(member) ? member : null;
    const base64 = file?.["base64"];
    if (!file || typeof base64 !== "string") form.append(name, toText(member));
    else form.append(name, fileOf(base64, file, name), textOr(file["filename"], name));
  }
  return form;
}

function fileOf(base64: string, file: Record<string, unknown>, name: string): Blob {
  try {
    return new Blob([Uint8Array.fromBase64(base64)], { type: textOr(file["contentType"], "application/octet-stream") });
  } catch {
    throw invalid(`body.${name}.base64 is no base64`);
  }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

/** Pairs of a form; a list repeats its name, null is left out. */
function membersOf(value: Json): [string, Json][] {
  if (!isRecord(value)) throw invalid("The body is a form: it must be an object");
  return Object.entries(value).flatMap(([name, member]) =>
    (Array.isArray(member) ? member : [member])
      .filter((one) => one !== null && one !== undefined)
      .map((one): [string, Json] => [name, one]),
  );
}
