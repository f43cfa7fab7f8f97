import { describe, expect, test } from "vitest";
import type { KeyRecord } from "../store.ts";
import { defaultWorkspaceId, noon, range, sampleKey } from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

/** Promises of `WorkspaceStore` and `KeyStore`. */
export function testKeys(open: OpenStore): void {
  const store = useStore(open);

  describe("workspaces", () => {
    test("a fresh database holds the workspace default of tier business", async () => {
      const workspace = await store().findWorkspace("default");
      expect(workspace).toMatchObject({ name: "default", tier: "business" });
      expect(await store().getWorkspace(workspace?.id ?? 0)).toEqual(workspace);
    });

    test("an unknown workspace is null", async () => {
      expect(await store().findWorkspace("nobody's")).toBeNull();
      expect(await store().getWorkspace(4711)).toBeNull();
    });
  });

  describe("keys", () => {
    async function create(changes: Partial<KeyRecord> = {}, quota: number | null = null) {
      const key = sampleKey({ workspaceId: await defaultWorkspaceId(store()), ...changes });
      return { key, ...(await store().createKey({ key, quota })) };
    }

    test("a key comes back as it was stored", async () => {
      const { key } = await create({ expiresAt: noon + 1, lastUsedAt: noon, scopes: ["workflows:run"] });
      const [found] = await store().findKeysByPrefix(key.prefix);
      expect({ ...found, salt: Array.from(found?.salt ?? []), hash: Array.from(found?.hash ?? []) }).toEqual({
        ...key,
        salt: Array.from(key.salt),
        hash: Array.from(key.hash),
      });
    });

    test("all keys that share a prefix are found, revoked ones too", async () => {
      const one = await create({ prefix: "sgt_same", revokedAt: noon });
      const other = await create({ prefix: "sgt_same" });
      await create({ prefix: "sgt_else" });
      const found = await store().findKeysByPrefix("sgt_same");
      expect(found.map(({ id }) => id).toSorted()).toEqual([one.key.id, other.key.id].toSorted());
      expect(await store().findKeysByPrefix("sgt_none")).toEqual([]);
    });

    test("keys are listed newest first", async () => {
      const ids = [];
      for (const name of ["a", "b", "c"]) ids.unshift((await create({ name })).key.id);
      const listed = await store().listKeys(await defaultWorkspaceId(store()));
      expect(listed.map(({ id }) => id)).toEqual(ids);
      expect(await store().listKeys(4711)).toEqual([]);
    });

    test("of many keys minted at once exactly the quota is created", async () => {
      const results = await Promise.all(range(20).map(() => create({}, 3)));
      expect(results.filter(({ created }) => created)).toHaveLength(3);
      expect(results.at(-1)?.active).toBe(3);
      expect(await store().listKeys(await defaultWorkspaceId(store()))).toHaveLength(3);
    });

    test("revoked and expired keys do not count towards the quota", async () => {
      await create({ revokedAt: noon - 5 });
      await create({ expiresAt: noon });
      expect(await create({ expiresAt: noon + 1 }, 1)).toMatchObject({ created: true, active: 1 });
      expect(await create({}, 1)).toMatchObject({ created: false, active: 1 });
      expect(await create({}, null)).toMatchObject({ created: true, active: 2 });
    });

    test("a key is revoked once, and a second time changes nothing", async () => {
      const { key } = await create();
      const first = await store().revokeKey({ workspaceId: key.workspaceId, id: key.id, at: noon + 1 });
      expect(first).toMatchObject({ id: key.id, scopes: key.scopes, revokedAt: noon + 1 });
      const second = await store().revokeKey({ workspaceId: key.workspaceId, id: key.id, at: noon + 2 });
      expect(second?.revokedAt).toBe(noon + 1);
      expect((await store().listKeys(key.workspaceId))[0]?.revokedAt).toBe(noon + 1);
    });

    test("a key of another workspace cannot be revoked", async () => {
      const { key } = await create();
      expect(await store().revokeKey({ workspaceId: 4711, id: key.id, at: noon })).toBeNull();
      expect(await store().revokeKey({ workspaceId: key.workspaceId, id: "unknown", at: noon })).toBeNull();
      expect((await store().listKeys(key.workspaceId))[0]?.revokedAt).toBeNull();
    });

    test("the last use only moves forward", async () => {
      const { key } = await create();
      await store().touchKeys([{ id: key.id, at: noon + 9 }]);
      await store().touchKeys([{ id: key.id, at: noon + 3 }]);
      await store().touchKeys([{ id: "unknown", at: noon + 99 }]);
      expect((await store().listKeys(key.workspaceId))[0]?.lastUsedAt).toBe(noon + 9);
    });
  });
}
