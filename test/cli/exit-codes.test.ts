import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stepgate, type Ended } from "../support/command-line.ts";
import { PublishedDaemon } from "../support/published-daemon.ts";

const daemon = new PublishedDaemon();
beforeAll(async () => daemon.start());
afterAll(async () => daemon.stop());

it.each<[code: number, args: string[]]>([
  [0, ["status"]],
  [2, ["run"]],
  [2, ["rn"]],
  [2, ["runs"]],
  [2, ["runs", "lst"]],
  [2, ["runs", "list", "--nope"]],
  [2, ["runs", "list", "--limit", "0"]],
  [2, ["runs", "list", "--status", "lost"]],
  [2, ["run", "greet", "--input", "{"]],
  [2, ["run", "greet", "-i", "name"]],
  [2, ["run", "greet", "--timeout", "1s"]],
  [2, ["publish", "missing.yaml"]],
  [2, ["keys", "mint"]],
  [2, ["keys", "mint", "--name", "x", "--scope", "nope"]],
  [2, ["keys", "revoke", "everything"]],
  [2, ["keys", "list", "--url", "http://127.0.0.1:1"]],
  [2, ["runs", "list", "--url", "http://127.0.0.1:1", "--key-file", "/dev/null/x"]],
  [2, ["runs", "list", "--url", "ftp://127.0.0.1"]],
  [4, ["runs", "list", "--url", "http://127.0.0.1:1"]],
  [5, ["run", "nope"]],
  [5, ["actions", "show", "nope"]],
  [5, ["runs", "show", "71be90d4-0000-7000-8000-000000000000"]],
  [5, ["keys", "revoke", "nope", "--yes"]],
  [7, ["run", "greet"]],
  [10, ["run", "broken", "-i", "name=x", "--wait"]],
])("%i: stepgate %j", async (code, args) => {
  const ended = await daemon.run(...args);
  expect([ended.code, ended.stderr === ""]).toEqual([code, code === 0]);
});

it("3: no daemon", async () => {
  const ended = await stepgate(join(daemon.home, "elsewhere"), ["runs", "list"]);
  expect(ended).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("stepgate start") });
});

it("6: a second daemon on the same data, and a port that is taken", async () => {
  const second = await daemon.run("serve", "--port", "0");
  expect(second).toMatchObject({ code: 6, stderr: expect.stringContaining(daemon.home) });
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const busy = await stepgate(join(daemon.home, "other"), ["serve", "--port", String(port)]);
  holder.close();
  expect(busy).toMatchObject({ code: 6, stderr: expect.stringContaining(`Port ${port}`) });
});

describe("over HTTP with a key", () => {
  const remote = async (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
    stepgate("/nonexistent", args, { env: { STEPGATE_URL: daemon.url, ...env } });

  it("actions and runs work with a key from the environment or a file, and need no socket", async () => {
    const file = join(daemon.home, "remote.key");
    writeFileSync(file, `${daemon.key}\n`);
    for (const env of [{ STEPGATE_API_KEY: daemon.key }, { STEPGATE_API_KEY_FILE: file }]) {
      expect((await remote(["actions", "list", "-q"], env)).stdout).toContain("greet\n");
    }
    const ended = await remote(["run", "greet", "-i", "name=Ada", "--wait", "--json", "--key-file", file]);
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: "succeeded", output: { text: "Hello, Ada!" } });
  });

  it.each<[name: string, code: number, env: () => NodeJS.ProcessEnv]>([
    ["no key", 4, () => ({})],
    ["a wrong key", 4, () => ({ STEPGATE_API_KEY: `sgt_${"x".repeat(32)}` })],
    ["a key with a line break in it", 4, () => ({ STEPGATE_API_KEY: "sgt_\nHost: evil" })],
    ["nobody there", 3, () => ({ STEPGATE_URL: "http://127.0.0.1:1", STEPGATE_API_KEY: daemon.key })],
  ])("%s exits with %i, and the key is never shown", async (_, code, env) => {
    const ended = await remote(["runs", "list", "--verbose"], env());
    expect(ended.code).toBe(code);
    expect(ended.stdout + ended.stderr).not.toContain(daemon.key.slice(8));
  });

  it("a key without the scope is told which one it lacks", async () => {
    const { secret } = await daemon.json<{ secret: string }>(
      "keys",
      "mint",
      "--name",
      "reader",
      "--scope",
      "runs:read",
    );
    const ended = await remote(["actions", "list"], { STEPGATE_API_KEY: secret });
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining("actions:read") });
  });
});
