/**
 * Names that other tools have for what is called otherwise here. Whoever writes a workflow by habit, as models do, is
 * told ours: these are too far from each other to be taken for slips.
 */

const nodeTypes: readonly [ours: string, ...theirs: string[]][] = [
  [
    "connector with the connector http and the operation request",
    "http",
    "httprequest",
    "request",
    "fetch",
    "api",
    "rest",
    "webhookcall",
    "get",
    "post",
  ],
  ["condition", "if", "ifelse", "branch", "decision", "conditional"],
  ["switch", "router", "case", "route"],
  ["loop", "foreach", "iterator", "iterate", "map", "splitinbatches", "while"],
  ["code", "function", "javascript", "js", "typescript", "script", "python", "functionitem"],
  ["wait", "delay", "sleep", "timer", "pause"],
  ["set", "assign", "editfields", "setvariable", "variables", "variable", "mapping"],
  ["action_input", "start", "input", "inputs", "manualtrigger", "begin", "parameters"],
  ["return_output", "end", "output", "outputs", "return", "result", "finish"],
  ["trigger", "webhook", "schedule", "cron", "event"],
  ["respond_to_webhook", "respond", "response", "webhookresponse"],
  ["llm", "ai", "agent", "chat", "prompt", "gpt", "completion", "model"],
  ["rag_retrieve", "rag", "retrieve", "vectorsearch", "retriever"],
  ["stop_and_error", "error", "throw", "fail", "stop", "raise"],
  ["split_out", "split", "flatten", "explode"],
  ["aggregate", "collect", "summarize", "reduce", "groupby"],
  ["merge", "join", "combine"],
  [
    "any node with requireApproval: true in its data",
    "approval",
    "human",
    "humanapproval",
    "approve",
    "manualapproval",
  ],
];

const typeOf: ReadonlyMap<string, string> = new Map(
  nodeTypes.flatMap(([ours, ...theirs]) => theirs.map((name) => [name, ours])),
);

/** What a node type of other tools is here; null where the name says nothing. */
export function familiarType(type: string): string | null {
  return typeOf.get(type.toLowerCase().replace(/[^a-z]/g, "")) ?? null;
}

const fields: ReadonlyMap<string, string> = new Map([
  ["from", "source"],
  ["to", "target"],
  ["sourceNode", "source"],
  ["targetNode", "target"],
  ["handle", "sourceHandle"],
  ["condition", "sourceHandle"],
  ["branch", "sourceHandle"],
  ["config", "data"],
  ["parameters", "data"],
  ["params", "data"],
  ["inputs", "data"],
]);

/** The field of an edge or a node that another tool's field is here, where `known` has it; null otherwise. */
export function familiarField(field: string, known: readonly string[]): string | null {
  const ours = fields.get(field);
  return ours !== undefined && known.includes(ours) ? ours : null;
}

type Path = readonly (string | number)[];

const roots: ReadonlyMap<string, string> = new Map([
  ["input", "action_input"],
  ["inputs", "action_input"],
  ["params", "action_input"],
  ["env", "var"],
  ["vars", "var"],
  ["variables", "var"],
  ["secrets", "secret"],
  ["credentials", "secret"],
]);

const listsOfSteps = new Set(["steps", "nodes", "node"]);
const outputs = new Set<string | number | undefined>(["output", "outputs", "data", "json"]);

/** How a reference of other tools is written here, without its braces; null where it can't be told. */
export function familiarReference(root: string, path: Path, isNode: (id: string) => boolean): string | null {
  const ours = roots.get(root);
  if (ours !== undefined) return [ours, ...path].join(".");
  const [id, member] = path;
  if (!listsOfSteps.has(root) || typeof id !== "string" || !isNode(id)) return null;
  return [id, ...path.slice(outputs.has(member) ? 2 : 1)].join(".");
}
