import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { launcher } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const page = readFileSync(new URL("../../docs/ci.md", import.meta.url), "utf8");
const examples = fileURLToPath(new URL("../../workflows/", import.meta.url));

it("the recipe of docs/ci.md checks, tests, starts, publishes, runs and stops", { timeout: 120_000 }, async () => {
  const script = /```sh\n([^]*?)```/.exec(page)?.[1] ?? "";
  const folder = temporaryFolder();
  for (const name of ["hello.yaml", "hello.test.yaml"]) cpSync(join(examples, name), join(folder, "workflows", name));
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("STEPGATE_"));
  const PATH = [dirname(launcher), process.env["PATH"]].join(delimiter);
  const env = { ...Object.fromEntries(inherited), PATH, CI: "true", TMPDIR: folder };
  const { stdout } = await promisify(execFile)("sh", ["-c", script], { cwd: folder, env });
  expect(stdout).toContain('"output":{"greeting":"Hello, CI!"}');
  const reports = ["check", "tests", "run"].map((name) => readFileSync(join(folder, `${name}.xml`), "utf8"));
  for (const report of reports) expect(report).toMatch(/<testsuites tests="[1-9]\d*" failures="0"/);
});
