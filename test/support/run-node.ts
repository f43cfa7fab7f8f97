import type { Json } from "../../src/contract/json.ts";
import { defaultLimits } from "../../src/contract/limits.ts";
import type { ConnectorCalls } from "../../src/engine/connector.ts";
import { readPath, toJson } from "../../src/engine/values/json.ts";
import { readConfig } from "../../src/engine/graph/node-config.ts";
import { configTemplates } from "../../src/engine/graph/node-templates.ts";
import type { BoundNode, NodeContext, NodeType, StepOutcome } from "../../src/engine/node.ts";
import { outputPath, withLocals } from "../../src/engine/templates/template-scope.ts";
import type { Scope } from "../../src/engine/templates/template.ts";

const refuse = async (): Promise<never> => Promise.reject(new Error("The test has no network"));

/** What a node finds around it when it runs. */
export type Surroundings = {
  /** Roots of templates: node ids, `action_input`, item variables. The first is the upstream node, unless said otherwise. */
  outputs?: Readonly<Record<string, Json>>;
  upstream?: Json;
  /** What becomes of scripts. */
  runScript?: NodeContext<unknown>["runScript"];
  /** What becomes of calls outside. */
  calls?: Partial<ConnectorCalls>;
  /** A webhook's caller waits for the run's answer. */
  awaitsResponse?: boolean;
  /** By target handle. */
  inputs?: Readonly<Record<string, Json>>;
};

/** What publishing says of a node's `data`: `severity pointer: message`, unknown fields included. */
export function checkNode(type: NodeType, data: object): string[] {
  const { config, issues, unknownFields, settings } = readConfig(type, { ...data });
  const findings = issues.length === 0 ? type.bind(config).findings : [];
  const { problems } = configTemplates(type, config, settings);
  return [
    ...[...issues, ...findings].map(({ severity, pointer, message }) => `${severity} ${pointer}: ${message}`),
    ...problems.map(({ pointer, message }) => `error ${pointer}: ${message}`),
    ...unknownFields.map(({ pointer }) => `warning ${pointer}: unknown`),
  ];
}

/** A node with its config, as the graph holds it. Throws when publishing would refuse the config. */
export function bindNode(type: NodeType, data: object): BoundNode {
  const errors = checkNode(type, data).filter((finding) => finding.startsWith("error"));
  if (errors.length > 0) throw new Error(errors.join("\n"));
  return type.bind(readConfig(type, { ...data }).config);
}

/** Runs one node by itself: its config is checked, its templates are compiled and resolved as in a run. */
export async function runNode(
  type: NodeType,
  data: object,
  { outputs = {}, inputs = {}, ...rest }: Surroundings = {},
): Promise<StepOutcome> {
  const bound = bindNode(type, data);
  const { config, settings } = readConfig(type, { ...data });
  const templates = configTemplates(type, config, settings);
  const scope: Scope = { read: (root, path) => readPath(outputs, [root, ...outputPath(path)]) };
  const resolved = templates.resolve(scope);
  const context: NodeContext<unknown> = {
    config: resolved,
    upstream: rest.upstream ?? Object.values(outputs)[0] ?? null,
    inputs: new Map(Object.entries(inputs)),
    render: (pointer, locals) => templates.renderLate(pointer, resolved, () => withLocals(scope, locals)),
    origin(pointer) {
      const reference = templates.referenceAt(pointer);
      if (!reference) return null;
      return { output: toJson(scope.read(reference.root, [])), path: outputPath(reference.path) };
    },
    run: { id: "00000000-0000-7000-8000-000000000000", source: "test", awaitsResponse: rest.awaitsResponse ?? false },
    step: { id: "node", iteration: null, attempt: 1 },
    now: () => new Date(0),
    random: () => 0.5,
    limits: defaultLimits,
    fetch: refuse,
    calls: { run: refuse, open: refuse, fetchThrough: () => refuse, throughBreaker: refuse, ...rest.calls },
    signal: new AbortController().signal,
    keepPartial: () => undefined,
    runScript: rest.runScript ?? (() => Promise.reject(new Error("The test has no sandbox"))),
    log: () => undefined,
  };
  return bound.run(context);
}

/** The output of a node that has to complete. */
export async function outputOf(type: NodeType, data: object, around?: Surroundings) {
  const outcome = await runNode(type, data, around);
  if (outcome.kind !== "done") throw new Error(`${type.type} did not complete: ${JSON.stringify(outcome)}`);
  return outcome.output;
}
