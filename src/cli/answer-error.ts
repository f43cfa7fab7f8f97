import { CliError, reasonOf, systemCode } from "./cli-error.ts";
import type { Answer, Target } from "./exchange.ts";
import { exitOfAnswer } from "./exit-codes.ts";

/** Code of the error that there is no daemon on this machine, which can be helped. */
export const daemonIsDown = "DAEMON_UNREACHABLE";

/** How messages name the daemon. */
function nameOf(target: Target): string {
  return "url" in target ? target.url.origin : "The daemon";
}

/** The error of an answer that isn't 2xx (spec 7). What isn't Stepgate's is told by its status. */
export function answerError(target: Target, { status, headers, content }: Answer): CliError {
  const { error, code, details } = parseObject(content);
  const isOurs = typeof error === "string" && typeof code === "string";
  const message = isOurs ? error : `${nameOf(target)} answered HTTP ${status}, and not as Stepgate does.`;
  const retryAfter = Number(headers["retry-after"] ?? Number.NaN);
  return new CliError(exitOfAnswer(status, String(code)), message, {
    httpStatus: status,
    hint: ("url" in target ? remoteHint(isOurs ? status : null, message) : undefined) ?? hintOf(code),
    code: isOurs ? code : undefined,
    details: Array.isArray(details) ? details : undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

/** What helps against a refusal of another daemon; `status` null: it does not look like one. */
export function remoteHint(status: number | null, message: string): string | undefined {
  if (status === null) return "is that the address of a Stepgate daemon? (--url, $STEPGATE_URL or the profile)";
  if (status === 401) return "each daemon knows its own keys alone: mint one on its machine with stepgate keys mint";
  const scope = /scope (?<scope>[a-z]+:[a-z]+)/.exec(message)?.groups?.["scope"];
  if (status === 403 && scope) return `on its machine: stepgate keys mint --name NAME --scope ${scope} --out FILE`;
  return undefined;
}

/** The command that helps against an error, where one does whatever was asked for. */
function hintOf(code: unknown): string | undefined {
  return typeof code === "string" && Object.hasOwn(hints, code) ? hints[code] : undefined;
}

const hints: Record<string, string> = {
  ACTION_NOT_FOUND: "see: stepgate actions list",
  ACTION_UNAVAILABLE: "see its status with stepgate actions show SLUG; let it run with stepgate actions resume SLUG",
  CONNECTOR_NOT_FOUND: "see: stepgate connectors list",
  RUN_NOT_FOUND: "see: stepgate runs list",
  WORKFLOW_NOT_FOUND: "see: stepgate workflows list",
};

function parseObject(content: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The error of a request that got no answer. */
export function connectionError(target: Target, error: unknown): CliError {
  const code = systemCode(error);
  if ("socketPath" in target && (code === "ENOENT" || code === "ECONNREFUSED")) {
    return new CliError("unreachable", "The daemon is not running.", {
      code: daemonIsDown,
      hint: "start it with: stepgate start",
    });
  }
  if ("socketPath" in target && (code === "EACCES" || code === "EPERM")) {
    return new CliError("denied", "The daemon's control socket belongs to another user.");
  }
  const hint = "url" in target ? "check the address; on its machine stepgate status tells it" : undefined;
  return new CliError("unreachable", `${nameOf(target)} can't be reached: ${reasonOf(error)}.`, { hint });
}
