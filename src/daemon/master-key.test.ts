import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadMasterKey } from "./master-key.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stepgate-key-"));
  file = join(folder, "master.key");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the first start makes a key that its owner alone can read, and later starts use it", () => {
  const first = loadMasterKey(file, {}, randomBytes);
  expect(first).toHaveLength(32);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(loadMasterKey(file, {}, randomBytes)).toEqual(first);
  expect(readdirSync(folder)).toEqual(["master.key"]);
});

test("a file that others can read is refused with what to do", () => {
  loadMasterKey(file, {}, randomBytes);
  chmodSync(file, 0o640);
  expect(() => loadMasterKey(file, {}, randomBytes)).toThrow(`chmod 600 ${file}`);
});

test.each(["", "short", "not a key!"])("a file that holds %j is refused and not written over", (text) => {
  writeFileSync(file, text, { mode: 0o600 });
  expect(() => loadMasterKey(file, {}, randomBytes)).toThrow(`${file} holds no master key`);
});

test.each(["base64", "hex"] as const)(
  "the environment's key in %s goes before the file's, which is not made",
  (encoding) => {
    const key = randomBytes(32);
    const env = { STEPGATE_MASTER_KEY: key.toString(encoding) };
    expect(loadMasterKey(file, env, randomBytes)).toEqual(new Uint8Array(key));
    expect(readdirSync(folder)).toEqual([]);
  },
);

test("a key in the environment that is none is refused by its name", () => {
  expect(() => loadMasterKey(file, { STEPGATE_MASTER_KEY: "abc" }, randomBytes)).toThrow(
    "STEPGATE_MASTER_KEY holds no",
  );
});
