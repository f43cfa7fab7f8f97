import * as z from "zod";
import { readDuration } from "./duration.ts";
import { defaultLimits, tiers } from "./limits.ts";
import { defaultOutside } from "./outside.ts";

/** One setting: its name is its path in a configuration file (contract 17). What is secret is shown nowhere. */
export type Setting = { schema: z.ZodType; default: unknown; summary: string; isSecret?: true };

/** In the environment a text. */
const number = (schema: z.ZodNumber) =>
  z.preprocess((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value), schema);
const whole = z.number().int("must be a whole number");
const count = number(whole.positive("must be at least 1"));
/** What ends beyond the calendar is no moment that could be told. */
const seconds = number(
  whole.positive("must be at least 1").max(3_153_600_000, "must be at most 3153600000, which is a hundred years"),
);
/** Null is no limit. */
const countOrNone = z.preprocess((value) => (value === "null" ? null : value), count.nullable());
/** A length of time as text; 0 needs no unit. */
const duration = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((text) => text === "0" || readDuration(text) !== null, "must be a length of time such as 12h or 30d");
/** In the environment a text. */
const truth = z.union([z.boolean(), z.stringbool()], "must be true or false");
const text = z.string().min(1);
const port = number(whole.min(0).max(65_535));
const address = z.url({
  protocol: /^https?$/,
  error: "must be an http or https address such as https://flows.example",
});

/** A list; in the environment a text with commas. */
const addresses = z.preprocess(
  (value) =>
    typeof value === "string"
      ? value
          .split(",")
          .map((part) => part.trim())
          .filter(Boolean)
      : value,
  z.array(
    z
      .string()
      .regex(
        /^(?:\[[0-9a-fA-F:.]+\]|[^\s:/[\]]+)(?:\/\d{1,3})?(?::\d{1,5})?$/,
        "must be a list of addresses such as 127.0.0.1:6333, localhost:11434, 10.0.0.0/8 or [::1]:8080",
      ),
  ),
);

function perTier(
  limits: Record<string, number | null>,
  { group, schema, what }: { group: string; schema: z.ZodType; what: string },
): [string, Setting][] {
  return tiers.map((tier) => [
    `limits.${group}.${tier}`,
    { schema, default: limits[tier] ?? null, summary: `${what} on the tier ${tier}` },
  ]);
}

/** Every setting there is. A name that is not here is an error that tells the nearest one. */
export const settings: Readonly<Record<string, Setting>> = Object.fromEntries<Setting>([
  ...perTier(defaultLimits.requestsPerMinute, {
    group: "requestsPerMinute",
    schema: count,
    what: "Requests of a key in 60 seconds",
  }),
  ...perTier(defaultLimits.activeKeys, {
    group: "activeKeys",
    schema: countOrNone,
    what: "Active keys of a workspace",
  }),
  ["limits.runsPerHour", setting(count, defaultLimits.runsPerHour, "Runs of one user in a rolling hour")],
  ["limits.monthlyRuns", setting(countOrNone, null, "Runs of a workspace in a calendar month (UTC)")],
  ["limits.stepTimeoutSeconds", setting(count, defaultLimits.stepTimeoutSeconds, "Time-out of a step's attempt")],
  [
    "limits.llmTimeoutSeconds",
    setting(count, defaultLimits.llmTimeoutSeconds, "Time-out of one call of a language model"),
  ],
  ["limits.pipelineTimeoutSeconds", setting(count, defaultLimits.pipelineTimeoutSeconds, "Active time of a run")],
  [
    "limits.approvalExpirySeconds",
    setting(seconds, defaultLimits.approvalExpirySeconds, "How long a gate can be decided"),
  ],
  [
    "limits.autoPauseAfter",
    setting(number(whole.min(0)), defaultLimits.autoPauseAfter, "Failed runs in a row that pause a workflow; 0: never"),
  ],
  [
    "limits.scheduleMinSeconds",
    setting(count, defaultLimits.scheduleMinSeconds, "Shortest interval of a schedule that can be published"),
  ],
  ["limits.maxActiveRuns", setting(count, defaultLimits.maxActiveRuns, "Runs that execute at once")],
  ["limits.maxQueuedRuns", setting(count, defaultLimits.maxQueuedRuns, "Accepted runs that may wait")],
  ["limits.stepsPerRun", setting(count, defaultLimits.stepsPerRun, "Step executions of one run")],
  ["approvals.requireKey", setting(truth, false, "Whether a decision on this machine, too, needs a key")],
  ["approvals.protectGates", setting(truth, true, "Whether deploying without a gate needs approvals:decide")],
  ["approvals.selfDecision", setting(truth, true, "Whether a user may approve a run that the same user started")],
  ["approvals.links", setting(truth, false, "Whether notifications carry a signed link that can decide")],
  ["approvals.notify.command", setting(text.nullable(), null, "Program that gets each notification as JSON on stdin")],
  ["approvals.notify.webhook", setting(address.nullable(), null, "Address to which notifications are posted")],
  [
    "approvals.notify.webhookSecret",
    { ...setting(text.nullable(), null, "Secret with which they are signed"), isSecret: true },
  ],
  ["approvals.notify.desktop", setting(truth, false, "Whether notifications show on the desktop")],
  ["server.host", setting(text, "127.0.0.1", "Address that the daemon listens on")],
  ["server.port", setting(port, 7717, "Port that the daemon listens on; 0 takes any free one")],
  ["server.baseUrl", setting(address.nullable(), null, "Address under which callers reach the daemon")],
  [
    "server.webhookBase",
    setting(address.nullable(), null, "Address under which senders reach webhooks; default server.baseUrl"),
  ],
  ["server.drainSeconds", setting(count, 35, "How long a stop waits for steps in progress")],
  ["retention.runs", setting(duration, "30d", "How long a run is kept after its end")],
  ["retention.journals", setting(duration, "30d", "How long a run's journal is kept after its end")],
  ["retention.sealed", setting(duration, "7d", "How long originals of redacted values are kept; 0: not at all")],
  ["retries.baseMs", setting(count, defaultOutside.retries.baseMs, "Longest pause before a step's first retry, in ms")],
  ["retries.maxMs", setting(count, defaultOutside.retries.maxMs, "Longest pause before any of its retries, in ms")],
  [
    "breaker.failures",
    setting(count, defaultOutside.breaker.failures, "Failed calls that open an integration's circuit breaker"),
  ],
  [
    "breaker.windowSeconds",
    setting(count, defaultOutside.breaker.windowSeconds, "Time within which these failures have to fall"),
  ],
  [
    "breaker.openSeconds",
    setting(seconds, defaultOutside.breaker.openSeconds, "How long a breaker is open before its first trial call"),
  ],
  ["egress.allow", setting(addresses, [], "Private addresses that calls may reach, such as 127.0.0.1:6333")],
  ["egress.allowPrivateNetworks", setting(truth, false, "Whether calls may reach every private address")],
  ["files.maxBytes", setting(count, defaultOutside.files.maxBytes, "Bytes that a file of a payload may have")],
  ["retention.deliveries", setting(duration, "7d", "How long requests to webhooks stay in their log")],
  ["metrics.public", setting(truth, false, "Whether callers of other machines may read /metrics")],
  [
    "otel.endpoint",
    setting(address.nullable(), null, "Base address of an OTLP/HTTP collector that traces are sent to"),
  ],
  [
    "store.url",
    setting(
      z.null("must be left out: other databases than SQLite in the data directory are not there yet"),
      null,
      "Address of another database; there is none but SQLite in the data directory so far",
    ),
  ],
  ["log.level", setting(z.enum(["debug", "info", "warn", "error"]), "info", "Least severe line that is logged")],
]);

function setting(schema: z.ZodType, value: unknown, summary: string): Setting {
  return { schema, default: value, summary };
}

/** Short names that people type often; the long ones work as well. */
const shortNames: Readonly<Record<string, string>> = {
  "otel.endpoint": "OTEL_EXPORTER_OTLP_ENDPOINT",
  "server.host": "STEPGATE_HOST",
  "server.port": "STEPGATE_PORT",
  "run.timeout": "STEPGATE_TIMEOUT",
};

/** The environment variables of a setting: `limits.runsPerHour` is `STEPGATE_LIMITS_RUNS_PER_HOUR` (contract 17). */
export function environmentNames(name: string): string[] {
  const long = `STEPGATE_${name
    .replaceAll(".", "_")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toUpperCase()}`;
  const short = shortNames[name];
  return short ? [long, short] : [long];
}

export type SettingOrigin = "flag" | "environment" | "project" | "config" | "default";

/** One row of `config list`. */
export type SettingValue = { name: string; value: unknown; origin: SettingOrigin; source: string | null };
