import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { textCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { confirm } from "../context.ts";
import { flag, oneOf, value } from "../option.ts";
import { printSheet } from "../print.ts";
import { type PlannedService, planService } from "../service/plan-service.ts";

const kind = value("KIND", "systemd or launchd (the one of this system)", { parse: oneOf("systemd", "launchd") });

export const serviceInstall = defineCommand({
  name: "install",
  summary: "write a service of this user's own that starts the daemon at login and after a crash",
  options: { kind, now: flag("enable it and start it at once; else the commands for that are shown") },
  examples: ["service install", "service install --now"],
  async action(context, { kind: wanted, now }) {
    const service = await planService(context, wanted);
    if (existsSync(service.file)) await confirm(context, `Replace ${service.file}?`);
    mkdirSync(dirname(service.file), { recursive: true, mode: 0o700 });
    writeFileSync(service.file, service.text, { mode: 0o600 });
    if (now) for (const command of service.enable) runOrThrow(command);
    await printSheet(context.output, {
      json: { kind: service.kind, file: service.file, enabled: now, commands: service.enable.map(shown) },
      id: service.file,
      fields: [
        ["service", textCell(service.file)],
        ["state", textCell(now ? "enabled and started" : "written")],
        ...(now ? [] : service.enable.map((command) => ["next", textCell(shown(command))] as const)),
      ],
    });
    if (service.kind === "systemd") {
      context.output.note("To have it run without anybody logged in: loginctl enable-linger");
    }
  },
});

export const serviceUninstall = defineCommand({
  name: "uninstall",
  summary: "stop the service and take its file away; the data stays",
  options: { kind },
  examples: ["service uninstall --yes"],
  async action(context, { kind: wanted }) {
    const service = await planService(context, wanted);
    if (!existsSync(service.file)) throw new CliError("notFound", `There is no service ${service.file}.`);
    await confirm(context, `Stop the service and remove ${service.file}?`);
    // One that was never enabled, or a system without its manager, is no reason to keep the file.
    const isStopped = service.disable.every((command) => run(command) === null);
    rmSync(service.file, { force: true });
    await printSheet(context.output, {
      json: { kind: service.kind, file: service.file, removed: true, stopped: isStopped },
      id: service.file,
      fields: [["state", textCell(isStopped ? "stopped and removed" : "removed")]],
    });
  },
});

export const servicePrint = defineCommand({
  name: "print",
  summary: "print the service's file and change nothing",
  options: { kind },
  examples: ["service print", "service print --kind launchd"],
  async action(context, { kind: wanted }) {
    const { text, file, kind: chosen }: PlannedService = await planService(context, wanted);
    const { output, terminal } = context;
    if (output.format === "json" || output.format === "jsonl") output.document({ kind: chosen, file, text });
    else terminal.stdout.write(text);
  },
});

function shown(command: readonly string[]): string {
  return command.join(" ");
}

/** Null when it went well, else what it said. */
function run([program = "", ...args]: readonly string[]): string | null {
  const { error, status, stderr } = spawnSync(program, args, { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
  if (error) return error.message;
  return status === 0 ? null : stderr.trim();
}

function runOrThrow(command: readonly string[]): void {
  const problem = run(command);
  if (problem !== null) {
    throw new CliError("failure", `The service is written, and \`${shown(command)}\` failed: ${problem}`);
  }
}
