import type { ConfigFinding } from "../engine/node.ts";

/**
 * A finding for each entry of a config's list that repeats the name of an earlier one. `list` and `field` are the keys
 * that lead to the name, `consequence` says what the repetition does or breaks.
 */
export function findDuplicates(
  names: readonly string[],
  {
    list,
    field,
    severity,
    consequence,
  }: Pick<ConfigFinding, "severity"> & Record<"list" | "field" | "consequence", string>,
): ConfigFinding[] {
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (first === index) return [];
    const message = `${list}[${index}].${field} repeats ${name} of ${list}[${first}]: ${consequence}`;
    return [{ severity, code: `duplicate_${field}`, message, pointer: `/${list}/${index}/${field}` }];
  });
}
