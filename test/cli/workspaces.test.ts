import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ApiKey, MintedKey } from "../../src/contract/key.ts";
import { PublishedDaemon } from "../support/published-daemon.ts";

const daemon = new PublishedDaemon();
beforeAll(async () => daemon.start());
afterAll(async () => daemon.stop());

async function rateLimit(secret: string): Promise<string | null> {
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await fetch(`${daemon.url}/api/v1/runtime/actions`, { headers });
  return answer.headers.get("x-ratelimit-limit");
}

it("a workspace is made, listed and works apart: publishing, running, listing and keys take --workspace", async () => {
  const made = await daemon.json("workspace", "create", "team", "--tier", "free");
  expect(made).toMatchObject({ id: expect.any(Number), name: "team", tier: "free" });
  const { workspaces } = await daemon.json<{ workspaces: { name: string; tier: string }[] }>("workspace", "list");
  expect(workspaces.map(({ name, tier }) => [name, tier])).toEqual([
    ["default", "business"],
    ["team", "free"],
  ]);
  const inTeam = ["--workspace", "team"];
  expect(await daemon.json("runs", "list", ...inTeam)).toMatchObject({ total: 0 });
  expect(await daemon.json("actions", "list", ...inTeam)).toMatchObject({ total: 0 });
  await daemon.json("publish", join(daemon.folder, "greet.yaml"), ...inTeam);
  const run = await daemon.json<{ run_id: string }>("run", "greet", "-i", "name=Ada", "--wait", ...inTeam);
  expect(await daemon.json("runs", "show", run.run_id, ...inTeam)).toMatchObject({ status: "succeeded" });
  expect((await daemon.run("runs", "show", run.run_id, "--json")).code).toBe(5);
  const { secret } = await daemon.json<MintedKey>("keys", "mint", "--name", "one", ...inTeam);
  expect(await rateLimit(secret)).toBe("60");
  expect((await daemon.run("keys", "mint", "--name", "two", ...inTeam)).code).toBe(6);
  expect(await daemon.json("workspace", "set-tier", "team", "pro")).toMatchObject({ name: "team", tier: "pro" });
  expect(await rateLimit(secret)).toBe("1000");
});

const wrong: [code: number, ...args: string[]][] = [
  [6, "workspace", "create", "default", "--tier", "pro"],
  [2, "workspace", "create", "Not a name", "--tier", "pro"],
  [2, "workspace", "create", "gold", "--tier", "gold"],
  [5, "workspace", "set-tier", "nobody", "pro"],
  [2, "workspace", "set-tier", "default", "gold"],
  [5, "runs", "list", "--workspace", "nobody"],
  [5, "keys", "show", "nobody"],
  [5, "keys", "rotate", "nobody"],
];

it.each(wrong)("exit %i: %s %s %s", async (code, ...args) => {
  expect((await daemon.run(...args, "--json")).code).toBe(code);
});

it("a key is shown and rotated; the new secret goes into a file of its own where that is asked for", async () => {
  const old = await daemon.json<MintedKey>("keys", "mint", "--name", "ci", "--scope", "runs:read");
  expect(await daemon.json<ApiKey>("keys", "show", "ci")).toMatchObject({ id: old.id, is_active: true });
  const rotated = await daemon.json<MintedKey>("keys", "rotate", "ci");
  expect(rotated).toMatchObject({ name: "ci", scopes: ["runs:read"], secret: expect.stringMatching(/^sgt_/) });
  expect(await daemon.json<ApiKey>("keys", "show", old.id)).toMatchObject({ is_active: false });
  const out = join(daemon.home, "ci.key");
  const { code, stdout } = await daemon.run("keys", "rotate", rotated.prefix, "--out", out, "--json");
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ secret_file: out })]);
  const secret = readFileSync(out, "utf8").trim();
  expect(stdout).not.toContain(secret);
  expect((statSync(out).mode & 0o777).toString(8)).toBe("600");
  expect((await daemon.run("keys", "rotate", old.id)).code).toBe(6);
  // The file of the old key takes the new one; the file of another key stays.
  expect((await daemon.run("keys", "rotate", "ci", "--out", out)).code).toBe(0);
  const newest = readFileSync(out, "utf8").trim();
  expect([newest === secret, newest.slice(0, 8)]).toEqual([
    false,
    (await daemon.json<ApiKey>("keys", "show", "ci")).prefix,
  ]);
  expect((statSync(out).mode & 0o777).toString(8)).toBe("600");
  await daemon.json("keys", "mint", "--name", "other");
  expect((await daemon.run("keys", "rotate", "other", "--out", out)).code).toBe(2);
  expect(readFileSync(out, "utf8").trim()).toBe(newest);
});

it("a name of several keys is the caller's mistake, with the candidates", async () => {
  for (let n = 0; n < 2; n++) await daemon.json("keys", "mint", "--name", "twin");
  for (const verb of ["show", "rotate"]) {
    const { code, stderr } = await daemon.run("keys", verb, "twin", "--json");
    expect([code, JSON.parse(stderr).details]).toEqual([2, [expect.anything(), expect.anything()]]);
  }
});
