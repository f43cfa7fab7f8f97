/** Roots of templates that no node and no item variable may take (contract 2). */
export const reservedNames: readonly string[] = ["trigger", "action_input", "run", "loop", "secret", "var"];

/** Of the reserved names, those that nodes of the same-named type may have. */
export function isOwnName(id: string, type: string): boolean {
  return id === type && (id === "trigger" || id === "action_input");
}
