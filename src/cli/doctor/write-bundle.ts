import { readFileSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import type { Home } from "../../contract/home.ts";
import { CliError, reasonOf, systemCode } from "../cli-error.ts";
import { settingRows } from "../config/setting-row.ts";
import type { Context } from "../context.ts";
import type { Check } from "../wiring.ts";

const logLines = 500;

/** What is never in it, whatever it is called: keys, secrets and tokens are cut to nothing. */
const keys = /\b(sgt_[A-Za-z0-9_-]{4})[A-Za-z0-9_-]+/g;

/**
 * Writes what one needs to look into a problem into one new file: the checks, settings, the end of the log, and names of
 * variables without their values. No key, no run and no payload is in it: the log is redacted where it is written.
 */
export async function writeBundle(context: Context, file: string, checks: readonly Check[]): Promise<void> {
  const { wiring, terminal } = context;
  const home = await wiring.resolveHome(terminal.env);
  const settings = await context.configuration().then(
    async ({ settings: values }) =>
      (await settingRows(values.values()))
        .filter(({ origin }) => origin !== "default")
        .map((row) => ({ ...row, value: withoutPath(row.value) })),
    (error: unknown) => [reasonOf(error)],
  );
  const bundle = {
    made_at: new Date().toISOString(),
    version: wiring.version,
    node: process.versions,
    system: { platform: process.platform, arch: process.arch, release: release() },
    checks,
    settings,
    variables: Object.keys(terminal.env)
      .filter((name) => name.startsWith("STEPGATE_"))
      .toSorted(),
    log: lastLines(home),
  };
  const text = `${JSON.stringify(bundle, null, 2)
    .replace(keys, "$1…")
    .replace(/:\/\/[^/\s"@]+@/g, "://[REDACTED]@")}\n`;
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const reason = systemCode(error) === "EEXIST" ? "there is one already, and it is not overwritten" : reasonOf(error);
    throw new CliError("usage", `The file ${file} can't be made: ${reason}.`);
  }
}

/** The path of an address to which notices are posted is often all that its service asks for. */
function withoutPath(value: unknown): unknown {
  const url = typeof value === "string" && /^https?:/i.test(value) ? URL.parse(value) : null;
  return url && (url.pathname !== "/" || url.search !== "") ? `${url.origin}/…` : value;
}

function lastLines({ logFile }: Home): string[] {
  try {
    return readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-logLines);
  } catch {
    return [];
  }
}
