import type { Json } from "../../contract/json.ts";
import type { RunSource } from "../../contract/run.ts";
import type { Graph } from "../graph/graph.ts";
import { readPath } from "../values/json.ts";
import type { ScopeState, StepState } from "../graph/scope-state.ts";
import type { NamedValues } from "./named-values.ts";
import type { Scope } from "./template.ts";

type Path = readonly (string | number)[];

/** What templates can read of the run itself: `run.id`, `run.source`, `run.started_at` (contract 3). */
export type RunRoot = { id: string; source: RunSource; started_at: string | null };

/** What a run's templates read beside the workspace's values. */
export type ScopeSources = { graph: Graph; input: Json; run: RunRoot };

/**
 * The values a step's templates read (contract 3): outputs of nodes upstream in its own and the enclosing iterations,
 * item variables, `loop`, `run`, and the workspace's `var` and `secret`. What is not there is missing, never an error; a
 * secret that is not there throws.
 */
export function templateScope(
  { graph, input, run }: ScopeSources,
  step: StepState,
  values: NamedValues,
): Scope & { locate: Locate } {
  const locate: Locate = (root, path) => {
    if (root === "action_input") return { output: input, path: inputPath(graph, path) };
    if (root === "trigger") return { output: input, path: outputPath(path) };
    if (root === "run") return { output: run, path };
    if (root === "loop") return { output: loopRoot(step.scope), path };
    const item = findItem(step.scope, root);
    if (item) return { output: item.value, path };
    if (root === "var") return locateVariable(values, path);
    const source = findSettled(graph, step.scope, root);
    return source ? { output: source.output, path: outputPath(path) } : null;
  };
  return {
    locate,
    read(root, path) {
      if (root === "secret" && path.length > 0 && !findItem(step.scope, root)) return readSecret(values, path);
      const place = locate(root, path);
      return place ? readPath(place.output, place.path) : undefined;
    },
  };
}

/** The whole value that a reference reads from, and the path inside it; null where there is none. */
type Locate = (root: string, path: Path) => { output: Json; path: Path } | null;

/** A scope with roots of its own in front of another one. */
export function withLocals(scope: Scope, locals: Readonly<Record<string, unknown>>): Scope {
  return {
    read: (root, path) => (Object.hasOwn(locals, root) ? readPath(locals[root], path) : scope.read(root, path)),
  };
}

/** The word `output` right after a node id is that node's whole output (contract 3). */
export function outputPath(path: Path): Path {
  return path[0] === "output" ? path.slice(1) : path;
}

/** A declared input property that is named `output` wins over the word (contract 3). */
function inputPath(graph: Graph, path: Path): Path {
  return graph.inputNames.has("output") ? path : outputPath(path);
}

function loopRoot(scope: ScopeState): Json {
  if (!scope.entered) return null;
  const { step, index } = scope.entered;
  return { index, total: step.loop?.items.length ?? 0 };
}

/** A variable in the shape of an output, so that a path of it can be followed. */
function locateVariable(values: NamedValues, path: Path): { output: Json; path: Path } | null {
  const [name, ...rest] = path;
  const value = name === undefined ? undefined : values.readVariable(String(name));
  return value === undefined ? null : { output: value, path: rest };
}

function readSecret(values: NamedValues, [name, ...rest]: Path): unknown {
  return readPath(values.readSecret(String(name)), rest);
}

/** The innermost loop with this item variable. */
function findItem(scope: ScopeState, name: string): { value: Json } | null {
  for (let at: ScopeState | null = scope; at?.entered; at = at.parent) {
    if (at.graph.itemVariable === name) return { value: at.entered.item };
  }
  return null;
}

function findSettled(graph: Graph, scope: ScopeState, id: string): StepState | null {
  const node = graph.byId.get(id);
  if (!node) return null;
  for (let at: ScopeState | null = scope; at; at = at.parent) {
    if (at.graph !== node.scope) continue;
    const step = at.steps[node.place];
    return step?.settled && step.status !== "skipped" ? step : null;
  }
  return null;
}
