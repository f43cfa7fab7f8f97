import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { launcher, stepgate } from "../../support/command-line.ts";
import { DaemonProcess } from "../../support/daemon-process.ts";
import { hasTmux, TmuxTerminal } from "../../support/tmux.ts";

const gated = `
name: Pay an invoice
slug: pay-invoice
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: amount, type: integer, required: true}]}}
  - {id: check, type: set, data: {assignments: [{id: a, key: amount, value: "{{action_input.amount}}"}]}}
  - {id: pay, type: noop, data: {requireApproval: true, approvalDescription: Pay the invoice}}
  - {id: done, type: return_output, data: {properties: [{name: ok, type: boolean, value: "true"}]}}
edges:
  - action_input -> check
  - check -> pay
  - pay -> done
`;

const shortId = (runId: string) => runId.slice(-8);

it("without a terminal it says so, names what programs take instead, and ends with 2 before ink is loaded", async () => {
  const ended = await stepgate("/nowhere", ["ui"], { env: { NODE_DEBUG: "module" } });
  expect([ended.code, ended.stdout]).toEqual([2, ""]);
  expect(ended.stderr).toContain("needs a terminal");
  expect(ended.stderr).toContain("runs list --json");
  expect(ended.stderr).not.toMatch(/node_modules\/(ink|react)\//);
});

it("commands that draw nothing load neither react nor ink", async () => {
  // The loader of a checkout hears of every module: it is made to tell.
  const listener = `data:text/javascript,${encodeURIComponent(
    `import { registerHooks } from "node:module"; registerHooks({ load(url, c, next) { if (/node_modules\\/(ink|react|react-reconciler)\\//.test(url)) process.stderr.write("loaded " + url + "\\n"); return next(url, c); } });`,
  )}`;
  const env = { NODE_OPTIONS: `--import=${listener}` };
  for (const args of [["--help"], ["runs", "list"], ["ui"]]) {
    expect((await stepgate("/nowhere", args, { env })).stderr).not.toContain("loaded");
  }
});

describe.runIf(hasTmux)("in a real terminal", () => {
  it("a run is watched, approved, paged and replayed; the daemon goes and comes back; the window changes; q ends", async () => {
    const daemon = await new DaemonProcess().start();
    try {
      const key = daemon.prepare(gated);
      const call = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
        const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
        const response = await fetch(`${daemon.url}/api/v1/runtime${path}`, { ...init, headers });
        return (await response.json()) as Record<string, unknown>;
      };
      const start = async (amount: number) =>
        String((await call("/actions/pay-invoice/run", { input: { amount } }))["run_id"]);
      const run = await start(250);
      const env = {
        STEPGATE_HOME: daemon.home,
        LANG: "C.UTF-8",
        STEPGATE_PAGER: "sh -c 'cat; echo paged; sleep 1'",
        STEPGATE_EDITOR: "sed -i s/250/275/",
        EDITOR: "false",
      };
      using terminal = new TmuxTerminal(`${launcher} ui`, { env });
      await terminal.shows(new RegExp(`${shortId(run)} +pay-invoice +‖ needs approval`));
      expect(terminal.isAlternate).toBe(true);

      // A run that comes while the screen is open.
      const second = await start(900);
      await terminal.shows(new RegExp(`${shortId(second)} +pay-invoice +‖ needs approval`));
      terminal.press("G");
      await terminal.shows(`>${shortId(run)}`);
      terminal.press("Enter");
      await terminal.shows("‖ pending_approval pay");
      terminal.press("p");
      await terminal.shows("paged");
      await terminal.shows("JOURNAL");
      terminal.press("a");
      await terminal.shows(`Approve ${shortId(run)}`);
      await sleep(320);
      terminal.type("checked");
      terminal.press("Enter");
      terminal.type(shortId(run).slice(0, 4));
      terminal.press("Enter");
      await terminal.shows("✓ succeeded");
      expect(await call(`/runs/${run}`)).toMatchObject({ approval: { comment: "checked", status: "approved" } });
      expect(await call(`/runs/${second}`)).toMatchObject({ status: "waiting_for_approval" });

      terminal.press("r");
      await terminal.shows("Runs again:");
      await sleep(320);
      // The editor of the settings goes before $EDITOR.
      terminal.press("e");
      await terminal.shows("with the input as you changed it");
      terminal.press("y");
      await terminal.shows('"amount": 275');
      await terminal.shows(`Replay of ${shortId(run)} is `);

      terminal.press("1");
      await terminal.shows("● live");
      await daemon.kill();
      await terminal.shows("DISCONNECTED");
      await terminal.shows("? was: approval");
      await daemon.start();
      terminal.press("r");
      await terminal.shows("● live");

      terminal.resize(120, 40);
      await terminal.shows(/ {40}● live/);
      terminal.resize(50, 12);
      await terminal.shows("Too small: 50x12");
      terminal.resize(80, 24);
      await terminal.shows("● live");
      terminal.press("q");
      await terminal.shows("ended with 0");
      expect(terminal.isAlternate).toBe(false);

      using opened = new TmuxTerminal(`${launcher} runs open ${run}`, { env });
      await opened.shows(new RegExp(`Runs ▸ ${shortId(run)}[\\s\\S]*✓ pay`));
      opened.press("q");
      await opened.shows("ended with 0");
    } finally {
      await daemon.stop();
      rmSync(daemon.home, { recursive: true, force: true });
    }
  }, 120_000);

  it("is drawn without colours where the settings say mono", async () => {
    const env = { STEPGATE_HOME: "/nowhere", LANG: "C.UTF-8" };
    using plain = new TmuxTerminal(`${launcher} ui`, { env: { ...env, STEPGATE_UI_THEME: "mono" } });
    using coloured = new TmuxTerminal(`${launcher} ui`, { env });
    await Promise.all([plain.shows("DISCONNECTED"), coloured.shows("DISCONNECTED")]);
    // Red, as what is wrong.
    const isRed = (terminal: TmuxTerminal) => terminal.screen({ isColoured: true }).includes("\u001b[31m");
    expect([isRed(plain), isRed(coloured)]).toEqual([false, true]);
  });

  it("Ctrl-C leaves the terminal as it was and ends with 130; so does a SIGTERM, with 143", async () => {
    const env = { STEPGATE_HOME: "/nowhere", LANG: "C.UTF-8" };
    using one = new TmuxTerminal(`${launcher} ui`, { env });
    const folder = mkdtempSync(join(tmpdir(), "stepgate-ui-"));
    const pidFile = join(folder, "pid");
    // The launcher becomes the program: one process, whose number the shell knows beforehand.
    using other = new TmuxTerminal(`sh -c 'echo $$ > ${pidFile}; exec ${launcher} ui'`, { env });
    await one.shows("DISCONNECTED");
    one.press("C-c");
    await one.shows("ended with 130");
    expect(one.isAlternate).toBe(false);
    await other.shows("DISCONNECTED");
    expect(other.isAlternate).toBe(true);
    process.kill(Number(readFileSync(pidFile, "utf8")), "SIGTERM");
    await other.shows("ended with 143");
    expect(other.isAlternate).toBe(false);
    rmSync(folder, { recursive: true });
  }, 60_000);
});
