import { expect, it } from "vitest";
import { type MintedKey, apiKey, mintedKey } from "../../src/contract/key.ts";
import { defaultLimits } from "../../src/contract/limits.ts";
import { testRuntime } from "../support/runtime.ts";

const expires_at = "2026-01-15T11:00:00.000Z";

it("rotating replaces a key by one of the same name, scopes, user and expiry, at the quota too", async () => {
  const runtime = await testRuntime({ limits: { activeKeys: { ...defaultLimits.activeKeys, business: 2 } } });
  const old = await runtime.mintKey(["runs:read"], { name: "ci", user: "ada", expires_at });
  expect((await runtime.get("/runs", old.secret)).status).toBe(200);
  const { status, body } = await runtime.control<MintedKey>("POST", "/control/keys/ci/rotate");
  expect(status).toBe(200);
  const fresh = mintedKey.strict().parse(body);
  expect(fresh).toMatchObject({ name: "ci", scopes: ["runs:read"], expires_at });
  expect([fresh.id === old.id, fresh.secret === old.secret]).toEqual([false, false]);
  expect((await runtime.get("/runs", fresh.secret)).status).toBe(200);
  expect(await runtime.get("/runs", old.secret)).toMatchObject({ status: 401, body: { error: "API key revoked" } });
  const users = (await runtime.store.listKeys(1)).map(({ name, userId, revokedAt }) => [name, userId, revokedAt]);
  expect(users).toEqual([
    ["ci", "ada", null],
    ["ci", "ada", Date.parse("2026-01-15T10:00:00.000Z")],
    ["test", "tester", null],
  ]);
});

it("of two rotations at once one wins, and one key comes of it", async () => {
  const runtime = await testRuntime();
  const { id } = await runtime.mintKey();
  const rotate = async () => runtime.control("POST", `/control/keys/${id}/rotate`);
  const answers = await Promise.all([rotate(), rotate()]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect((await runtime.store.listKeys(1)).filter(({ revokedAt }) => revokedAt === null)).toHaveLength(2);
});

it("a revoked or expired key cannot be rotated, and it stays as it is", async () => {
  const runtime = await testRuntime();
  const revoked = await runtime.mintKey();
  await runtime.control("POST", `/control/keys/${revoked.id}/revoke`);
  const expired = await runtime.mintKey(undefined, { expires_at });
  runtime.clock.advance(3_600_000);
  for (const { id } of [revoked, expired]) {
    expect(await runtime.control("POST", `/control/keys/${id}/rotate`)).toMatchObject({
      status: 409,
      body: { code: "CONFLICT", error: expect.stringContaining("cannot be rotated") },
    });
  }
  expect(await runtime.store.listKeys(1)).toHaveLength(3);
});

it("a key is shown by id, prefix or name, without its secret; a revoked one by its id alone", async () => {
  const runtime = await testRuntime();
  const key = await runtime.mintKey(undefined, { name: "ci" });
  const show = async (reference: string) => runtime.control("GET", `/control/keys/${reference}`);
  for (const reference of [key.id, key.prefix, "ci"]) {
    const { body } = await show(reference);
    expect(apiKey.strict().parse(body)).toMatchObject({ id: key.id, name: "ci", is_active: true });
  }
  await runtime.control("POST", `/control/keys/${key.id}/revoke`);
  expect((await show("ci")).status).toBe(404);
  expect((await show(key.id)).body).toMatchObject({ is_active: false });
});
