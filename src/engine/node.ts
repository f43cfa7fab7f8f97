import type * as z from "zod";
import type { Json } from "../contract/json.ts";
import type { Limits } from "../contract/limits.ts";
import type { Iteration, RunError, RunSource } from "../contract/run.ts";
import type { HttpAnswer } from "../contract/webhook.ts";
import type { NodeTypeName } from "../contract/workflow.ts";
import type { ConnectorCalls, Reach } from "./connector.ts";
import type { ScriptResult } from "./script.ts";

/** What a handler may answer. It never throws for control flow (design 2). */
export type StepOutcome =
  | { kind: "done"; output: Json }
  /** A loop's items are good: the engine runs the iterations and completes the step itself. */
  | { kind: "iterate" }
  /** The step completes at `resumeAt` (epoch ms): the engine waits, across restarts, and completes it itself. */
  | { kind: "wait"; resumeAt: number }
  /** The step completes when this run is over, with its output or its failure: the engine waits, across restarts. */
  | { kind: "await_run"; runId: string }
  /** The step is complete; when that is durable, the caller who waits for the run gets the answer (contract 5). */
  | { kind: "respond"; answer: HttpAnswer; output: Json }
  /** `output` is what those downstream get instead of the error under continueOnFailure. */
  | { kind: "fail"; error: StepError; output?: Json };

/** A failure as a handler words it; the engine adds the step. */
export type StepError = Omit<RunError, "step_id">;

/** Everything a handler may know (design 2). */
export type NodeContext<Config> = {
  /** The node's config with its templates resolved; a template that yielded nothing left its key out. */
  config: Config;
  /** Output of the first live upstream node in the definition's order; null when there is none (contract 2). */
  upstream: Json;
  /** Outputs by target handle; null where the edge was skipped. */
  inputs: ReadonlyMap<string, Json>;
  /** Resolves a template that the node type keeps for itself (`lateTemplates`), with roots of its own. */
  render(pointer: string, locals: Readonly<Record<string, unknown>>): unknown;
  /** Where a field's value came from: the whole output that its one template reads, and the path in it. */
  origin(pointer: string): { output: Json; path: readonly (string | number)[] } | null;
  /** `awaitsResponse`: a webhook's caller waits for the run's answer, and nobody has given it. */
  run: { id: string; source: RunSource; readonly awaitsResponse: boolean };
  step: { id: string; iteration: Iteration; attempt: number };
  now(): Date;
  random(): number;
  limits: StepLimits;
  fetch: typeof fetch;
  /** The way outside: connectors, connections and model providers. */
  calls: ConnectorCalls;
  signal: AbortSignal;
  /** Says what those downstream get under continueOnFailure when the step's watchdog cuts it off. */
  keepPartial(read: (error: StepError) => Json): void;
  /** Runs the config's script where it can harm nothing else; its console goes to the run's log (contract 16). */
  runScript(code: string, inputs: Json): Promise<ScriptResult>;
  log(text: string): void;
};

/** How long an attempt and a call of a model may take. */
export type StepLimits = Pick<Limits, "stepTimeoutSeconds" | "llmTimeoutSeconds">;

/** Side effects decide what a crash in the middle means (contract 5, recovery). */
export type Effects = "none" | "idempotent" | "unsafe";

/** One finding about a config that its schema can't express. */
export type ConfigFinding = { severity: "error" | "warning"; code: string; message: string; pointer: string };

/** A node type as its file declares it: type, schema, handles, handler and docs on one screen. */
export type NodeSpec<Config> = {
  type: NodeTypeName;
  title: string;
  /** Group in the node picker; the placeholders have their own. */
  group: "Flow" | "Data" | "Utilities" | "Placeholder" | "Connector";
  /** One or two sentences for the reference and the picker. */
  summary: string;
  /** Strict: unknown fields are reported as warnings and dropped before the config is used. */
  config: z.ZodType<Config>;
  /** JSON pointers of the fields that are templates; `*` stands for any index or key, a last `**` for everything below. */
  templates?: readonly string[];
  /** Templates that the handler resolves itself, and the roots that it adds for them. */
  lateTemplates?: { pointers: readonly string[]; roots: readonly string[] };
  /** JSON pointers of the fields that are scripts; publishing compiles them. */
  scripts?: readonly string[];
  /** Names of the outgoing handles; default `["default"]`. */
  sources?(config: NoInfer<Config>): readonly string[];
  /** Names of the incoming handles; default `["default"]`. */
  targets?(config: NoInfer<Config>): readonly string[];
  /** Handles that an output makes live; default all of them. */
  live?(output: Json, config: NoInfer<Config>): readonly string[];
  /** Publish-time findings beyond the schema. */
  check?(config: NoInfer<Config>): readonly ConfigFinding[];
  /** Default `none`. */
  effects?(config: NoInfer<Config>): Effects;
  /** Its steps take milliseconds as a rule, so that their being in progress need not be seen at once. */
  isBrief?: true;
  /** The connectors and connections that the node calls through. Such a node says its `effects` as well. */
  reaches?(config: NoInfer<Config>): readonly Reach[];
  /** Own watchdog in ms; null for none; default the step time-out. */
  timeoutMs?(config: NoInfer<Config>, limits: StepLimits): number | null;
  /** Settings that have no effect on this type and are warned of (contract 2). */
  ignores?: readonly ("maxRetries" | "continueOnFailure")[];
  /** Absent on the placeholders that are no steps (`action_input`, `trigger`). */
  run?(context: NodeContext<NoInfer<Config>>): StepOutcome | Promise<StepOutcome>;
};

/** A node type with its config type closed over, so that the catalogue is one plain array. */
export type NodeType = Omit<
  NodeSpec<unknown>,
  "config" | "sources" | "targets" | "live" | "check" | "effects" | "isBrief" | "reaches" | "timeoutMs" | "run"
> & {
  config: z.ZodType;
  isStep: boolean;
  /** Binds a config that the schema accepted. */
  bind(config: unknown): BoundNode;
};

/** A node type together with one config. */
export type BoundNode = {
  sources: readonly string[];
  targets: readonly string[];
  findings: readonly ConfigFinding[];
  effects: Effects;
  isBrief: boolean;
  /** Without an argument, of the config as it was written; else as it was resolved. */
  reaches(resolved?: { [key: string]: Json }): readonly Reach[];
  /** The watchdog of an attempt; null for none. */
  timeoutMs(limits: StepLimits): number | null;
  live(output: Json): readonly string[];
  run(context: NodeContext<unknown>): StepOutcome | Promise<StepOutcome>;
};

/** Declares a node type. An unchecked config can't be run: `bind` parses it first and throws zod's error. */
export function defineNode<Config>(spec: NodeSpec<Config>): NodeType {
  const { sources, targets, live, check, effects, isBrief = false, reaches, timeoutMs, run, ...rest } = spec;
  return {
    ...rest,
    isStep: run !== undefined,
    bind(raw) {
      const config = spec.config.parse(raw);
      const handles = sources?.(config) ?? ["default"];
      return {
        sources: handles,
        targets: targets?.(config) ?? ["default"],
        findings: check?.(config) ?? [],
        effects: effects?.(config) ?? "none",
        isBrief,
        // As in `run`: resolution replaces template fields alone.
        reaches: (resolved) => reaches?.(resolved ? (resolved as Config) : config) ?? [],
        timeoutMs: (limits) => (timeoutMs ? timeoutMs(config, limits) : limits.stepTimeoutSeconds * 1000),
        live: (output) => live?.(output, config) ?? handles,
        run(context) {
          if (!run) throw new Error(`${spec.type} is a placeholder and has no step to run`);
          // The resolved config has the shape that was parsed: resolution replaces template fields alone.
          return run(context as NodeContext<Config>);
        },
      };
    },
  };
}

/** Shorthand of handlers: the step is complete. */
export function done(output: Json): StepOutcome {
  return { kind: "done", output };
}

/** Shorthand of handlers: the step failed. */
export function fail(code: string, message: string, extra: Omit<StepError, "code" | "message"> = {}): StepOutcome {
  return { kind: "fail", error: { code, message, ...extra } };
}
