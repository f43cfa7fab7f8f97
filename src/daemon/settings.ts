import { existsSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { ApiError } from "../contract/errors.ts";
import { readDuration } from "../contract/duration.ts";
import type { Limits, Tier } from "../contract/limits.ts";
import type { Retention } from "../contract/retention.ts";
import { type SettingOrigin, type SettingValue, environmentNames, settings } from "../contract/settings.ts";
import { isRecord } from "../engine/values/json.ts";
import { nearestName } from "../engine/definition/nearest-name.ts";

export type SettingSources = {
  /** Values given on the command line, by setting name. */
  flags?: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string | undefined>>;
  /** The user's configuration file; it need not exist. */
  configFile: string;
};

/** Where a value may come from: its kind, the variable or file, and what stands there. */
type Candidate = [SettingOrigin, string | null, unknown];

/**
 * Every setting with its value and where it came from: flags > environment > configuration file > defaults
 * (contract 17). Throws BAD_REQUEST naming the source, the setting and, for an unknown key, the nearest known one.
 */
export function loadSettings(sources: SettingSources): Map<string, SettingValue> {
  const file = readConfigFile(sources.configFile);
  const values = new Map<string, SettingValue>();
  for (const name of Object.keys(settings)) {
    const variables = environmentNames(name).map((variable): Candidate => [
      "environment",
      variable,
      sources.env[variable],
    ]);
    const candidates: Candidate[] = [
      ["flag", null, sources.flags?.[name]],
      ...variables,
      ["config", sources.configFile, file.get(name)],
    ];
    const given = candidates.find(([, , value]) => value !== undefined && value !== "");
    const [origin, source, raw] = given ?? (["default", null, undefined] as const);
    const value = origin === "default" ? settings[name]?.default : checkSetting(name, raw, source ?? `--${name}`);
    values.set(name, { name, value, origin, source });
  }
  return values;
}

/** Parses one value for a setting; throws BAD_REQUEST that names both and says what would be right. */
function checkSetting(name: string, raw: unknown, source: string): unknown {
  const setting = settings[name];
  if (!setting) throw unknownSetting(name, source);
  const parsed = setting.schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const reason = parsed.error.issues[0]?.message ?? "is not valid";
  throw new ApiError("BAD_REQUEST", `The setting ${name} in ${source} is not valid: ${reason}`);
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
    pipelineTimeoutSeconds: read("pipelineTimeoutSeconds"),
    autoPauseAfter: read("autoPauseAfter"),
    approvalExpirySeconds: read("approvalExpirySeconds"),
    maxActiveRuns: read("maxActiveRuns"),
    maxQueuedRuns: read("maxQueuedRuns"),
    stepsPerRun: read("stepsPerRun"),
  } as Limits;
}

/** The retention among the settings. */
export function retentionOf(values: ReadonlyMap<string, SettingValue>): Retention {
  const read = (name: string): number => readDuration(String(values.get(`retention.${name}`)?.value)) ?? 0;
  return { runsMs: read("runs"), journalsMs: read("journals"), sealedMs: read("sealed") };
}

function readConfigFile(path: string): Map<string, unknown> {
  const values = new Map<string, unknown>();
  if (!existsSync(path)) return values;
  const document: unknown = parse(readFileSync(path, "utf8"));
  if (document === null) return values;
  if (!isRecord(document)) throw new ApiError("BAD_REQUEST", `${path} must hold a mapping of settings`);
  flatten(document, "", values);
  for (const name of values.keys()) if (!Object.hasOwn(settings, name)) throw unknownSetting(name, path);
  return values;
}

function flatten(group: Record<string, unknown>, prefix: string, into: Map<string, unknown>): void {
  for (const [key, value] of Object.entries(group)) {
    if (isRecord(value)) flatten(value, `${prefix}${key}.`, into);
    else into.set(`${prefix}${key}`, value);
  }
}

function unknownSetting(name: string, source: string): ApiError {
  const nearest = nearestName(name, Object.keys(settings));
  const hint = nearest ? `; did you mean ${nearest}?` : "; `stepgate config list` shows all settings";
  return new ApiError("BAD_REQUEST", `${source} names an unknown setting ${name}${hint}`);
}
