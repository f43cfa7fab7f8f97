import type { OperationCall } from "../engine/connector.ts";
import { isRecord } from "../engine/values/json.ts";

/** The id of the file that a value refers to; null when it is no reference. */
export function fileIdOf(value: unknown): string | null {
  return isRecord(value) && typeof value["file_id"] === "string" && typeof value["mime"] === "string"
    ? value["file_id"]
    : null;
}

/** Puts a file into a form, under its own name. Throws a CallError when it is gone. */
export async function appendFile(form: FormData, field: string, id: string, files: OperationCall["files"]) {
  const { reference, bytes } = await files.open(id);
  form.append(field, new Blob([bytes], { type: reference.mime }), reference.name);
}

/** The media type that an answer says, without its parameters. */
export function mimeOf({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]?.trim() || "application/octet-stream";
}
