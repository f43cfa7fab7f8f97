import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { launcher } from "../support/command-line.ts";
import { type LiveDaemon, liveDaemon } from "../support/live-daemon.ts";
import { greet } from "../support/workflows.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const packageFile = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
const inspector = join(dirname(packageFile), "clients/launcher/build/index.js");

type Inspection = { code: number; stdout: string; stderr: string };

/** The official Inspector's command line, in a home of its own: it keeps files there. */
async function inspect(target: string[], method: string, ...args: string[]): Promise<Inspection> {
  const home = temporaryFolder();
  const given = [inspector, "--cli", ...target, "--method", method, "--format", "json", ...args];
  const child = spawn(process.execPath, given, { env: { PATH: process.env["PATH"] ?? "", HOME: home } });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, "exit");
  return { code: Number(code), stdout: await stdout, stderr: await stderr };
}

type Reach = (key: string) => string[];

async function prepare(): Promise<{ daemon: LiveDaemon; reach: Reach }> {
  const daemon = await liveDaemon();
  await daemon.publish(greet);
  const url = new URL("/mcp?tools=all", daemon.url).href;
  const options = ["--transport", "http", "--stored-auth-only"];
  return { daemon, reach: (key) => [url, ...options, "--header", `Authorization: Bearer ${key}`] };
}

function resultOf({ code, stdout, stderr }: Inspection): unknown {
  if (code !== 0) throw new Error(`${code}: ${stderr}`);
  return (JSON.parse(stdout) as { result: unknown }).result;
}

describe("the Inspector's command line", () => {
  it("finds no error in any tool's schemas under --strict", async () => {
    const { daemon, reach } = await prepare();
    const to = reach(await daemon.mintKey());
    const listed = await inspect(to, "tools/list", "--strict", "--protocol-era", "modern");
    expect(resultOf(listed)).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: "action_greet" })]),
    });
    // What is left says that a run's input and output can be any JSON, which they can.
    const warned = /^0 errors, (?<count>\d+) warnings? across/m.exec(listed.stderr)?.groups?.["count"];
    expect([
      Number(warned) <= 9,
      listed.stderr.match(/Path: (?!outputSchema\.properties\.(?:in|out)put$).*/gm),
    ]).toEqual([true, null]);
  });

  it("calls tools, reads resources and gets prompts, and takes each answer for valid", async () => {
    const { daemon, reach } = await prepare();
    const to = reach(await daemon.mintKey());
    const run = await inspect(to, "tools/call", "--tool-name", "run_action", "--tool-args-json", runArguments);
    expect(resultOf(run)).toMatchObject({ structuredContent: { status: "succeeded", output: { text: "Hello Ada" } } });
    const [templates, action, prompts, prompt] = await Promise.all([
      inspect(to, "resources/templates/list", "--protocol-era", "modern"),
      inspect(to, "resources/read", "--uri", "action://greet", "--protocol-era", "modern"),
      inspect(to, "prompts/list"),
      inspect(to, "prompts/get", "--prompt-name", "build_workflow", "--prompt-args", "goal=greet"),
    ]);
    expect(resultOf(templates)).toMatchObject({ resourceTemplates: { length: 4 } });
    expect(resultOf(action)).toMatchObject({ contents: [{ uri: "action://greet", mimeType: "application/json" }] });
    expect(resultOf(prompts)).toMatchObject({ prompts: { length: 3 } });
    expect(resultOf(prompt)).toMatchObject({ messages: [{ content: { text: expect.stringContaining("greet") } }] });
  });

  it("is told of a tool's error and of a key that is not taken, and works over stdio", async () => {
    const { daemon, reach } = await prepare();
    const key = await daemon.mintKey();
    const env = ["-e", `STEPGATE_HOME=${daemon.folder}`, "-e", `STEPGATE_API_KEY=${key}`];
    const [failed, refused, program] = await Promise.all([
      inspect(reach(key), "tools/call", "--tool-name", "get_action", "--tool-arg", "slug=none"),
      inspect(reach("sgt_wrong"), "tools/list"),
      inspect([launcher, "mcp", "stdio", ...env], "tools/call", "--tool-name", "list_actions"),
    ]);
    expect(failed.stdout).toContain("ACTION_NOT_FOUND");
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("Missing or invalid API key")]);
    expect(resultOf(program)).toMatchObject({ structuredContent: { total: 1 } });
  });
});

const runArguments = JSON.stringify({ slug: "greet", input: { name: "Ada" }, wait_seconds: 10 });
