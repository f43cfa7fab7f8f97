import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { type BuildRequest, connectorSlug } from "../contract/manifest.ts";
import { CliError, reasonOf } from "./cli-error.ts";

export type ConnectorSource = { shown: string; request: BuildRequest; bytes: Uint8Array };

/** Reads a manifest or an API description from a file, or from stdin for -. Throws a usage error. */
export async function readConnectorSource(
  file: string,
  slug: string | undefined,
  stdin: NodeJS.ReadableStream,
): Promise<ConnectorSource> {
  const problem = slug === undefined ? undefined : connectorSlug.safeParse(slug).error?.issues[0];
  if (problem) throw new CliError("usage", `--slug ${problem.message}.`);
  const request: BuildRequest = { kind: "file", slug: slug ?? null, fallbackSlug: file === "-" ? null : slugOf(file) };
  try {
    const bytes = file === "-" ? await buffer(stdin) : readFileSync(file);
    return { shown: file === "-" ? "stdin" : file, request, bytes };
  } catch (error) {
    throw new CliError("usage", `The file can't be read: ${reasonOf(error)}.`);
  }
}

/** A slug of a file's name, for API descriptions: they don't name one. Null when nothing is left of it. */
function slugOf(file: string): string | null {
  const name = basename(file)
    .replace(/\.(?:json|ya?ml)$/i, "")
    .toLowerCase();
  const slug = name
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .slice(0, 57);
  return slug === "" ? null : slug;
}
