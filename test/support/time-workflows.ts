/** Workflows about time and people. `data` of a node in YAML's flow form. */

type Node = { id: string; type: string; data?: string };

/** A callable workflow with these nodes and edges between `action_input` and `done`. */
export function flow(slug: string, nodes: readonly Node[], edges: readonly string[], head = ""): string {
  const lines = nodes.map(({ id, type, data = "{}" }) => `  - {id: ${id}, type: ${type}, data: ${data}}`);
  return `
name: ${slug}
slug: ${slug}
${head}
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: items, type: array}, {name: who, type: string}]}}
${lines.join("\n")}
  - {id: done, type: return_output, data: {properties: [{name: ok, type: boolean, value: "true"}]}}
edges:
${edges.map((edge) => `  - ${edge}`).join("\n")}
`;
}

export const waitFor = (amount: number, unit: string) => `{mode: duration, amount: ${amount}, unit: ${unit}}`;
export const keep = (value: string, settings = "") =>
  `{assignments: [{id: a, key: value, value: "${value}"}]${settings && `, ${settings}`}}`;

/** A run that waits for approval of a step, and one that waits before its first. */
export const gated = flow(
  "gated",
  [{ id: "pay", type: "set", data: keep("x", "requireApproval: true") }],
  ["action_input -> pay", "pay -> done"],
);
export const policy = flow("policy", [], ["action_input -> done"], "approval_policy: always");
