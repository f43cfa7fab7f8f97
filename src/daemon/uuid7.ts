import { randomFillSync } from "node:crypto";

const poolBytes = 4096;
/** Counters start in the lower half of their 12 bits, so that an id tells little of how many came before it. */
const counterStart = 0x7ff;
const counterEnd = 0xfff;

/**
 * Returns a source of UUIDs of version 7 (RFC 9562) that strictly increase as text within this process, also when the
 * clock stands still or goes back. `now` gives epoch milliseconds.
 */
export function createIdSource(now: () => number): () => string {
  const pool = Buffer.alloc(poolBytes);
  let used = poolBytes;
  let lastMs = 0;
  let counter = 0;

  function takeRandom(bytes: number): Buffer {
    if (used + bytes > poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.subarray(used - bytes, used);
  }

  function tick(random: number): void {
    const ms = now();
    if (ms > lastMs) {
      lastMs = ms;
      counter = random & counterStart;
    } else if (counter < counterEnd) {
      counter += 1;
    } else {
      // More than 2,048 ids in a millisecond borrow the next one.
      lastMs += 1;
      counter = random & counterStart;
    }
  }

  return () => {
    const random = takeRandom(10);
    tick(random.readUInt16BE(8));
    const time = lastMs.toString(16).padStart(12, "0");
    const variant = (((random[0] ?? 0) & 0x3f) | 0x80).toString(16);
    const rest = random.toString("hex", 1, 8);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, "0")}-${variant}${rest.slice(0, 2)}-${rest.slice(2)}`;
  };
}
