import type { FileReference } from "../../contract/file.ts";
import type { OperationCall } from "../../engine/connector.ts";
import { isRecord, toText } from "../../engine/values/json.ts";
import { appendFile, fileIdOf, mimeOf } from "../files.ts";
import { invalid } from "../invalid-call.ts";

/** The multipart form that the input describes, with the files that it refers to; null where it describes none. */
export async function multipartOf({ input, files }: OperationCall, method: string): Promise<FormData | null> {
  const fields = input["form"];
  if (!isRecord(fields)) return null;
  if (input["body"] !== undefined && input["body"] !== null) throw invalid("A request has a body or a form, not both");
  if (method === "GET" || method === "HEAD")
    throw invalid(`A ${method} request has no form; use query, or another method`);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    const id = fileIdOf(value);
    if (id === null) form.append(name, toText(value ?? null));
    else await appendFile(form, name, id, files);
  }
  return form;
}

/** Keeps an answer's body as a file, under the name that the service gives it; null when there is no body. */
export async function saveBody({ files }: OperationCall, response: Response, url: URL): Promise<FileReference | null> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.byteLength === 0) return null;
  return files.save({ name: nameOf(response.headers, url), mime: mimeOf(response), bytes });
}

/** The last part of a path at most: the name says nothing of where anything is kept. */
function nameOf(headers: Headers, url: URL): string {
  const given = /filename="?([^";]+)"?/i.exec(headers.get("content-disposition") ?? "")?.[1];
  const path = given ?? decodeSafely(url.pathname);
  const name = path.split(/[/\\]/).findLast((part) => part !== "") ?? "";
  // No control characters: the name is shown in terminals and sent in headers.
  return name.replaceAll(/[^\P{C}]/gu, "").slice(0, 200) || "file";
}

function decodeSafely(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
