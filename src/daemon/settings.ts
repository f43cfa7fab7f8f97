import { readDuration } from "../contract/duration.ts";
import { ApiError } from "../contract/errors.ts";
import type { Limits, Tier } from "../contract/limits.ts";
import type { OutsideSettings } from "../contract/outside.ts";
import type { Retention } from "../contract/retention.ts";
import { type SettingValue, environmentNames, settings } from "../contract/settings.ts";
import { didYouMean } from "../engine/definition/nearest-name.ts";
import { readUserFile } from "./config/read-user-file.ts";
import { resolveSettings } from "./config/resolve-settings.ts";

export type SettingSources = {
  /** Values given on the command line, by setting name. */
  flags?: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string | undefined>>;
  /** The user's configuration file; it need not exist. */
  configFile: string;
};

/**
 * Every setting of the daemon with its value and where it came from: flags > environment > configuration file > defaults
 * (contract 17). Throws BAD_REQUEST naming the source, the setting and, for an unknown key or variable, the nearest known
 * one.
 */
export function loadSettings({ flags, env, configFile }: SettingSources): Map<string, SettingValue> {
  refuseUnknownVariables(env);
  const { values } = readUserFile(configFile);
  return resolveSettings(settings, { flags, env, user: { file: configFile, values } });
}

/** What Kubernetes puts into every container about a service, such as one named stepgate-metrics. */
const aboutService = /_(?:SERVICE_HOST|SERVICE_PORT|PORT)(?:_\w+)?$/;

/** A limit that is misspelt must not be left at its default in silence. What belongs to no group is not looked at. */
function refuseUnknownVariables(env: SettingSources["env"]): void {
  const groups = new Set(Object.keys(settings).map((name) => name.split(".", 1)[0]?.toUpperCase()));
  const known = Object.keys(settings).flatMap(environmentNames);
  for (const variable of Object.keys(env)) {
    const group = /^STEPGATE_([A-Z]+)_/.exec(variable)?.[1];
    if (group === undefined || !groups.has(group) || known.includes(variable) || aboutService.test(variable)) continue;
    const hint = didYouMean(variable, known) || "; `stepgate config list` shows all settings";
    throw new ApiError("BAD_REQUEST", `The variable ${variable} is no setting${hint}`);
  }
}

/** The limits among the settings, as the engine takes them. */
export function limitsOf(values: ReadonlyMap<string, SettingValue>): Limits {
  const read = (name: string): unknown => values.get(`limits.${name}`)?.value;
  const tiered = (group: string): Record<Tier, unknown> => ({
    free: read(`${group}.free`),
    starter: read(`${group}.starter`),
    pro: read(`${group}.pro`),
    business: read(`${group}.business`),
  });
  // Each value passed the schema of its setting, whose default has the type that `Limits` says.
  return {
    requestsPerMinute: tiered("requestsPerMinute"),
    activeKeys: tiered("activeKeys"),
    runsPerHour: read("runsPerHour"),
    monthlyRuns: read("monthlyRuns"),
    stepTimeoutSeconds: read("stepTimeoutSeconds"),
    llmTimeoutSeconds: read("llmTimeoutSeconds"),
    pipelineTimeoutSeconds: read("pipelineTimeoutSeconds"),
    autoPauseAfter: read("autoPauseAfter"),
    approvalExpirySeconds: read("approvalExpirySeconds"),
    scheduleMinSeconds: read("scheduleMinSeconds"),
    maxActiveRuns: read("maxActiveRuns"),
    maxQueuedRuns: read("maxQueuedRuns"),
    stepsPerRun: read("stepsPerRun"),
  } as Limits;
}

/** The retention among the settings. */
export function retentionOf(values: ReadonlyMap<string, SettingValue>): Retention {
  const read = (name: string): number => readDuration(String(values.get(`retention.${name}`)?.value)) ?? 0;
  return {
    runsMs: read("runs"),
    journalsMs: read("journals"),
    sealedMs: read("sealed"),
    deliveriesMs: read("deliveries"),
  };
}

/** The settings of calls that leave the machine. */
export function outsideOf(values: ReadonlyMap<string, SettingValue>): OutsideSettings {
  // Each value passed the schema of its setting.
  const number = (name: string): number => values.get(name)?.value as number;
  return {
    retries: { baseMs: number("retries.baseMs"), maxMs: number("retries.maxMs") },
    breaker: {
      failures: number("breaker.failures"),
      windowSeconds: number("breaker.windowSeconds"),
      openSeconds: number("breaker.openSeconds"),
    },
    files: { maxBytes: number("files.maxBytes") },
    egress: {
      allow: values.get("egress.allow")?.value as readonly string[],
      allowPrivateNetworks: values.get("egress.allowPrivateNetworks")?.value as boolean,
    },
  };
}
