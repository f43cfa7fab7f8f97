import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { launcher, stepgate } from "../support/command-line.ts";
import { hasTmux, TmuxTerminal } from "../support/tmux.ts";

const folder = mkdtempSync(join(tmpdir(), "stepgate-init-"));
afterAll(() => rmSync(folder, { recursive: true }));
const project = join(folder, "demo");

type News = { type: string; [key: string]: unknown };

/** `dev` in the project, its news read one by one. */
function startDev(...args: string[]) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("STEPGATE_"));
  const env = { ...Object.fromEntries(inherited), STEPGATE_HOME: join(folder, "home") };
  const child = spawn(launcher, ["dev", "--jsonl", ...args], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** The next news that is as it is wanted. */
    async until(isWanted: (news: News) => boolean): Promise<News> {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error("dev has ended");
        const news = JSON.parse(value) as News;
        if (isWanted(news)) return news;
      }
    },
    async interrupt(): Promise<unknown> {
      child.kill("SIGINT");
      return (await once(child, "exit"))[0];
    },
  };
}

it("init makes a project that publishes as it is, and overwrites nothing", async () => {
  const made = await stepgate(folder, ["init", "demo", "--json"], { cwd: folder });
  expect(JSON.parse(made.stdout).created).toEqual([
    "stepgate.yaml",
    "workflows/hello.yaml",
    "workflows/hello.test.yaml",
    "schema/workflow.schema.json",
    ".gitignore",
  ]);
  const workflow = join(project, "workflows/hello.yaml");
  expect(readFileSync(workflow, "utf8")).toMatch(
    /^# yaml-language-server: \$schema=\.\.\/schema\/workflow\.schema\.json\n/,
  );
  writeFileSync(workflow, `${readFileSync(workflow, "utf8")}# mine\n`);
  const again = await stepgate(folder, ["init", "--template", "approval", "--json"], { cwd: project });
  expect(JSON.parse(again.stdout)).toMatchObject({ created: ["workflows/refund.yaml", "workflows/refund.test.yaml"] });
  expect(readFileSync(workflow, "utf8")).toContain("# mine");
  const forced = await stepgate(folder, ["init", "again", "--force", "--json"], { cwd: folder });
  expect(JSON.parse(forced.stdout)).toMatchObject({ created: expect.arrayContaining(["stepgate.yaml"]), replaced: [] });
  writeFileSync(join(folder, "again/workflows/hello.yaml"), "mine");
  const replaced = await stepgate(folder, ["init", "again", "--force", "--json"], { cwd: folder });
  expect(JSON.parse(replaced.stdout)).toMatchObject({
    created: [],
    kept: [],
    replaced: expect.arrayContaining(["workflows/hello.yaml"]),
  });
  expect(readFileSync(join(folder, "again/workflows/hello.yaml"), "utf8")).toContain("slug: hello");
});

it("dev publishes, shows runs, publishes what changes with every problem's place, and leaves nothing behind", async () => {
  const dev = startDev("--port", "0");
  const published = await dev.until(({ type }) => type === "publish");
  expect(published).toMatchObject({ failed: [], published: [{ slug: "hello" }, { slug: "refund" }] });
  const ready = await dev.until(({ type }) => type === "ready");
  const home = String(ready["home"]);
  expect(statSync(String(ready["key_file"])).mode & 0o777).toBe(0o600);

  const run = await stepgate(home, ["run", "hello", "-i", "name=Ada", "--wait", "--json"]);
  const { run_id, output } = JSON.parse(run.stdout);
  expect(output).toEqual({ greeting: "Hello, Ada!" });
  const isOfRun = ({ type, event }: News) => type === "event" && (event as News)["type"] === "step_completed";
  expect(await dev.until(isOfRun)).toMatchObject({ event: { run_id, step_id: "result" } });
  await dev.until(({ type, status }) => type === "run" && status === "succeeded");

  const file = join(project, "workflows/hello.yaml");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("type: return_output", "type: return_outpt"));
  expect(await dev.until(({ type }) => type === "publish")).toMatchObject({
    failed: [
      {
        file: "workflows/hello.yaml",
        issues: expect.arrayContaining([expect.objectContaining({ line: 19, column: 11 })]),
      },
    ],
  });
  writeFileSync(file, text.replace("Hello, {{", "Hi, {{"));
  expect(await dev.until(({ type }) => type === "publish")).toMatchObject({
    published: [{ slug: "hello", version: 2 }],
  });
  expect(await dev.interrupt()).toBe(0);
  expect(existsSync(home)).toBe(false);
});

it("dev takes one of the ten ports after one that is taken, and keeps a store that is named", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  onTestFinished(() => void holder.close());
  const address = holder.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const dev = startDev("--port", String(port), "--store", "data", "workflows");
  const { url } = await dev.until(({ type }) => type === "ready");
  const taken = Number(new URL(String(url)).port);
  expect([taken > port, taken <= port + 10]).toEqual([true, true]);
  expect(await dev.interrupt()).toBe(0);
  expect(existsSync(join(project, "data/stepgate.db"))).toBe(true);
});

it.runIf(hasTmux)("dev --open-ui shows the runs in the terminal UI, and ends with it", async () => {
  const env = { LANG: "C.UTF-8", STEPGATE_HOME: join(folder, "home") };
  using terminal = new TmuxTerminal(`cd ${project} && ${launcher} dev --open-ui --port 0 --store seen`, { env });
  await terminal.shows("published: hello, refund");
  expect(terminal.isAlternate).toBe(true);
  const home = join(project, "seen");
  const id = (await stepgate(home, ["run", "hello", "-i", "name=Ada", "-q"])).stdout.trim();
  await terminal.shows(id.slice(-8));
  terminal.press("q");
  await terminal.shows("ended with 0");
  expect((await stepgate(home, ["status"])).code).toBe(3);
  const unseen = await stepgate(folder, ["dev", "--open-ui"], { cwd: project });
  expect([unseen.code, unseen.stderr.includes("needs a terminal")]).toEqual([2, true]);
});

it("publish without a path takes the patterns of stepgate.yaml, from folders below it too", async () => {
  const ended = await stepgate(folder, ["publish"], { cwd: folder });
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("stepgate init") });
  const here = await stepgate(folder, ["publish"], { cwd: project });
  // There is a daemon missing, and not a file.
  expect(here).toMatchObject({ code: 3 });
});
