import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLogFile } from "./log-file.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

function logIn(): string {
  const folder = temporaryFolder();
  return join(folder, "daemon.log");
}

test("a log begins anew before it outgrows its limit, and the oldest file is given up", () => {
  const file = logIn();
  const write = openLogFile(file, { maxBytes: 20, files: 3 });
  for (let n = 1; n <= 9; n++) write(`line ${n} ...\n`);
  expect(readFileSync(file, "utf8")).toBe("line 9 ...\n");
  expect(readFileSync(`${file}.1`, "utf8")).toBe("line 8 ...\n");
  expect(readFileSync(`${file}.2`, "utf8")).toBe("line 7 ...\n");
  expect(existsSync(`${file}.3`)).toBe(false);
});

test("a daemon that starts again goes on in the same file, which is its user's alone", () => {
  const file = logIn();
  openLogFile(file)("first\n");
  openLogFile(file)("second\n");
  expect(readFileSync(file, "utf8")).toBe("first\nsecond\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a line longer than the limit is kept whole in a file of its own", () => {
  const file = logIn();
  const write = openLogFile(file, { maxBytes: 20, files: 2 });
  write("short\n");
  write(`${"long".repeat(20)}\n`);
  expect(readFileSync(file, "utf8")).toBe(`${"long".repeat(20)}\n`);
});

test("a folder that has gone costs the lines and nothing else", () => {
  const file = logIn();
  const write = openLogFile(file, { maxBytes: 8, files: 2 });
  write("before\n");
  rmSync(file);
  rmSync(join(file, ".."), { recursive: true });
  expect(() => write("after that\n")).not.toThrow();
  expect(() => write("and again\n")).not.toThrow();
});
