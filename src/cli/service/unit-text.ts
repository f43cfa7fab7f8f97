/** What a unit starts: absolute paths alone, for it has no shell and no working directory of anybody's. */
export type ServicePlan = {
  program: string;
  args: readonly string[];
  /** What the daemon is to read from its environment. */
  env: Readonly<Record<string, string>>;
  /** Where what the process itself says goes (launchd). */
  logFile: string;
};

/** A little longer than the drain (contract 17). */
const stopSeconds = 40;

/** A wrong setting and a port or folder that is taken don't get better by trying again (cli.md, exit codes 2 and 6). */
const hopeless = "2 6";

/** A unit of systemd for one user (cli.md, systemd). */
export function systemdUnit({ program, args, env }: ServicePlan): string {
  const command = [program, ...args].map((word) => quote(word).replaceAll("$", "$$$$")).join(" ");
  return [
    "[Unit]",
    "Description=Stepgate, workflows for AI agents",
    "StartLimitIntervalSec=60",
    "StartLimitBurst=5",
    "",
    "[Service]",
    "Type=exec",
    `ExecStart=${command}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`),
    "Restart=on-failure",
    "RestartSec=2",
    `RestartPreventExitStatus=${hopeless}`,
    `TimeoutStopSec=${stopSeconds}`,
    "UMask=0077",
    "NoNewPrivileges=true",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** Double quotes keep spaces; `%` begins a specifier of systemd's. */
function quote(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("\n", "\\n");
  return `"${escaped}"`;
}

export const launchdLabel = "dev.stepgate.daemon";

/** An agent of launchd for one user. */
export function launchdAgent({ program, args, env, logFile }: ServicePlan): string {
  const text = (value: string) => `<string>${escapeXml(value)}</string>`;
  const variables = Object.entries(env).map(([name, value]) => `    <key>${escapeXml(name)}</key>${text(value)}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    `  <key>Label</key>${text(launchdLabel)}`,
    "  <key>ProgramArguments</key>",
    "  <array>",
    ...[program, ...args].map((word) => `    ${text(word)}`),
    "  </array>",
    ...(variables.length > 0 ? ["  <key>EnvironmentVariables</key>", "  <dict>", ...variables, "  </dict>"] : []),
    "  <key>RunAtLoad</key><true/>",
    "  <key>KeepAlive</key>",
    "  <dict>",
    "    <key>SuccessfulExit</key><false/>",
    "  </dict>",
    "  <key>ThrottleInterval</key><integer>10</integer>",
    `  <key>ExitTimeOut</key><integer>${stopSeconds}</integer>`,
    "  <key>Umask</key><integer>63</integer>",
    `  <key>StandardErrorPath</key>${text(logFile)}`,
    "  <key>ProcessType</key><string>Background</string>",
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

function escapeXml(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
