import { expect, test } from "vitest";
import type { BuildEnd, NewConnector } from "../store.ts";
import { defaultWorkspaceId, noon, range, sampleId } from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

/** Promises of `ConnectorStore`. */
export function testConnectors(open: OpenStore): void {
  const store = useStore(open);
  const part = (key: string, kind: "action" | "trigger" = "action") => ({
    kind,
    key,
    name: key.toUpperCase(),
    description: "",
    document: JSON.stringify({ key }),
  });
  const desk = (changes: Partial<NewConnector> = {}): NewConnector => {
    const parts = [part("get"), part("opened", "trigger")];
    return { slug: "desk", name: "Desk", version: "1", description: "", head: "{}", parts, ...changes };
  };

  async function queue(bytes = new Uint8Array([1, 2])): Promise<{ id: string; workspaceId: number }> {
    const workspaceId = await defaultWorkspaceId(store());
    const id = sampleId();
    await store().createBuild({ id, workspaceId, slug: null, source: { request: "{}", bytes }, at: noon });
    return { id, workspaceId };
  }
  async function finish(connector: NewConnector | null, changes: Partial<BuildEnd> = {}) {
    const build = await queue();
    const end = { ...build, slug: connector?.slug ?? null, issues: [], connector, at: noon + 1, ...changes };
    return { ...build, ended: await store().finishBuild(end) };
  }

  test("a build is open until it ends, once, and its source is kept so long", async () => {
    const first = await queue(new Uint8Array([7]));
    const second = await queue();
    expect((await store().listOpenBuilds()).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(await store().startBuild(first)).toBe(1);
    expect(await store().startBuild(first)).toBe(2);
    const source = await store().readBuildSource(first.id);
    expect([source?.request, [...(source?.bytes ?? [])]]).toEqual(["{}", [7]]);
    expect(await store().findBuild(first.workspaceId, first.id)).toMatchObject({ status: "running", slug: null });
    const issue = { severity: "error" as const, code: "x", message: "X", path: "", line: 1, column: 2 };
    const end = { ...first, slug: "desk", issues: [issue], connector: null, at: noon + 5 };
    expect(await store().finishBuild(end)).toBe(true);
    expect(await store().finishBuild({ ...end, connector: desk() })).toBe(false);
    expect(await store().startBuild(first)).toBe(0);
    expect(await store().readBuildSource(first.id)).toBeNull();
    expect(await store().findBuild(first.workspaceId, first.id)).toEqual({
      id: first.id,
      workspaceId: first.workspaceId,
      slug: "desk",
      status: "failed",
      issues: [issue],
      operations: [],
      createdAt: noon,
      completedAt: noon + 5,
    });
    expect(await store().findBuild(4711, first.id)).toBeNull();
    expect(await store().listConnectors(first.workspaceId)).toEqual([]);
  });

  test("a build that succeeded replaces its connector whole", async () => {
    const { workspaceId, id } = await finish(desk());
    expect(await store().findBuild(workspaceId, id)).toMatchObject({
      status: "succeeded",
      operations: [
        { operation_id: "get", kind: "action", name: "GET" },
        { operation_id: "opened", kind: "trigger", name: "OPENED" },
      ],
    });
    const next = await finish(desk({ version: "2", head: '{"a":1}', parts: [part("b"), part("a")] }));
    const summary = {
      slug: "desk",
      name: "Desk",
      version: "2",
      description: "",
      operations: 2,
      triggers: 0,
      builtAt: noon + 1,
    };
    expect(await store().listConnectors(workspaceId)).toEqual([summary]);
    const record = { ...summary, head: '{"a":1}', buildId: next.id, parts: [part("b"), part("a")] };
    expect(await store().findConnector(workspaceId, "desk")).toEqual(record);
    expect(await store().findConnector(4711, "desk")).toBeNull();
    await expect(finish(desk({ parts: [part("a"), part("a")] }))).rejects.toThrow(/UNIQUE/);
    expect(await store().findConnector(workspaceId, "desk")).toEqual(record);
  });

  test("a connector is removed once, in its workspace alone", async () => {
    const { workspaceId } = await finish(desk());
    expect(await store().removeConnector({ workspaceId: 4711, slug: "desk" })).toBe(false);
    expect(await store().removeConnector({ workspaceId, slug: "desk" })).toBe(true);
    expect(await store().removeConnector({ workspaceId, slug: "desk" })).toBe(false);
    expect(await store().findConnector(workspaceId, "desk")).toBeNull();
  });

  test("of the ended builds the newest hundred are kept", async () => {
    const builds = await Promise.all(range(103).map(async () => queue()));
    const end = { slug: null, issues: [], connector: null, at: noon };
    await Promise.all(builds.map(async (build) => store().finishBuild({ ...build, ...end })));
    const [{ workspaceId } = { workspaceId: 0 }] = builds;
    const found = await Promise.all(builds.map(({ id }) => store().findBuild(workspaceId, id)));
    expect(found.map((build) => build !== null)).toEqual(range(103).map((at) => at >= 3));
  });
}
