import { stringify } from "yaml";
import * as z from "zod";
import { isRecord } from "../src/engine/values/json.ts";
import type { NodeType } from "../src/engine/node.ts";
import { operatorNames } from "../src/engine/values/operators.ts";
import { buildWorkflowSchema } from "../src/engine/definition/workflow-schema.ts";
import { noop } from "../src/nodes/noop.ts";
import { type ConfigField, configFields } from "./config-table.ts";
import { nodeExamples } from "./node-examples.ts";

const intro = `# Nodes

Made from the node catalogue by \`scripts/write-node-docs.ts\`; change the node, not this page.

A node in a workflow file is \`{id, type, data}\`. A field of the type *template* takes any JSON; every text in it may hold
\`{{path.to.value}}\`. Handles are the ends of edges: \`source.handle -> target.handle\`, and \`default\` can be left out.`;

/** The reference of all node types, as Markdown. */
export function renderNodeDocs(catalogue: readonly NodeType[]): string {
  const groups = Map.groupBy(catalogue, ({ group }) => group);
  const sections = Array.from(groups, ([group, types]) => [`## ${group}`, ...types.map(renderType)]).flat();
  return `${[intro, ...sections, renderSettings(), renderOperators()].join("\n\n")}\n`;
}

function renderType(type: NodeType): string {
  const schema = z.toJSONSchema(type.config, { io: "input", unrepresentable: "any" });
  const fields = configFields(schema, templatePointers(type));
  const example = nodeExamples[type.type] ?? {};
  const { sources, targets } = type.bind(example);
  return [
    `### ${type.title}`,
    `\`${type.type}\`. ${type.summary}`,
    fields.length === 0 ? "It has nothing to configure." : renderTable(fields),
    `\`\`\`yaml\n${stringify({ type: type.type, data: example }, { lineWidth: 110 }).trimEnd()}\n\`\`\``,
    `Handles of this example: in ${renderHandles(targets)}; out ${renderHandles(sources)}.`,
  ].join("\n\n");
}

function templatePointers({ templates = [], lateTemplates }: NodeType): string[] {
  return [...templates, ...(lateTemplates?.pointers ?? [])].map((pointer) => pointer.replace(/\/\*\*$/, ""));
}

function renderHandles(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ") || "none";
}

function renderTable(fields: readonly ConfigField[]): string {
  const rows = fields.map((field) => [
    `\`${field.path}\``,
    field.type,
    field.required,
    field.default,
    field.description,
  ]);
  const lines = [["Field", "Type", "Required", "Default", "Meaning"], Array.from({ length: 5 }, () => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A Noop has no config of its own, so that what its data may hold are the settings of all. */
function renderSettings(): string {
  const { definitions } = buildWorkflowSchema([noop]);
  const schema = isRecord(definitions) ? definitions["data_noop"] : undefined;
  const fields = configFields(isRecord(schema) ? schema : {}, ["/approvalDescription"]);
  const text = "Every node may have a `label`, and every node but the placeholders the others, in its `data` too.";
  return `## Settings of all nodes\n\n${text}\n\n${renderTable(fields)}`;
}

function renderOperators(): string {
  return `## Operators\n\n${operatorNames.map((name) => `- \`${name}\``).join("\n")}`;
}
