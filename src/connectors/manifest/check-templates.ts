import type { BuildIssue } from "../../contract/manifest.ts";
import type { Json } from "../../contract/json.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import { compileConfig } from "../../engine/templates/template.ts";
import { toPointer } from "../../engine/values/json-pointer.ts";
import { errorAt } from "./build-issue.ts";

/** The roots that templates have at a place, each with the names right below it; null where any name is good. */
export type Roots = Readonly<Record<string, readonly string[] | null>>;

/** Checks every template of a value: its form, its root, and the name after the root. */
export function checkTemplates(value: Json, place: readonly PropertyKey[], roots: Roots): BuildIssue[] {
  const compiled = compileConfig(value);
  const at = (pointer: string) => toPointer(place) + pointer;
  const issues = compiled.problems.map(({ message, pointer }) => errorAt(at(pointer), "invalid_template", message));
  for (const { root, path, text, pointer } of compiled.references) {
    if (!Object.hasOwn(roots, root)) {
      const known = Object.keys(roots);
      const message = `{{${text}}} begins with ${root}: here it can be ${known.join(", ")}${didYouMean(root, known)}`;
      issues.push(errorAt(at(pointer), "unknown_root", message));
      continue;
    }
    const names = roots[root];
    const [first] = path;
    if (!names || first === undefined || names.includes(String(first))) continue;
    const message = `{{${text}}}: ${root} has no ${String(first)}${didYouMean(String(first), names)}`;
    issues.push(errorAt(at(pointer), "unknown_name", message));
  }
  return issues;
}
