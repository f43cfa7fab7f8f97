import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Ended, launcher } from "../support/command-line.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A project's folder and a user's home, and the command line in them. */
function place(stepgateHome?: string) {
  const folder = temporaryFolder();
  const [project, home] = [join(folder, "project"), join(folder, "home")];
  for (const each of [project, home]) mkdirSync(each);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, STEPGATE_HOME: stepgateHome ?? join(folder, "data") };
  return {
    project,
    home,
    data: env.STEPGATE_HOME,
    read: (file: string) => readFileSync(join(folder, file), "utf8"),
    run: (...args: string[]) =>
      new Promise<Ended>((resolve) => {
        execFile(launcher, ["mcp", ...args], { cwd: project, env }, (error, stdout, stderr) => {
          resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
        });
      }),
  };
}

const program = (data: string) => ({ command: launcher, args: ["mcp", "stdio"], env: { STEPGATE_HOME: data } });
const url = "http://127.0.0.1:7717/mcp";

it("print shows what each client needs, by program and by address, and no key", async () => {
  const { run, data } = place();
  const header = (reference: string) => ({ headers: { Authorization: `Bearer ${reference}` } });
  const stdio = { mcpServers: { stepgate: program(data) } };
  const expected: [client: string, stdio: unknown, http: unknown][] = [
    [
      "claude-code",
      { mcpServers: { stepgate: { type: "stdio", ...program(data) } } },
      { mcpServers: { stepgate: { type: "http", url, ...header("${STEPGATE_API_KEY}") } } },
    ],
    ["cursor", stdio, { mcpServers: { stepgate: { url, ...header("${env:STEPGATE_API_KEY}") } } }],
    [
      "vscode",
      { servers: { stepgate: { type: "stdio", ...program(data) } } },
      {
        inputs: [{ type: "promptString", id: "stepgate-key", description: "Stepgate API key", password: true }],
        servers: { stepgate: { type: "http", url, ...header("${input:stepgate-key}") } },
      },
    ],
    ["gemini", stdio, { mcpServers: { stepgate: { httpUrl: url, ...header("${STEPGATE_API_KEY}") } } }],
  ];
  for (const [client, byProgram, byAddress] of expected) {
    expect(JSON.parse((await run("print", client)).stdout)).toEqual(byProgram);
    expect(JSON.parse((await run("print", client, "--transport", "http")).stdout)).toEqual(byAddress);
  }
  expect((await run("print", "codex", "--transport", "http")).stdout).toBe(
    `[mcp_servers.stepgate]\nurl = "${url}"\nbearer_token_env_var = "STEPGATE_API_KEY"\n`,
  );
});

it("print names the address of the daemon that runs here, and of another one that is named", async () => {
  const daemon = await liveDaemon();
  const { run } = place(daemon.folder);
  expect((await run("print", "gemini", "--transport", "http")).stdout).toContain(`"${daemon.url}/mcp"`);
  const other = await run("print", "gemini", "--transport", "http", "--url", "https://example.com/");
  expect(other.stdout).toContain('"https://example.com/mcp"');
});

it("install writes the project's file, makes the key that its program needs, and says what it did", async () => {
  const daemon = await liveDaemon();
  const { run, project, data, read } = place(daemon.folder);
  const { code, stdout } = await run("install", "claude-code", "--json");
  const file = join(project, ".mcp.json");
  const keyFile = join(data, "mcp.key");
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      client: "claude-code",
      scope: "project",
      transport: "stdio",
      file,
      changed: true,
      backup: null,
      key_file: keyFile,
    },
  ]);
  expect(JSON.parse(read("project/.mcp.json"))).toEqual({
    mcpServers: { stepgate: { type: "stdio", ...program(data) } },
  });
  expect(readFileSync(keyFile, "utf8")).toMatch(/^sgt_[\w-]{32}\n$/);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  const key = readFileSync(keyFile, "utf8");
  expect(JSON.parse((await run("install", "claude-code", "--json")).stdout)).toMatchObject({
    changed: false,
    backup: null,
  });
  expect(readFileSync(keyFile, "utf8")).toBe(key);
});

it("install keeps comments and a copy of the file as it was", async () => {
  const { run, home, read } = place();
  const before = '{\n  // mine\n  "mcpServers": {}\n}\n';
  mkdirSync(join(home, ".cursor"));
  writeFileSync(join(home, ".cursor/mcp.json"), before);
  const { code, stdout } = await run("install", "cursor", "--scope", "user", "--transport", "http", "--json");
  const backup = join(home, ".cursor/mcp.json.before-stepgate");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { scope: "user", changed: true, backup }]);
  expect(readFileSync(backup, "utf8")).toBe(before);
  expect(read("home/.cursor/mcp.json")).toContain("// mine");
  expect(read("home/.cursor/mcp.json")).toContain(`"url": "${url}"`);
  expect(read("home/.cursor/mcp.json")).not.toMatch(/sgt_/);
});

it("install without a daemon does its part and says that the key is still to be made", async () => {
  const { run, home, data } = place();
  const { code, stdout } = await run("install", "codex", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { scope: "user", changed: true, key_file: null }]);
  expect(existsSync(join(data, "mcp.key"))).toBe(false);
  expect(readFileSync(join(home, ".codex/config.toml"), "utf8")).toContain("[mcp_servers.stepgate]");
});

it("install leaves a file alone that it cannot read, and says where it goes wrong", async () => {
  const { run, project } = place();
  writeFileSync(join(project, ".mcp.json"), '{\n  "mcpServers": {,\n');
  const { code, stderr } = await run("install", "claude-code");
  expect(code).toBe(2);
  expect(stderr).toContain("is no JSON");
  expect(stderr).toContain("in line 2");
  expect(readFileSync(join(project, ".mcp.json"), "utf8")).toBe('{\n  "mcpServers": {,\n');
});

it("install names the client's own command where it keeps no file for others to write", async () => {
  const { run, data } = place();
  const { code, stderr } = await run("install", "claude-code", "--scope", "user");
  expect(code).toBe(2);
  expect(stderr).toContain(
    `claude mcp add --scope user --env STEPGATE_HOME=${data} --transport stdio stepgate -- ${launcher} mcp stdio`,
  );
  const http = await run("install", "claude-code", "--scope", "user", "--transport", "http");
  expect(http.stderr).toContain(`stepgate ${url} --header 'Authorization: Bearer \${STEPGATE_API_KEY}'`);
});

it.each([
  ["print", "emacs"],
  ["print"],
  ["install", "cursor", "--scope", "world"],
  ["print", "cursor", "--transport", "sse"],
  ["install", "vscode", "--scope", "user", "--transport", "http"],
])("mcp %s %s %s %s is wrong usage", async (...args) => {
  expect((await place().run(...args.filter((arg) => arg !== undefined))).code).toBe(2);
});
