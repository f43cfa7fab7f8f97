import type { WorkflowDefinition } from "../../contract/workflow.ts";

/**
 * A definition as YAML with its fields in the order of the docs, an edge a line. Read again it is the same definition.
 * `id` stands first where nothing else tells whose definition it is.
 */
export async function canonicalYaml(definition: WorkflowDefinition, id: string | null = null): Promise<string> {
  // Loaded when it is needed: most commands write no YAML.
  const { stringify } = await import("yaml");
  const { nodes, edges, ...head } = definition;
  const write = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
  const known = Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined));
  const lines = edges.map((edge) => `  - ${JSON.stringify(edge)}\n`);
  const flow = edges.length === 0 ? "edges: []\n" : `edges:\n${lines.join("")}`;
  return `${write({ ...(id !== null && { id }), ...known, nodes })}${flow}`;
}
