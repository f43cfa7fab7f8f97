import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { createCipher } from "../../src/engine/redaction/cipher.ts";
import { SealedValueError } from "../../src/engine/sealed-value.ts";
import { createWorkspaceValues } from "../../src/engine/workspace-values.ts";
import { MissingSecretError } from "../../src/engine/templates/named-values.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { owners, sealValue } from "../../src/engine/sealed-value.ts";

const key = new Uint8Array(32).fill(7);

/** A store with two secrets in one workspace, one of the same name in another, and the file below it. */
async function withSecrets() {
  const folder = mkdtempSync(join(tmpdir(), "stepgate-sealed-"));
  const file = join(folder, "test.db");
  const store = await openSqliteStore({ file, writer: "inline" });
  const db = new Database(file);
  onTestFinished(async () => {
    db.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const cipher = createCipher(key, randomBytes);
  const team = await store.createWorkspace({ name: "team", tier: "pro", at: 0 });
  const teamId = team?.id ?? 0;
  for (const [workspaceId, name] of [
    [1, "A"],
    [1, "B"],
    [teamId, "A"],
  ] as const) {
    const value = sealValue(cipher, owners.secret(workspaceId, name), `canary of ${workspaceId} ${name}`);
    await store.setSecret({ workspaceId, name, value, at: 0 });
  }
  const read = async (workspaceId: number, name: string, withKey = key) => {
    const values = createWorkspaceValues(store, createCipher(withKey, randomBytes));
    await values.load();
    return values.named(workspaceId).readSecret(name);
  };
  return { db, teamId, read };
}

it("a secret is read with its key alone, in its own row alone", async () => {
  const { db, teamId, read } = await withSecrets();
  expect(await read(1, "A")).toBe("canary of 1 A");
  await expect(read(1, "A", new Uint8Array(32).fill(8))).rejects.toThrow(/master key [\da-f]{8}, and this daemon has/);
  await expect(read(1, "C")).rejects.toThrow(MissingSecretError);
  // Two rows of a workspace change places, and a row goes to another workspace.
  const rows = db.prepare("SELECT workspace_id AS w, name, value FROM secrets").all();
  const valueOf = (w: number, name: string) =>
    (rows as { w: number; name: string; value: Buffer }[]).find((row) => row.w === w && row.name === name)?.value;
  const put = db.prepare("UPDATE secrets SET value = ? WHERE workspace_id = ? AND name = ?");
  put.run(valueOf(1, "B"), 1, "A");
  put.run(valueOf(1, "A"), 1, "B");
  put.run(valueOf(1, "A"), teamId, "A");
  for (const [workspaceId, name] of [
    [1, "A"],
    [1, "B"],
    [teamId, "A"],
  ] as const) {
    await expect(read(workspaceId, name)).rejects.toThrow(SealedValueError);
  }
  put.run(valueOf(1, "A"), 1, "A");
  expect(await read(1, "A")).toBe("canary of 1 A");
});

it("one flipped bit anywhere, and every shorter text, is an error and never a plaintext", async () => {
  const cipher = createCipher(key, randomBytes);
  const sealed = sealValue(cipher, "secret|1|A", "canary");
  expect(cipher.open("secret|1|A", sealed)).toEqual({ text: '"canary"' });
  for (let at = 0; at < sealed.length; at++) {
    const flipped = Uint8Array.from(sealed, (byte, index) => (index === at ? byte ^ 1 : byte));
    expect(cipher.open("secret|1|A", flipped)).toEqual({ problem: expect.any(String) });
    expect(cipher.open("secret|1|A", sealed.subarray(0, at))).toEqual({ problem: expect.any(String) });
  }
});

it("the same secret is sealed to other bytes each time, and its text stands nowhere in the file", async () => {
  const cipher = createCipher(key, randomBytes);
  const [one, two] = [1, 2].map(() => Buffer.from(sealValue(cipher, "secret|1|A", "canary")).toString("hex"));
  expect(one).not.toBe(two);
  const { db } = await withSecrets();
  expect(db.serialize().includes("canary")).toBe(false);
});
