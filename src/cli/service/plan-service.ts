import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { launcherPath } from "../mcp/launcher.ts";
import { type ServicePlan, launchdAgent, launchdLabel, systemdUnit } from "./unit-text.ts";

export type ServiceKind = "systemd" | "launchd";

/** A file for the system's own manager of services, and the commands that make it take notice. */
export type PlannedService = {
  kind: ServiceKind;
  file: string;
  text: string;
  enable: readonly (readonly string[])[];
  disable: readonly (readonly string[])[];
};

/** The service of this user on this machine. Throws a usage error where the system has no manager that is known here. */
export async function planService(context: Context, kind: ServiceKind | undefined): Promise<PlannedService> {
  const { wiring, terminal } = context;
  const { env } = terminal;
  const { logFile } = await wiring.resolveHome(env);
  const args = ["serve", "--log-format", "json", "--log-file", resolve(logFile)];
  const plan: ServicePlan = {
    program: launcherPath(),
    args: context.flags.config === undefined ? args : [...args, "--config", resolve(context.flags.config)],
    env: kept(env),
    logFile: resolve(logFile),
  };
  const home = env["HOME"] || homedir();
  switch (kind ?? kindOfSystem()) {
    case "systemd": {
      const config = env["XDG_CONFIG_HOME"];
      const folder = config && isAbsolute(config) ? config : join(home, ".config");
      const systemctl = (...words: string[]) => ["systemctl", "--user", ...words];
      return {
        kind: "systemd",
        file: join(folder, "systemd/user/stepgate.service"),
        text: systemdUnit(plan),
        enable: [systemctl("daemon-reload"), systemctl("enable", "--now", "stepgate.service")],
        disable: [systemctl("disable", "--now", "stepgate.service")],
      };
    }
    case "launchd": {
      const file = join(home, "Library/LaunchAgents", `${launchdLabel}.plist`);
      const domain = `gui/${process.getuid?.() ?? 0}`;
      return {
        kind: "launchd",
        file,
        text: launchdAgent(plan),
        enable: [["launchctl", "bootstrap", domain, file]],
        disable: [["launchctl", "bootout", `${domain}/${launchdLabel}`]],
      };
    }
  }
}

function kindOfSystem(): ServiceKind {
  if (process.platform === "linux") return "systemd";
  if (process.platform === "darwin") return "launchd";
  throw new CliError("usage", "There is no service for this system yet.", {
    hint: "have its task scheduler run: stepgate serve",
  });
}

/** Where the files are; settings belong into config.yaml, and secrets of the shell into no file at all. */
function kept(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = ["STEPGATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
  const set = names.flatMap((name) => {
    const value = env[name];
    if (!value || (name !== "STEPGATE_HOME" && !isAbsolute(value))) return [];
    return [[name, name === "STEPGATE_HOME" ? resolve(value) : value] as const];
  });
  return Object.fromEntries(set);
}
