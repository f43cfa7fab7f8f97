// Redaction beside JSON.stringify of the same payload, in one run of this program: the ratio is how many times longer it
// takes. Goals: 1 MiB of hostile text under 50 ms, 20 MB/s or more on everything else.
import { redact } from "../src/engine/redaction/redact.ts";
import type { Json } from "../src/engine/values/json.ts";
import { hostile } from "../test/support/hostile-texts.ts";
import { report } from "./support/figures.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 15);

/** Milliseconds, the best of all rounds. */
function bestMs(work: () => unknown): number {
  let best = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const before = performance.now();
    work();
    best = Math.min(best, performance.now() - before);
  }
  return best;
}

/** A list of orders like those of a shop; every fifth one holds one of each secret, when it is to be dirty. */
function orders(count: number, isDirty: boolean): Json {
  return Array.from({ length: count }, (_, n) => ({
    id: `order-${n}`,
    total: n * 1.25,
    paid: n % 2 === 0,
    note: "Leave it at the door, please; the bell is broken since the last storm.",
    contact: isDirty && n % 5 === 0 ? dirty : { name: "Ada Lovelace", city: "London", street: "12 St James's Square" },
  }));
}

const dirty = {
  mail: "write to ada.lovelace@example.com",
  phone: "call +7 (912) 345-67-89",
  header: "Authorization: Bearer abcdefghijklmnop.qrs-tuv",
  link: "https://api.example.com/?api_key=0123456789abcdef0123",
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
};

const payloads: [name: string, payload: Json][] = [
  ["clean, 1 kB", orders(5, false)],
  ["clean, 1 MB", orders(5000, false)],
  ["dirty, 1 kB", orders(5, true)],
  ["dirty, 1 MB", orders(5000, true)],
];

let slowestPayload = Infinity;
let slowestText = 0;
console.log("payload                                     MB/s  times JSON.stringify");
for (const [name, payload] of payloads) {
  const repeats = name.endsWith("kB") ? 1000 : 1;
  const megabytes = (JSON.stringify(payload).length * repeats) / 1e6;
  const repeat = (work: () => unknown) => () => {
    for (let n = 0; n < repeats; n += 1) work();
  };
  const ms = bestMs(repeat(() => redact(payload)));
  printRow(name, megabytes, ms, bestMs(repeat(() => JSON.stringify(payload))));
  slowestPayload = Math.min(slowestPayload, megabytes / (ms / 1000));
}
for (const [name, text] of hostile) {
  const ms = bestMs(() => redact(text));
  slowestText = Math.max(slowestText, ms);
  printRow(
    `1 MiB of ${name}`,
    text.length / 1e6,
    ms,
    bestMs(() => JSON.stringify(text)),
  );
}
report("slowest payload", slowestPayload, "MB/s", { least: 20 });
report("slowest hostile text of 1 MiB", slowestText, "ms", { most: 50 });

function printRow(name: string, megabytes: number, ms: number, stringifyMs: number): void {
  const speed = (megabytes / (ms / 1000)).toFixed(0).padStart(6);
  const ratio = (ms / Math.max(stringifyMs, 0.001)).toFixed(1).padStart(6);
  console.log(`${name.padEnd(42)}${speed}  ${ratio}`);
}
