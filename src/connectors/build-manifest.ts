import type { BuildIssue, BuildRequest, Manifest } from "../contract/manifest.ts";
import { isRecord } from "../engine/values/json.ts";
import { errorAt, hasErrors } from "./manifest/build-issue.ts";
import { readManifest, readManifestText } from "./manifest/read-manifest.ts";
import { convertDocument } from "./openapi/convert-document.ts";

/** A manifest, or null with the errors that say why not. `slug` is as far as it is known. */
export type Built = { slug: string | null; manifest: Manifest | null; issues: BuildIssue[] };

/** Reads a manifest, or makes one of an OpenAPI description. Takes seconds for large ones. Never throws. */
export function buildManifest({ kind, slug, fallbackSlug }: BuildRequest, text: string): Built {
  if (kind === "openapi" || (kind === "file" && isDescription(text))) return buildOpenApi(text, slug ?? fallbackSlug);
  const { manifest, issues } =
    kind === "manifest" ? readManifest(JSON.parse(text)) : readManifestText(text, format(text));
  if (manifest && slug !== null && manifest.slug !== slug) {
    const message = `The manifest's slug is ${manifest.slug}, not ${slug}: give the one or the other`;
    issues.push(errorAt("/slug", "other_slug", message));
  }
  return { slug: manifest?.slug ?? slug, manifest: hasErrors(issues) ? null : manifest, issues };
}

function buildOpenApi(text: string, slug: string | null): Built {
  if (slug !== null) return { slug, ...convertDocument(text, slug) };
  const message = "The connector's slug is missing: an API description names none";
  return { slug, manifest: null, issues: [errorAt("", "missing_slug", message)] };
}

function format(text: string): "json" | "yaml" {
  return /^\uFEFF?\s*\{/.test(text) ? "json" : "yaml";
}

/** Whether a text is an API description and no manifest: it says at its top which version it follows. */
function isDescription(text: string): boolean {
  if (format(text) === "yaml") return /^(["']?)(?:openapi|swagger)\1\s*:/m.test(text);
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && (Object.hasOwn(value, "openapi") || Object.hasOwn(value, "swagger"));
  } catch {
    return /^[^{]*\{\s*"(?:openapi|swagger)"/.test(text);
  }
}
