import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stepgate } from "../support/command-line.ts";
import { faulty, greet } from "./workflows.ts";

const home = mkdtempSync(join(tmpdir(), "stepgate-offline-"));
const folder = join(home, "flows");
beforeAll(() => {
  mkdirSync(folder);
  writeFileSync(join(folder, "greet.yaml"), greet);
  writeFileSync(join(folder, "calls.yaml"), calls);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const calls = `name: Calls
slug: calls
nodes:
  - {id: action_input, type: action_input, data: {properties: []}}
  - {id: a, type: connector, data: {connector: our-crm, operation: note, connectionId: crm, input: {key: "{{secret.KEY}}"}}}
  - {id: done, type: return_output, data: {}}
edges: [action_input -> a, a -> done]
`;

it("files are checked without a daemon; of connectors that only a workspace may have it warns", async () => {
  const { code, stdout } = await stepgate(home, ["publish", "--check", folder, "--json"]);
  const { published, failed } = JSON.parse(stdout);
  expect([code, failed]).toEqual([0, []]);
  expect(published).toMatchObject([
    { slug: "calls", version: 1, warnings: [{ code: "unchecked_connector", severity: "warning", line: 5 }] },
    { slug: "greet", version: 1, type: "callable", archived_version: null, warnings: [] },
  ]);
});

it("problems are told to GitHub in its own commands, with everything written out that would end them", async () => {
  const file = join(home, "50%,bad:one.yaml");
  writeFileSync(file, faulty);
  const junit = join(home, "check.xml");
  const { code, stdout } = await stepgate(home, [
    "workflows",
    "validate",
    file,
    "--format",
    "github",
    "--junit",
    junit,
  ]);
  expect(code).toBe(7);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThanOrEqual(2);
  const place = file.replaceAll("%", "%25").replaceAll(":", "%3A").replaceAll(",", "%2C");
  for (const line of lines) {
    expect(line.startsWith(`::error file=${place},line=`)).toBe(true);
    expect(line.slice(place.length)).toMatch(/,line=\d+,col=\d+,title=[a-z_]+::\S/);
  }
  expect(readFileSync(junit, "utf8")).toContain('tests="1" failures="1"');
});

it("a broken bundled call, two files for one workflow and a slug for two files are found offline, too", async () => {
  const twin = join(home, "twin.yaml");
  writeFileSync(twin, greet);
  const twins = await stepgate(home, ["publish", "--check", twin, join(folder, "greet.yaml"), "--offline", "--json"]);
  expect(JSON.parse(twins.stdout).failed).toMatchObject([
    { issues: [{ code: "duplicate_workflow" }] },
    { issues: [{ code: "duplicate_workflow" }] },
  ]);
  const call = join(home, "call.yaml");
  writeFileSync(
    call,
    calls.replace("connector: our-crm, operation: note, connectionId: crm", "connector: http, operation: requst"),
  );
  const { code, stdout } = await stepgate(home, ["publish", "--check", call]);
  expect([code, stdout]).toEqual([7, expect.stringContaining("did you mean request?")]);
  expect((await stepgate(home, ["publish", "--check", folder, "--slug", "one"])).code).toBe(2);
  expect((await stepgate(home, ["publish", "--offline", folder])).code).toBe(2);
});
