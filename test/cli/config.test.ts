import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, launcher, stepgate } from "../support/command-line.ts";
import { PublishedDaemon } from "../support/published-daemon.ts";
import { hasTmux, TmuxTerminal } from "../support/tmux.ts";

const home = mkdtempSync(join(tmpdir(), "stepgate-config-"));
afterAll(() => rmSync(home, { recursive: true }));
const file = join(home, "config.yaml");

const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}, stdin = ""): Promise<Ended> =>
  stepgate(home, args, { env, stdin });

it("a setting is set, told with its origin, and counts from the next start", async () => {
  const set = await run(["config", "set", "limits.runsPerHour", "100000", "--json"]);
  expect(JSON.parse(set.stdout)).toEqual({
    name: "limits.runsPerHour",
    value: 100_000,
    changed: true,
    file,
    takes_effect: "next_start",
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const list = await run(["config", "list", "--json"], { STEPGATE_LOG_LEVEL: "debug" });
  const { settings }: { settings: { name: string }[] } = JSON.parse(list.stdout);
  const named = (name: string) => settings.find((setting) => setting.name === name);
  expect(named("limits.runsPerHour")).toMatchObject({ value: 100_000, origin: "config", source: file });
  expect(named("log.level")).toMatchObject({ value: "debug", origin: "environment", source: "STEPGATE_LOG_LEVEL" });
  expect(named("server.port")).toMatchObject({ value: 7717, origin: "default", source: null });
  expect((await run(["config", "get", "limits.runsPerHour"])).stdout).toBe("100000\n");
});

it("a secret comes by a file or stdin, never as an argument, and is shown nowhere", async () => {
  const name = "approvals.notify.webhookSecret";
  const refused = await run(["config", "set", name, "hunter22"]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("must not stand among the arguments") });
  const set = await run(["config", "set", name, "-"], {}, "hunter22\n");
  const list = await run(["config", "list", "--changed"]);
  expect([set.code, set.stdout.includes("hunter22"), list.stdout.includes("hunter22")]).toEqual([0, false, false]);
  expect(readFileSync(file, "utf8")).toContain("hunter22");
});

it("config edit takes over what is valid, and keeps anything else out", async () => {
  const preload = join(home, "tty.cjs");
  const editor = join(home, "editor");
  writeFileSync(preload, "process.stdin.isTTY = true; process.stdout.isTTY = false;");
  // Drafts are made here: what was not valid is kept, and of an editor that failed nothing is.
  const drafts = join(home, "drafts");
  mkdirSync(drafts);
  const kept = () => readdirSync(drafts).filter((name) => name.startsWith("stepgate-config-")).length;
  const edit = async (script: string) => {
    writeFileSync(editor, `#!/bin/sh\n${script}\n`);
    chmodSync(editor, 0o700);
    return run(["config", "edit"], {
      NODE_OPTIONS: `--require=${preload}`,
      EDITOR: editor,
      VISUAL: "",
      CI: "",
      TMPDIR: drafts,
    });
  };
  const before = readFileSync(file, "utf8");
  const wrong = await edit(`echo 'limts: {}' > "$1"; echo 'limits: {runPerHour: 1}' > "$1"`);
  expect(wrong).toMatchObject({ code: 7, stderr: expect.stringContaining("did you mean limits.runsPerHour") });
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(await edit(`echo 'log: {level: warn} # mine' > "$1"`)).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toBe("log: {level: warn} # mine\n");
  expect(kept()).toBe(1);
  expect(await edit("exit 3")).toMatchObject({ code: 1 });
  expect(kept()).toBe(1);
  expect((await run(["config", "edit"])).code).toBe(2);
});

it("the configuration files that the manual shows are taken as they stand", async () => {
  const folder = join(home, "manual");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "stepgate.yaml"),
    "workflows: [workflows/**/*.yaml]\npublish: { on_breaking: error }\nrun: { timeout: 120s, on_approval: exit }\n",
  );
  const config = join(folder, "config.yaml");
  writeFileSync(
    config,
    `default_profile: local
profiles:
  local: {}
  ci: { url: http://10.0.0.5:7717, key_file: ~/.config/stepgate/ci.key }
ui: { theme: auto, confirm_approval: id-prefix }
`,
  );
  const { code, stdout } = await stepgate(home, ["config", "list", "--json", "--config", config], { cwd: folder });
  const { settings } = JSON.parse(stdout) as { settings: { name: string; value: unknown; origin: string }[] };
  const told = (name: string) => settings.find((setting) => setting.name === name);
  expect([code, told("run.timeout"), told("ui.confirm_approval"), told("ui.theme")]).toMatchObject([
    0,
    { value: "120s", origin: "project" },
    { value: "id-prefix", origin: "config" },
    { value: "auto", origin: "config" },
  ]);
  const wrong = await stepgate(home, ["config", "set", "ui.confirm_approval", "never"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("ui.confirm_approval")]);
});

describe("another daemon", () => {
  const daemon = new PublishedDaemon();
  const project = join(home, "project");
  const config = join(home, "profiles.yaml");
  beforeAll(async () => {
    await daemon.start();
    mkdirSync(project);
    writeFileSync(join(home, "ci.key"), daemon.key);
    writeFileSync(config, `profiles:\n  ci: {url: "${daemon.url}", key_file: ci.key}\n  here: {}\n`);
  });
  afterAll(async () => daemon.stop());

  it.each<[string, string[], NodeJS.ProcessEnv]>([
    ["--profile", ["--profile", "ci", "--config", config], {}],
    ["STEPGATE_PROFILE", [], { STEPGATE_PROFILE: "ci", STEPGATE_CONFIG: config }],
  ])("is named by %s, with its key", async (_, args, env) => {
    const { stdout } = await run(["actions", "list", "-q", ...args], env);
    expect(stdout).toContain("greet\n");
  });

  it.each<[string, string[], number, RegExp]>([
    ["a profile that is not there", ["--profile", "cl"], 2, /no profile cl in .*\n.*it has ci, here/],
    ["a profile and an address", ["--profile", "ci", "--url", "http://127.0.0.1:1"], 2, /both name a daemon/],
    ["a profile of this machine, where nothing runs", ["--profile", "here"], 3, /not running/],
  ])("%s is told as such", async (_, args, code, message) => {
    expect(await run(["runs", "list", "--config", config, ...args])).toMatchObject({
      code,
      stderr: expect.stringMatching(message),
    });
  });

  it("a command for this machine alone refuses a profile of another", async () => {
    const ended = await run(["keys", "list", "--profile", "ci", "--config", config]);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("leave --profile out") });
  });

  it("a repository's stepgate.yaml can't send the key elsewhere", async () => {
    writeFileSync(join(project, "stepgate.yaml"), "profiles: {ci: {url: http://127.0.0.1:1}}\n");
    const ended = await stepgate(home, ["runs", "list", "--profile", "ci", "--config", config], { cwd: project });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("may not set profiles.ci.url") });
  });

  it("callable files are published there through the tools of MCP", async () => {
    const flow = join(project, "far.yaml");
    const text = readFileSync(join(daemon.folder, "greet.yaml"), "utf8").replaceAll(/\bgreet$/gim, "far");
    writeFileSync(flow, text);
    const env = { STEPGATE_URL: daemon.url, STEPGATE_API_KEY_FILE: join(home, "ci.key") };
    const publish = async (...args: string[]) => {
      const { code, stdout } = await run(["publish", flow, "--json", ...args], env);
      const { published, unchanged, failed } = JSON.parse(stdout);
      return { code, published, unchanged, failed };
    };
    expect(await publish("--check")).toMatchObject({ code: 0, published: [{ slug: "far", version: 1 }] });
    expect(await publish()).toMatchObject({ code: 0, published: [{ file: flow, version: 1, archived_version: null }] });
    expect(await publish()).toMatchObject({ code: 0, published: [], unchanged: [{ slug: "far", version: 1 }] });
    writeFileSync(flow, text.replace("name: name, type: string", "name: nickname, type: string"));
    const broken = await publish();
    expect(broken).toMatchObject({ code: 7, failed: [{ issues: [{ code: "breaking_change", line: 6 }, {}] }] });
    expect(await publish("--allow-breaking")).toMatchObject({
      code: 0,
      published: [{ version: 2, archived_version: 1 }],
    });
    writeFileSync(flow, "name: E\nnodes: [{id: trigger, type: trigger, data: {kind: webhook}}]\nedges: []\n");
    expect(await publish()).toMatchObject({ code: 7, failed: [{ issues: [{ code: "event_driven" }] }] });
  });

  it.runIf(hasTmux)("of several files a person is told one after the other", async () => {
    const folder = join(project, "two");
    mkdirSync(folder);
    for (const name of ["one", "two"]) {
      const text = readFileSync(join(daemon.folder, "greet.yaml"), "utf8");
      writeFileSync(join(folder, `${name}.yaml`), text.replaceAll(/\bgreet$/gim, name));
    }
    const env = { STEPGATE_HOME: home, STEPGATE_URL: daemon.url, STEPGATE_API_KEY_FILE: join(home, "ci.key") };
    using terminal = new TmuxTerminal(`cd ${folder} && ${launcher} publish .`, { env });
    expect(await terminal.shows("ended with 0")).toMatch(/1\/2 one\.yaml: published\n2\/2 two\.yaml: published/);
  });

  it("a key without the scope is told which one, and how to get it", async () => {
    const { secret } = await daemon.json<{ secret: string }>("keys", "mint", "--name", "ro", "--scope", "runs:read");
    const env = { STEPGATE_URL: daemon.url, STEPGATE_API_KEY: secret };
    const ended = await run(["publish", join(daemon.folder, "greet.yaml")], env);
    expect(ended).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/scope workflows:read\n.*--scope workflows:read/),
    });
  });
});
