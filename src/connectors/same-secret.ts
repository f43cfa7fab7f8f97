import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two texts are the same. Takes the same time wherever they differ: their digests are compared. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest());
}
