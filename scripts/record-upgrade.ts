// Records a database as an older Stepgate leaves it when it is killed: `node scripts/record-upgrade.ts CHECKOUT`, where
// CHECKOUT is a folder with that version's sources and node_modules. Writes test/upgrade/schema-N.json, which is never
// written again once it is committed: test/upgrade/upgrade.test.ts has the code of today take its runs up.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import Database from "better-sqlite3";

const [checkout] = process.argv.slice(2);
if (!checkout) throw new Error("Usage: node scripts/record-upgrade.ts CHECKOUT");
const launcher = join(resolve(checkout), "bin/stepgate");
const home = mkdtempSync(join(tmpdir(), "stepgate-record-"));
/** Of this recording alone: it opens nothing else. */
const masterKey = Buffer.alloc(32, 7).toString("base64");
const env = {
  ...process.env,
  STEPGATE_HOME: home,
  STEPGATE_MASTER_KEY: masterKey,
  STEPGATE_LIMITS_APPROVAL_EXPIRY_SECONDS: String(20 * 365 * 24 * 3600),
};

const head = (slug: string) => `name: ${slug}
slug: ${slug}
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: who, type: string}, {name: until, type: number}]}}`;
const tail = `  - {id: done, type: return_output, data: {properties: [{name: text, type: string, value: "{{last.text}}"}]}}`;
const last = `  - {id: last, type: set, data: {assignments: [{id: a, key: text, value: "Hello {{first.text}}"}]}}`;
const first = `  - {id: first, type: set, data: {assignments: [{id: a, key: text, value: "{{action_input.who}}"}]}}`;
const workflows = {
  ends: [head("ends"), first, last, tail, "edges: [action_input -> first, first -> last, last -> done]"],
  waits: [
    head("waits"),
    first,
    "  - {id: pause, type: wait, data: {mode: duration, amount: 30, unit: seconds}}",
    last,
    tail,
    "edges: [action_input -> first, first -> pause, pause -> last, last -> done]",
  ],
  asks: [
    head("asks"),
    first,
    last.replace("data: {", "data: {requireApproval: true, "),
    tail,
    "edges: [action_input -> first, first -> last, last -> done]",
  ],
  works: [
    head("works"),
    first,
    `  - id: busy
    type: code
    data:
      fieldMappings: {until: "{{action_input.until}}"}
      code: |
        export function run(inputs: { until: number }) {
          while (Date.now() < inputs.until);
          return { over: true };
        }`,
    last,
    tail,
    "edges: [action_input -> first, first -> busy, busy -> last, last -> done]",
  ],
} as const;

function command(...args: string[]): { [name: string]: unknown } {
  const output = execFileSync(launcher, [...args, "--json"], { env, encoding: "utf8" });
  return JSON.parse(output) as { [name: string]: unknown };
}

const daemon = spawn(launcher, ["serve", "--port", "0"], { env, stdio: ["ignore", "pipe", "inherit"] });
await once(daemon.stdout, "data");
daemon.stdout.resume();
for (const [name, lines] of Object.entries(workflows)) {
  const file = join(home, `${name}.yaml`);
  writeFileSync(file, `${lines.join("\n")}\n`);
  command("publish", file);
}
const { secret } = command("keys", "mint", "--name", "before");
const until = Date.now() + 25_000;
const runs = Object.keys(workflows).map((slug) => {
  const run = command("run", slug, "--input", JSON.stringify({ who: "Ada <ada@example.org>", until }));
  return [slug, run["run_id"]] as const;
});
await sleep(2_000);
const left = runs.map(([slug, id]) => {
  const { status } = command("runs", "show", String(id));
  return { slug, id, status };
});
const ended = once(daemon, "exit");
process.kill(Number(command("status")["pid"]), "SIGKILL");
await ended;
const db = new Database(join(home, "stepgate.db"));
db.pragma("wal_checkpoint(TRUNCATE)");
const schema = db.prepare("SELECT MAX(version) FROM migrations").pluck().get();
db.close();
const recording = {
  schema,
  masterKey,
  key: secret,
  runs: left,
  database: gzipSync(readFileSync(join(home, "stepgate.db")), { level: 9 }).toString("base64"),
};
const target = fileURLToPath(new URL(`../test/upgrade/schema-${String(schema)}.json`, import.meta.url));
writeFileSync(target, `${JSON.stringify(recording, null, 1)}\n`, { flag: "wx" });
rmSync(home, { recursive: true });
process.stdout.write(`${target}: ${left.map(({ slug, status }) => `${slug} ${String(status)}`).join(", ")}\n`);
