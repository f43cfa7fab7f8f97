import { ApiError } from "../../contract/errors.ts";
import { type Setting, type SettingOrigin, type SettingValue, environmentNames } from "../../contract/settings.ts";
import { readSchema } from "../../engine/definition/schema-problems.ts";

/** Values by setting name, from the strongest source to the weakest. */
export type Layers = {
  flags?: Readonly<Record<string, unknown>> | undefined;
  env: Readonly<Record<string, string | undefined>>;
  project?: { file: string; values: ReadonlyMap<string, unknown> } | undefined;
  user: { file: string; values: ReadonlyMap<string, unknown> };
};

/** Where a value may come from: its kind, the variable or file, and what stands there. */
type Candidate = [SettingOrigin, string | null, unknown];

/** Each setting of a table with its value and where it came from. Throws BAD_REQUEST that names the source. */
export function resolveSettings(table: Readonly<Record<string, Setting>>, layers: Layers): Map<string, SettingValue> {
  const { flags, env, project, user } = layers;
  const values = new Map<string, SettingValue>();
  for (const [name, setting] of Object.entries(table)) {
    const candidates: Candidate[] = [
      ["flag", null, flags?.[name]],
      ...environmentNames(name).map((variable): Candidate => ["environment", variable, env[variable]]),
      ["project", project?.file ?? null, project?.values.get(name)],
      ["config", user.file, user.values.get(name)],
    ];
    const given = candidates.find(([, , value]) => value !== undefined && value !== "");
    const [origin, source, raw] = given ?? (["default", null, undefined] as const);
    const value = origin === "default" ? setting.default : checkSetting(name, setting, raw, source ?? `--${name}`);
    values.set(name, { name, value, origin, source });
  }
  return values;
}

/** Parses one value for a setting; throws BAD_REQUEST that names both and says what would be right. */
export function checkSetting(name: string, { schema }: Setting, raw: unknown, source: string): unknown {
  const reading = readSchema(schema, raw);
  if (reading.ok) return reading.value;
  const reason = reading.problems[0]?.message ?? "it is not one that is known";
  throw new ApiError("BAD_REQUEST", `The setting ${name} in ${source} is not valid: ${reason}`);
}
