import { type BuildIssue, type Manifest, manifest } from "../../contract/manifest.ts";
import { fieldNames, readKnownFields } from "../../engine/definition/known-fields.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import { readJson } from "../../engine/definition/read-json.ts";
import { readYaml } from "../../engine/definition/read-yaml.ts";
import { findOffset } from "../../engine/definition/source-tree.ts";
import { positionsOf } from "../../engine/definition/text-position.ts";
import { pointerParts } from "../../engine/values/json-pointer.ts";
import { isRecord } from "../../engine/values/json.ts";
import { errorAt, hasErrors } from "./build-issue.ts";
import { checkManifest } from "./check-manifest.ts";

/** A manifest, or null with the errors that say why not; every problem at once. */
export type ReadManifest = { manifest: Manifest | null; issues: BuildIssue[] };

/** Reads a manifest file; its problems carry line and column. Never throws. */
export function readManifestText(text: string, format: "yaml" | "json"): ReadManifest {
  const positionOf = positionsOf(text);
  const { root, problems } = format === "json" ? readJson(text) : readYaml(text);
  const issues = problems.map(({ code, message, at }) => ({ ...errorAt("", code, message), ...positionOf(at) }));
  if (!root) return { manifest: null, issues };
  const read = readManifest(root.value);
  for (const issue of read.issues) {
    issues.push({ ...issue, ...positionOf(findOffset(root, pointerParts(issue.path))) });
  }
  return { manifest: hasErrors(issues) ? null : read.manifest, issues };
}

/** Reads a manifest that came as JSON. Unknown fields are errors, since a slip would change what a call does. */
export function readManifest(value: unknown): ReadManifest {
  if (!isRecord(value)) {
    const message = "A manifest is an object with slug, name, version, auth, baseUrl, operations and triggers";
    return { manifest: null, issues: [errorAt("", "invalid_manifest", message)] };
  }
  const { $schema: _, ...rest } = value;
  const reading = readKnownFields(manifest, rest);
  const issues = reading.problems.map(({ path, message }) => errorAt(path, "invalid_manifest", message));
  for (const { path, keys } of reading.unknown) {
    const known = fieldNames(manifest, path);
    for (const key of keys) {
      const message = `There is no field ${key}${didYouMean(key, known)}`;
      issues.push(errorAt([...path, key], "unknown_field", message));
    }
  }
  issues.push(...checkManifest(reading.value));
  if (hasErrors(issues)) return { manifest: null, issues };
  return { manifest: manifest.parse(reading.value), issues };
}
