import type { Json } from "../../contract/json.ts";
import type { OpenConnection } from "../../engine/connector.ts";
import type { Scope } from "../../engine/templates/template.ts";
import { readPath } from "../../engine/values/json.ts";

/** Templates over named roots; a root or a name that is not there is missing, never an error. */
export function scopeOf(roots: Readonly<Record<string, unknown>>): Scope {
  return { read: (root, path) => (Object.hasOwn(roots, root) ? readPath(roots[root], path) : undefined) };
}

/** What templates read as `connection`: its fields, the secret ones too. */
export function connectionRoot(connection: OpenConnection | null, baseUrl: string | null): { [name: string]: Json } {
  return { ...connection?.settings, ...connection?.secrets, ...(baseUrl === null ? {} : { baseUrl }) };
}
