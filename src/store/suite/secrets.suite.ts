import { expect, test } from "vitest";
import type { NewConnection, Store } from "../store.ts";
import { noon, sampleId, samplePublish } from "./samples.ts";
import { type OpenStore, useStore } from "./use-store.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

const connection = (changes: Partial<NewConnection> = {}): NewConnection => ({
  id: sampleId(),
  workspaceId: 1,
  connector: "http",
  name: "shop",
  settings: { baseUrl: "https://shop.example" },
  secrets: bytes("sealed"),
  requireApproval: false,
  status: "active",
  createdAt: noon,
  ...changes,
});

async function secondWorkspace(store: Store): Promise<number> {
  const workspace = await store.createWorkspace({ name: "team", tier: "pro", at: noon });
  if (!workspace) throw new Error("The workspace was not made");
  return workspace.id;
}

export function testSecrets(open: OpenStore): void {
  const store = useStore(open);

  test("a connection is kept as it was given; its name is its own within the workspace", async () => {
    const given = connection();
    expect(await store().createConnection(given)).toBe(true);
    expect(await store().createConnection(connection())).toBe(false);
    const team = await secondWorkspace(store());
    expect(await store().createConnection(connection({ workspaceId: team }))).toBe(true);
    const [kept, ...others] = await store().listConnections(1);
    expect(others).toEqual([]);
    expect(kept && { ...kept, secrets: new Uint8Array(kept.secrets) }).toEqual({
      ...given,
      revision: 1,
      updatedAt: noon,
      lastUsedAt: null,
    });
    expect((await store().listConnections(null)).map(({ workspaceId }) => workspaceId)).toEqual([1, team]);
  });

  test("of several changes to one revision the first wins, and a foreign workspace changes nothing", async () => {
    const { id } = connection();
    await store().createConnection(connection({ id }));
    await store().createConnection(connection({ name: "other" }));
    const change = { workspaceId: 1, id, at: noon + 5 };
    const answers = await Promise.all(
      ["first", "second"].map((name) => store().updateConnection({ ...change, seen: 1, name })),
    );
    expect(answers.toSorted()).toEqual(["changed", "updated"]);
    expect(await store().updateConnection({ ...change, name: "other" })).toBe("name_taken");
    expect(await store().updateConnection({ ...change, workspaceId: 2, name: "taken" })).toBe("missing");
    expect(await store().updateConnection({ ...change, secrets: bytes("new"), requireApproval: true })).toBe("updated");
    const refreshed = { ...change, secrets: bytes("refreshed") };
    expect(await store().updateConnection({ ...refreshed, seenSecrets: bytes("sealed") })).toBe("changed");
    await store().touchConnection({ id, at: noon + 9 });
    await store().touchConnection({ id, at: noon + 7 });
    const kept = (await store().listConnections(1)).find((each) => each.id === id);
    expect(kept).toMatchObject({ name: "first", requireApproval: true, revision: 3, updatedAt: noon + 5 });
    expect([kept?.lastUsedAt, Buffer.from(kept?.secrets ?? []).toString()]).toEqual([noon + 9, "new"]);
  });

  test("a connection is removed from its own workspace alone", async () => {
    const { id } = connection();
    await store().createConnection(connection({ id }));
    expect(await store().removeConnection({ workspaceId: 2, id })).toBe(false);
    expect(await store().removeConnection({ workspaceId: 1, id })).toBe(true);
    expect(await store().listConnections(null)).toEqual([]);
  });

  test("variables and secrets are set over earlier ones, listed by name, and removed", async () => {
    const team = await secondWorkspace(store());
    for (const [name, value, at] of [
      ["B", "1", noon],
      ["A", "2", noon],
      ["B", "3", noon + 1],
    ] as const) {
      await store().setVariable({ workspaceId: 1, name, value, at });
      await store().setSecret({ workspaceId: 1, name, value: bytes(value), at });
    }
    await store().setVariable({ workspaceId: team, name: "A", value: "team", at: noon });
    expect(await store().listVariables(1)).toEqual([
      { workspaceId: 1, name: "A", value: "2", createdAt: noon, updatedAt: noon },
      { workspaceId: 1, name: "B", value: "3", createdAt: noon, updatedAt: noon + 1 },
    ]);
    const secrets = await store().listSecrets(null);
    expect(secrets.map(({ name, value }) => [name, Buffer.from(value).toString()])).toEqual([
      ["A", "2"],
      ["B", "3"],
    ]);
    expect(await store().removeVariable({ workspaceId: team, name: "B" })).toBe(false);
    expect(await store().removeVariable({ workspaceId: 1, name: "B" })).toBe(true);
    expect(await store().removeSecret({ workspaceId: 1, name: "A" })).toBe(true);
    expect((await store().listVariables(null)).map(({ value }) => value)).toEqual(["2", "team"]);
  });

  test("webhook secrets are written with the version and the draft, and go with a change to none", async () => {
    const change = (stage: "draft" | "deployed", text: string) => ({ stage, content: bytes(text) });
    const { workflowId } = await store().publishVersion(
      samplePublish({ webhookSecrets: [change("draft", "a"), change("deployed", "a")] }),
    );
    const { definition } = samplePublish();
    const draft = { workspaceId: 1, workflowId, definition, at: noon };
    await store().saveDraft({ ...draft, expectedRevision: 1, webhookSecrets: [change("draft", "b")] });
    await store().saveDraft({ ...draft, expectedRevision: 99, webhookSecrets: [change("draft", "lost")] });
    const read = async () => {
      const all = await store().listWebhookSecrets(1);
      return all.map(({ stage, content }) => [stage, Buffer.from(content).toString()].join(" ")).toSorted();
    };
    expect(await read()).toEqual(["deployed a", "draft b"]);
    const changes = [
      { stage: "draft", content: null },
      { stage: "command", content: bytes("c") },
    ] as const;
    await store().setWebhookSecrets({ workspaceId: 1, workflowId, changes, at: noon });
    expect(await read()).toEqual(["command c", "deployed a"]);
  });
}
