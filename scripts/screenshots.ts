// Makes docs/images/*.svg: the terminal UI in a real terminal (tmux), with a daemon and runs of its own.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DaemonProcess } from "../test/support/daemon-process.ts";
import { TmuxTerminal } from "../test/support/tmux.ts";
import { screenToSvg } from "./screen-to-svg.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const images = join(root, "docs/images");
const launcher = join(root, "bin/stepgate");

const syncCrm = `
name: Sync a deal to the CRM
slug: sync-crm
description: Writes the stage of a deal back to the CRM.
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: deal_id, type: integer, required: true}, {name: stage, type: string, default: negotiation}, {name: owner, type: string, default: ada@example.com}]}}
  - {id: enrich, type: set, data: {assignments: [{id: a, key: label, value: "Deal {{action_input.deal_id}}"}, {id: b, key: stage, value: "{{action_input.stage}}"}, {id: c, key: owner, value: "{{action_input.owner}}"}]}}
  - {id: is_large, type: condition, data: {combinator: AND, conditions: [{id: c, field: "{{action_input.deal_id}}", operator: NUMBER_IS_GREATER_THAN, value: 10}]}}
  - {id: write_stage, type: set, data: {requireApproval: true, approvalDescription: Write the stage of the deal back to the CRM, assignments: [{id: deal, key: deal_id, value: "{{action_input.deal_id}}"}, {id: owner, key: owner, value: "{{enrich.owner}}"}]}}
  - {id: update_deal, type: set, data: {assignments: [{id: a, key: written, value: "{{enrich.label}}"}]}}
  - {id: notify_only, type: noop}
  - {id: join, type: merge, data: {mode: wait_for_all, inputs: 2}}
  - {id: result, type: return_output, data: {properties: [{name: ok, type: boolean, value: "true"}]}}
edges:
  - action_input -> enrich
  - enrich -> is_large
  - is_large.true -> write_stage
  - write_stage -> update_deal
  - is_large.false -> notify_only
  - update_deal -> join.input_0
  - notify_only -> join.input_1
  - join -> result
`;
const digest = `
name: Daily digest
slug: daily-digest
nodes:
  - {id: action_input, type: action_input, data: {properties: []}}
  - {id: rest, type: wait, data: {mode: duration, amount: 2, unit: hours}}
  - {id: result, type: return_output, data: {properties: [{name: ok, type: boolean, value: "true"}]}}
edges:
  - action_input -> rest
  - rest -> result
`;
const broken = `
name: Import orders
slug: import-orders
nodes:
  - {id: action_input, type: action_input, data: {properties: []}}
  - {id: read, type: noop}
  - {id: is_up, type: condition, data: {combinator: AND, conditions: [{id: c, field: "1", operator: NUMBER_IS_GREATER_THAN, value: 2}]}}
  - {id: refuse, type: stop_and_error, data: {errorMessage: The shop answers 503, errorCode: SHOP_DOWN}}
  - {id: result, type: return_output, data: {properties: [{name: ok, type: boolean, value: "true"}]}}
edges:
  - action_input -> read
  - read -> is_up
  - is_up.true -> result
  - is_up.false -> refuse
`;

async function main(): Promise<void> {
  mkdirSync(images, { recursive: true });
  const daemon = await new DaemonProcess(mkdtempSync(join(tmpdir(), "stepgate-screenshots-"))).start();
  const env = { STEPGATE_HOME: daemon.home, LANG: "C.UTF-8", COLORTERM: "truecolor" };
  const command = (...args: string[]) =>
    execFileSync(launcher, args, {
      env: { ...process.env, ...env },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    const id = startRuns(daemon, command);
    const shots: [name: string, args: string, wanted: string | RegExp, keys: string[]][] = [
      ["runs", "", "● live", ["j", "j"]],
      ["run", `run ${id}`, "write_stage", ["j", "o"]],
      ["approvals", "approvals", "write_stage", ["j", "a"]],
      ["graph", `run ${id}`, "write_stage", ["g", "j", "j", "j"]],
    ];
    for (const [name, args, wanted, keys] of shots) await shoot(name, args, wanted, keys, env);
  } finally {
    await daemon.stop();
    rmSync(daemon.home, { recursive: true, force: true });
  }
}

/** Runs of every kind; gives the id of one that waits for a decision. */
function startRuns(daemon: DaemonProcess, command: (...args: string[]) => string): string {
  const files = [syncCrm, digest, broken].map((text, n) => {
    const file = join(daemon.home, `${n}.yaml`);
    writeFileSync(file, text);
    return file;
  });
  command("publish", ...files, join(root, "workflows/hello.yaml"));
  const run = (slug: string, ...inputs: string[]) =>
    command("run", slug, ...inputs.flatMap((input) => ["-i", input]), "-q");
  run("hello", "name=Ada");
  const failed = run("import-orders");
  run("hello", "name=Bob");
  run("sync-crm", "deal_id=3");
  command("cancel", run("daily-digest"), "--json");
  command("replay", failed, "-q");
  run("daily-digest");
  const gated = run("sync-crm", "deal_id=48213");
  run("hello", "name=Grace");
  run("sync-crm", "deal_id=7");
  return gated;
}

async function shoot(
  name: string,
  args: string,
  wanted: string | RegExp,
  keys: string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  using terminal = new TmuxTerminal(`${launcher} ui ${args}`, { columns: 90, rows: 24, env });
  await terminal.shows(wanted, 30_000);
  for (const key of keys) {
    terminal.press(key);
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  const screen = terminal.screen({ isColoured: true });
  writeFileSync(
    join(images, `${name}.svg`),
    screenToSvg(screen, { columns: 90, rows: 24 }, `Stepgate's terminal UI: ${name}`),
  );
  process.stdout.write(`docs/images/${name}.svg\n`);
}

await main();
