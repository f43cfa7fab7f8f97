import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { OpenedWorkflow, WorkflowDetail, WorkflowList } from "../../src/contract/workflow-api.ts";
import { PublishedDaemon } from "../support/published-daemon.ts";
import { typed } from "./workflows.ts";

const daemon = new PublishedDaemon();
beforeAll(async () => daemon.start());
afterAll(async () => daemon.stop());

it("workflows are listed, and shown by id, slug or name", async () => {
  const { workflows, total } = await daemon.json<WorkflowList>("workflows", "list", "--limit", "2");
  expect([workflows.length, total]).toEqual([2, 4]);
  const shown = await daemon.json<WorkflowDetail>("workflows", "show", "greet");
  expect(shown).toMatchObject({ action_slug: "greet", deployed_version: 1, revision: 1 });
  expect(shown.definition.nodes.map(({ type }) => type)).toContain("return_output");
  for (const reference of [shown.workflow_id, shown.name]) {
    expect(await daemon.json("workflows", "show", reference, "--version", "1")).toEqual({
      ...shown,
      definition_version: 1,
    });
  }
  const { stdout } = await daemon.run("workflows", "list", "--query", "greet", "-q");
  expect(stdout.trim()).toBe(shown.workflow_id);
});

it("a graph is drawn in lanes, or printed as Mermaid, with the file that it came from", async () => {
  const opened = await daemon.json<OpenedWorkflow>("workflows", "graph", "greet");
  expect(opened.path).toBe(join(daemon.folder, "greet.yaml"));
  expect(opened.command).toBe(`stepgate workflows graph ${opened.workflow_id}`);
  const drawn = "● action_input action_input\n● say set\n● done return_output\n";
  expect((await daemon.run(...opened.command.split(" ").slice(1))).stdout).toBe(drawn);
  const ofFile = await daemon.run("workflows", "graph", join(daemon.folder, "greet.yaml"), "--ascii");
  expect(ofFile.stdout).toBe(drawn.replaceAll("●", "o"));
  expect((await daemon.run("workflows", "graph", "greet", "--mermaid")).stdout).toBe(opened.mermaid);
});

it("an exported workflow is published again as unchanged", async () => {
  const file = join(daemon.home, "exported.yaml");
  for (const slug of ["greet", "broken", "typed", "repeated"]) {
    expect((await daemon.run("workflows", "export", slug, "--output", file)).code).toBe(0);
    expect(await daemon.json("publish", file)).toMatchObject({ unchanged: [{ slug, version: 1 }], published: [] });
  }
  const { stdout } = await daemon.run("workflows", "export", "greet");
  expect(stdout).toMatch(/^name: Greet\nslug: greet\n/);
});

it("a change is shown before it is published, between versions, and taken back", async () => {
  const file = join(daemon.folder, "typed.yaml");
  writeFileSync(file, typed.replace("name: Typed", "name: Typed\ndescription: Counts."));
  const asked = await daemon.run("publish", "--diff", file);
  expect([asked.code, asked.stdout]).toEqual([2, expect.stringContaining("\n+ description: Counts.\n")]);
  const published = await daemon.run("publish", "--diff", file, "--yes");
  expect(published.stdout).toContain("published");
  // Nobody is asked about a file that changes nothing.
  const again = await daemon.run("publish", "--diff", file);
  expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/unchanged since version 2\nunchanged\t/)]);
  const shown = await daemon.run("workflows", "diff", "typed");
  expect(shown.stdout.split("\n")).toEqual(expect.arrayContaining(["1 (-) against 2 (+)", "+ description: Counts."]));
  expect(await daemon.json("workflows", "diff", "typed", "2", "1")).toMatchObject({
    same: false,
    settings: ["description"],
    nodes: { changed: [] },
  });
  expect((await daemon.run("workflows", "rollback", "typed")).code).toBe(2);
  expect(await daemon.json("workflows", "rollback", "typed", "--yes")).toMatchObject({
    slug: "typed",
    version: 3,
    archived_version: 2,
    rolled_back_to: 1,
  });
  expect(await daemon.json("workflows", "diff", "typed", "1", "3")).toMatchObject({ same: true });
  expect((await daemon.run("workflows", "rollback", "typed", "1", "--yes")).code).toBe(6);
  expect((await daemon.run("workflows", "rollback", "typed", "9", "--yes")).code).toBe(5);
});

it("versions are listed, and a workflow is deleted when it is said for sure", async () => {
  const { versions } = await daemon.json<WorkflowDetail>("workflows", "versions", "greet");
  expect(versions).toMatchObject([{ version: 1, status: "deployed" }]);
  expect((await daemon.run("workflows", "delete", "greet")).code).toBe(2);
  expect(await daemon.json("workflows", "delete", "greet", "--yes")).toMatchObject({
    deleted: true,
    deleted_action_slug: "greet",
  });
  expect((await daemon.run("actions", "show", "greet")).code).toBe(5);
  expect((await daemon.run("workflows", "show", "greet")).code).toBe(5);
  const { published } = await daemon.json<{ published: object[] }>("publish", join(daemon.folder, "greet.yaml"));
  expect(published).toMatchObject([{ slug: "greet", version: 2, archived_version: 1 }]);
});
