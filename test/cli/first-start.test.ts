import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { launcher, stepgate } from "../support/command-line.ts";
import { TmuxTerminal, hasTmux } from "../support/tmux.ts";

const secret = /sgt_[\w-]{32}/g;

let folder = "";
let home = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stepgate-first-"));
  home = join(folder, "made by the start");
});
afterEach(async () => {
  if (existsSync(join(home, "daemon.json"))) await stepgate(home, ["stop", "--timeout", "1s", "--force"]);
  rmSync(folder, { recursive: true, force: true });
});

/** A real terminal, wide enough for a path on one line, in which one command runs. */
function terminal(...args: string[]): TmuxTerminal {
  const env = { STEPGATE_HOME: home, STEPGATE_PORT: "0", LANG: "C.UTF-8", CI: "" };
  return new TmuxTerminal(`'${launcher}' ${args.join(" ")}`, { columns: 160, env });
}

describe.runIf(hasTmux)("at a terminal", () => {
  it("the first start shows a key once and what to do next; its folder is this user's alone", async () => {
    using first = terminal("start", "--wait-ready", "60s");
    const screen = await first.shows("ended with 0", 60_000);
    const [key = "", ...more] = screen.match(secret) ?? [];
    expect([key.length, more]).toEqual([36, []]);
    expect(screen).toContain("Keep the key now: it is stored nowhere and never shown again.");
    expect(screen).toContain("Connect an agent: stepgate mcp install claude-code   Publish: stepgate publish FILE");

    const { url } = JSON.parse(readFileSync(join(home, "daemon.json"), "utf8")) as { url: string };
    const answer = await fetch(`${url}/api/v1/runtime/runs`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);

    const entries = readdirSync(home, { recursive: true, withFileTypes: true });
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      expect([path, modeOf(path)]).toEqual([path, entry.isDirectory() ? "700" : "600"]);
      if (entry.isFile()) expect([path, readFileSync(path).includes(key)]).toEqual([path, false]);
    }
    expect([modeOf(home), entries.length > 4]).toEqual(["700", true]);

    using second = terminal("start");
    const again = await second.shows("ended with 0");
    expect(again).toContain("The daemon runs already.");
    expect(again).not.toMatch(secret);

    using third = terminal("db", "backup");
    expect(await third.shows("ended with 0")).toMatch(/The master key is not in the backup\..* keep it too/);
  });

  it("a yes at the question of a command starts the daemon, and the command then does its work", async () => {
    using asked = terminal("runs", "list");
    await asked.shows("The daemon is not running. Start it? [Y/n]");
    asked.type("y");
    asked.press("Enter");
    const screen = await asked.shows("ended with 0", 60_000);
    expect(screen).toMatch(/started at http:\/\/127\.0\.0\.1:\d+; stop it with: stepgate stop/);
    expect(screen).toContain("No runs");
    expect(screen).not.toMatch(secret);
    expect((await stepgate(home, ["status"])).code).toBe(0);
  });
});
