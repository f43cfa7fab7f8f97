import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { defaultLimits } from "../../src/contract/limits.ts";
import { createKeyRing } from "../../src/engine/keys.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { fakeWorld } from "../support/fake-world.ts";

/** A key ring on a real store that counts its look-ups and holds each one's answer until the test lets it through. */
async function setUp() {
  const store = await openSqliteStore({ file: ":memory:", writer: "inline" });
  onTestFinished(() => store.close());
  const { world, clock } = fakeWorld("2026-01-01T00:00:00Z");
  const lookUps = { count: 0, held: Promise.resolve() };
  const find = store.findKeysByPrefix;
  store.findKeysByPrefix = async (prefix) => {
    lookUps.count += 1;
    const found = await find(prefix);
    await lookUps.held;
    return found;
  };
  const keys = createKeyRing({ store, world, limits: defaultLimits, randomBytes });
  const workspace = await store.findWorkspace("default");
  if (!workspace) throw new Error("A fresh store has no workspace");
  const minted = await keys.mint(workspace, { name: "test", user: "ada" });
  return { keys, clock, lookUps, minted, workspace, header: `Bearer ${minted.secret}` };
}

it("a verified key is not looked up again for five seconds", async () => {
  const { keys, clock, lookUps, header, minted } = await setUp();
  expect((await keys.authenticate(header)).key).toMatchObject({ id: minted.id, userId: "ada" });
  clock.advance(4_999);
  await keys.authenticate(header);
  expect(lookUps.count).toBe(1);
  clock.advance(1);
  await keys.authenticate(header);
  expect(lookUps.count).toBe(2);
});

it("a look-up that was under way when its key was revoked is not taken at its word later", async () => {
  const { keys, lookUps, header, minted, workspace } = await setUp();
  const slow = Promise.withResolvers<void>();
  lookUps.held = slow.promise;
  const early = keys.authenticate(header);
  await keys.revoke(workspace.id, minted.id);
  slow.resolve();
  expect((await early).key.id).toBe(minted.id);
  await expect(keys.authenticate(header)).rejects.toMatchObject({ code: "UNAUTHORIZED", message: "API key revoked" });
});

it("a key that is wrong in its last character is refused although its prefix is known", async () => {
  const { keys, header } = await setUp();
  const wrong = header.slice(0, -1) + (header.endsWith("A") ? "B" : "A");
  await expect(keys.authenticate(wrong)).rejects.toMatchObject({ message: "Missing or invalid API key" });
});

it("an unknown prefix costs about what a wrong secret costs", async () => {
  const { keys, header } = await setUp();
  const wrong = header.slice(0, -1) + (header.endsWith("A") ? "B" : "A");
  const unknown = `${header.slice(0, 12)}${"-".repeat(31)}`;
  const time = async (text: string) => {
    const startedAt = performance.now();
    await keys.authenticate(text).catch(() => undefined);
    return performance.now() - startedAt;
  };
  const [known, none]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3_000; round++) {
    known.push(await time(wrong));
    none.push(await time(unknown));
  }
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
  // Generous, for a machine that does other things too.
  expect(median(none) / median(known)).toBeGreaterThan(0.6);
  expect(median(none) / median(known)).toBeLessThan(1.6);
});

it("two keys never have the same salt or secret, and only a hash is stored", async () => {
  const { keys, workspace, minted } = await setUp();
  const other = await keys.mint(workspace, { name: "other", user: "ada" });
  const records = await keys.list(workspace.id);
  expect(other.secret).not.toBe(minted.secret);
  expect(Buffer.from(records[0]?.salt ?? []).equals(Buffer.from(records[1]?.salt ?? []))).toBe(false);
  expect(records.map(({ salt, hash }) => [salt.byteLength, hash.byteLength])).toEqual([
    [16, 32],
    [16, 32],
  ]);
});
