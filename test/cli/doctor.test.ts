import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { stepgate } from "../support/command-line.ts";
import { DaemonProcess } from "../support/daemon-process.ts";

type Check = { name: string; status: string; message: string; fix?: string };

const folder = mkdtempSync(join(tmpdir(), "stepgate-doctor-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function doctor(home: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const { code, stdout } = await stepgate(home, ["doctor", "--json", ...args], { env, cwd: folder });
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
  return { code, ok, checks, of: (name: string) => checks.find((check) => check.name === name) };
}

it("finds what is wrong around a daemon, and mends what can do no harm", async () => {
  const daemon = await new DaemonProcess().start();
  const { home } = daemon;
  daemon.command("keys", "mint", "--name", "mcp", "--out", join(home, "mcp.key"));
  const well = await doctor(home);
  expect([well.code, well.ok, well.checks.filter(({ status }) => status !== "ok")]).toEqual([0, true, []]);
  expect(well.checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "node",
      "sqlite",
      "sandbox",
      "lock",
      "schema",
      "folders",
      "config",
      "port",
      "health",
      "key",
    ]),
  );

  chmodSync(join(home, "mcp.key"), 0o644);
  const open = await doctor(home, [], { STEPGATE_LIMITS_RUN_PER_HOUR: "5" });
  expect(open.of("folders")).toMatchObject({ status: "warn", message: expect.stringContaining("mcp.key") });
  expect(open.of("environment")).toMatchObject({ message: expect.stringContaining("STEPGATE_LIMITS_RUN_PER_HOUR") });
  const mended = await doctor(home, ["--fix"]);
  expect([mended.of("folders")?.status, statSync(join(home, "mcp.key")).mode & 0o777]).toEqual(["ok", 0o600]);

  writeFileSync(join(home, "mcp.key"), `sgt_${"x".repeat(32)}\n`);
  writeFileSync(join(folder, ".mcp.json"), `{"mcpServers":{"stepgate":{"command":"/nowhere/stepgate"}}}`);
  const refused = await doctor(home);
  expect([refused.code, refused.of("key")?.status, refused.of("mcp Claude Code")?.status]).toEqual([1, "fail", "fail"]);
  rmSync(join(folder, ".mcp.json"));

  await daemon.kill();
  const killed = await doctor(home, [], { STEPGATE_PORT: "0" });
  expect(killed.of("daemon")).toMatchObject({ status: "warn", message: expect.stringContaining("control.sock") });
  await doctor(home, ["--fix"], { STEPGATE_PORT: "0" });
  expect(existsSync(join(home, "control.sock"))).toBe(false);
  rmSync(home, { recursive: true });
});

it("tells of a database whose pages are damaged, which a daemon may not have met yet", async () => {
  const daemon = await new DaemonProcess().start();
  await daemon.stop();
  const { home } = daemon;
  const env = { STEPGATE_PORT: "0" };
  const sound = await doctor(home, [], env);
  const database = join(home, "stepgate.db");
  const bytes = readFileSync(database);
  // All but the first pages, which hold the schema and what makes it a database.
  writeFileSync(database, bytes.fill(0xee, bytes.length / 2));
  const damaged = await doctor(home, [], env);
  expect([sound.code, sound.of("database")?.status, damaged.code]).toEqual([0, "ok", 1]);
  expect(damaged.of("database")).toMatchObject({ status: "fail", fix: expect.stringContaining("stepgate db restore") });
  rmSync(home, { recursive: true });
});

it("writes a report without a key in it, into a new file alone", async () => {
  const home = join(folder, "home");
  const file = join(folder, "report.json");
  const env = {
    STEPGATE_PORT: "0",
    STEPGATE_API_KEY: `sgt_${"y".repeat(32)}`,
    // Whoever knows such an address may post to it.
    STEPGATE_APPROVALS_NOTIFY_WEBHOOK: "https://hooks.example/services/yyyyyyyy",
  };
  expect((await doctor(home, ["--bundle", file], env)).code).toBe(0);
  const report = readFileSync(file, "utf8");
  expect([report.includes("yyyyy"), statSync(file).mode & 0o777]).toEqual([false, 0o600]);
  expect(report).toContain('"value": "https://hooks.example/…"');
  expect(JSON.parse(report)).toMatchObject({
    checks: expect.any(Array),
    variables: expect.arrayContaining(["STEPGATE_API_KEY"]),
  });
  expect((await stepgate(home, ["doctor", "--bundle", file], { env })).code).toBe(2);
});
