import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PublishedDaemon } from "../support/published-daemon.ts";
import { greet } from "./workflows.ts";

const daemon = new PublishedDaemon();
beforeAll(async () => daemon.start());
afterAll(async () => daemon.stop());

it("files and what lies in directories are published once, by the names that were typed", async () => {
  const result = await daemon.json<{ unchanged: { file: string }[] }>(
    "publish",
    daemon.folder,
    join(daemon.folder, "greet.yaml"),
  );
  expect(result).toMatchObject({ published: [], failed: [] });
  expect(result.unchanged.map(({ file }) => file)).toEqual(
    ["broken.yaml", "deeper/typed.yaml", "greet.yaml", "repeated.yaml"].map((file) => join(daemon.folder, file)),
  );
});

it("every problem is told with file, line and column; nothing of the file is published", async () => {
  const file = join(daemon.home, "faulty.yaml");
  const { code, stdout, stderr } = await daemon.run("publish", file);
  expect(code).toBe(7);
  const problems = stdout.split("\n").filter((line) => line.startsWith(`${file}:`));
  expect(problems.length).toBeGreaterThanOrEqual(2);
  for (const line of problems) expect(line.slice(file.length)).toMatch(/^:\d+:\d+ (error|warning) .+ \([a-z_]+\)$/);
  expect(problems.map((line) => line.slice(file.length).split(":")[1])).toEqual(expect.arrayContaining(["5", "6"]));
  expect(stderr).toContain("1 of 1 files failed");
  const checked = await daemon.run("publish", "--check", file, "--json");
  const { failed } = JSON.parse(checked.stdout);
  expect(checked.code).toBe(7);
  expect(failed).toMatchObject([
    { file, issues: expect.arrayContaining([expect.objectContaining({ line: 5, severity: "error" })]) },
  ]);
  expect((await daemon.run("actions", "show", "faulty")).code).toBe(5);
});

it("a check publishes nothing", async () => {
  const file = join(daemon.home, "new.yaml");
  writeFileSync(file, greet.replaceAll("greet", "greet-anew").replace("name: Greet", "name: Anew"));
  expect((await daemon.run("publish", "--check", file)).code).toBe(0);
  expect((await daemon.run("actions", "show", "greet-anew")).code).toBe(5);
});
