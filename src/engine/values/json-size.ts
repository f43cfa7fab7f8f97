import type { Json } from "../../contract/json.ts";

/** Whether the value's JSON text is longer than `limit` bytes. Stops as soon as it knows; never builds the text. */
export function exceedsJsonBytes(value: Json, limit: number): boolean {
  return measure(value, limit) < 0;
}

/** Bytes that are left of `limit`, negative once it is passed. Escapes are not counted: the text is at least so long. */
function measure(value: Json, limit: number): number {
  if (typeof value === "string") return limit - 2 - (value.length > limit ? value.length : Buffer.byteLength(value));
  if (typeof value !== "object" || value === null) return limit - String(value).length;
  let left = limit - 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = measure(item, left - 1);
      if (left < 0) return left;
    }
    return left;
  }
  for (const [key, member] of Object.entries(value)) {
    left = measure(member, left - 4 - key.length);
    if (left < 0) return left;
  }
  return left;
}
