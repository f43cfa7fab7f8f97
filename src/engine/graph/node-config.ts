import { toPointer } from "../values/json-pointer.ts";
import { fieldNames, readKnownFields } from "../definition/known-fields.ts";
import { nearestName } from "../definition/nearest-name.ts";
import { type NodeSettings, nodeSettings, splitData } from "./node-settings.ts";
import type { ConfigFinding, NodeType } from "../node.ts";
import { readSchema } from "../definition/schema-problems.ts";

/** A node's `data`, read. Pointers are relative to `data`. */
export type NodeConfig = {
  settings: NodeSettings;
  /** As the type's schema parsed it; where that failed, as it was written, good for nothing but further checks. */
  config: unknown;
  /** Errors; the config may be bound when there are none. */
  issues: readonly ConfigFinding[];
  /** Fields that nobody knows; they are dropped. */
  unknownFields: readonly { pointer: string; name: string; nearest: string | null }[];
};

/** Reads a node's `data` for its type. Publishing and running use this one function, so that they see the same. */
export function readConfig(type: NodeType, data: Readonly<Record<string, unknown>>): NodeConfig {
  const parts = splitData(data);
  const settings = readSettings(parts.settings);
  const { value, problems, unknown } = readKnownFields(type.config, parts.config);
  const issues = problems.map(({ path, message }) => toFinding("invalid_config", path, message));
  return {
    settings: settings.value,
    config: value,
    issues: [...settings.issues, ...issues],
    unknownFields: unknown.flatMap(({ path, keys }) => keys.map((name) => describeUnknown(type, path, name))),
  };
}

function toFinding(code: string, path: readonly PropertyKey[], message: string): ConfigFinding {
  return { severity: "error", code, message, pointer: toPointer(path) };
}

/** A setting out of range is reported and has its default from then on. */
function readSettings(raw: Readonly<Record<string, unknown>>): { value: NodeSettings; issues: ConfigFinding[] } {
  const read = readSchema(nodeSettings, raw);
  if (read.ok) return { value: read.value, issues: [] };
  const bad = new Set(read.problems.map(({ path }) => path[0]));
  const rest = Object.fromEntries(Object.entries(raw).filter(([key]) => !bad.has(key)));
  const issues = read.problems.map(({ path, message }) => toFinding("invalid_setting", path, message));
  return { value: nodeSettings.parse(rest), issues };
}

function describeUnknown(type: NodeType, path: readonly PropertyKey[], name: string) {
  const known = fieldNames(type.config, path);
  if (path.length === 0) known.push(...Object.keys(nodeSettings.shape));
  return { pointer: toPointer([...path, name]), name, nearest: nearestName(name, known) };
}
