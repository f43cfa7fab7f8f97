import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { OpenedWorkflow, WorkflowDetail, WorkflowList } from "../../src/contract/workflow-api.ts";
import { PublishedDaemon } from "../support/published-daemon.ts";

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

it("a graph is printed as Mermaid, with the command that prints it and the file that it came from", async () => {
  const opened = await daemon.json<OpenedWorkflow>("workflows", "graph", "greet");
  expect(opened.path).toBe(join(daemon.folder, "greet.yaml"));
  expect(opened.command).toBe(`stepgate workflows graph ${opened.workflow_id}`);
  const { stdout } = await daemon.run(...opened.command.split(" ").slice(1));
  expect(stdout).toBe(opened.mermaid);
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
