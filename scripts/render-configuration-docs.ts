import { commandSettings, projectSettings } from "../src/contract/command-settings.ts";
import { environmentNames, type Setting, settings } from "../src/contract/settings.ts";

/** docs/configuration.md: where settings come from, and every one of them with its default. */
export function renderConfigurationDocs(): string {
  return `${intro}

## Settings of the daemon

They count from its next start.

${table(settings)}

## Settings of the command line

${table(commandSettings)}

Of these, ${Object.keys(projectSettings).map(code).join(", ")} may stand in a project's stepgate.yaml.
`;
}

const intro = `# Configuration

<!-- Written by scripts/write-cli-docs.ts; change the settings in src/contract/settings.ts and command-settings.ts. -->

What is given on the command line goes before the environment, that before the project's \`stepgate.yaml\`, that before the
user's \`config.yaml\`, that before the default.

\`\`\`sh
stepgate config list --changed --show-origin   # what is not at its default, and who says so
stepgate config set limits.runsPerHour 100000  # comments in the file stay
stepgate config edit                           # in $EDITOR; what is not valid is not taken over
\`\`\`

A key that nobody knows is an error that names the nearest one; a daemon does not start with a misspelt variable such as
\`STEPGATE_LIMITS_RUN_PER_HOUR\` either. Secrets are read from a file or stdin
(\`config set approvals.notify.webhookSecret @secret.txt\`) and shown nowhere.

## The user's config.yaml

\`stepgate config path\` tells where it is; \`--config FILE\` or \`STEPGATE_CONFIG\` names another. Mode 0600.

\`\`\`yaml
limits:
  runsPerHour: 1000
default_profile: local
profiles:
  local: {} # the daemon of this machine
  ci: { url: "https://stepgate.example", key_file: ci.key } # beside this file; ~/ works, too
\`\`\`

A profile is used with \`--profile ci\`, \`STEPGATE_PROFILE=ci\` or as \`default_profile\`. Its key is shown to its own address
alone. A key itself never stands in the file.

## A project's stepgate.yaml

It is looked for in the working directory and above it, up to the root of the git repository. Whatever comes with a repository
must not send a key elsewhere or start a program: addresses, keys, hosts, editors and settings of the daemon are refused there.

\`\`\`yaml
workflows: ["workflows/**/*.yaml"]
publish: { on_breaking: error }
run: { timeout: 120s, on_approval: exit }
\`\`\``;

function table(group: Readonly<Record<string, Setting>>): string {
  const rows = Object.entries(group).map(([name, { default: preset, summary }]) => {
    const variables = environmentNames(name).map(code).join(", ");
    return `| ${[code(name), code(showDefault(preset)), summary, variables].map(escape).join(" | ")} |`;
  });
  return ["| Setting | Default | Meaning | Variable |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function showDefault(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function escape(cell: string): string {
  return cell.replaceAll("|", String.raw`\|`);
}

function code(text: string): string {
  return `\`${text}\``;
}
