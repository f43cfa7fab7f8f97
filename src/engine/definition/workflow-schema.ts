import * as z from "zod";
import { type WorkflowDefinition, workflowDefinition, workflowEdge, workflowNode } from "../../contract/workflow.ts";
import { isRecord } from "../values/json.ts";
import { nodeSettings } from "../graph/node-settings.ts";
import type { NodeType } from "../node.ts";

type Schema = { [keyword: string]: unknown };

/**
 * The JSON Schema (draft 7, which editors know best) of workflow files: the canonical shape, the short form of edges,
 * and for every node type the fields of its `data`. It helps while typing; publishing checks far more.
 */
export function buildWorkflowSchema(catalogue: readonly NodeType[]): Schema {
  const root = toSchema(workflowDefinition);
  const properties = {
    $schema: { type: "string", description: "Where editors find this schema" },
    id: {
      type: "string",
      description: "Id of a workflow that exists, to publish its next version under another slug or name",
    },
    ...describeFields(root, definitionFields),
    nodes: { type: "array", items: { $ref: "#/definitions/node" }, description: definitionFields.nodes },
    edges: { type: "array", items: { $ref: "#/definitions/edge" }, description: definitionFields.edges },
  };
  const data = catalogue.map((type) => [`data_${type.type}`, dataSchema(type)]);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Stepgate workflow",
    ...close(root),
    properties,
    definitions: { node: nodeSchema(catalogue), edge: edgeSchema(), ...Object.fromEntries(data) },
  };
}

const definitionFields: Record<keyof WorkflowDefinition, string> = {
  name: "Name of the workflow; an event-driven one is known by it",
  slug: "Slug of the action under which a callable workflow is run; it can't be changed later",
  description: "What agents read to decide whether to run it",
  approval_policy: "`always` makes every run wait for a person before it starts",
  concurrency: "How many of its runs may execute at once; further ones stay accepted",
  on_failure: "Slug of an action to run with `{run_id, workflow, error}` after a run failed or timed out",
  nodes: "The steps of the workflow, and where it begins and ends",
  edges: "What follows what, as `source.handle -> target.handle` or written out",
};

const settingFields: Record<keyof typeof nodeSettings.shape, string> = {
  label: "Display label; it changes nothing",
  continueOnFailure: "Whether the run goes on when this step fails; those downstream read `{error: {code, message}}`",
  maxRetries: "How often a failed attempt is repeated, when its error is retryable",
  requireApproval: "Whether a person has to approve before this step runs",
  approvalDescription: "What the person who approves reads; a template",
};

function toSchema(schema: z.ZodType): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", target: "draft-7", unrepresentable: "any" });
  return rest;
}

/** The properties of an object schema, with descriptions. */
function describeFields(schema: Schema, descriptions: Readonly<Record<string, string>>): Schema {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const described = isRecord(property) ? property : {};
      return [name, { ...described, description: descriptions[name] }];
    }),
  );
}

/** Unknown fields are ignored with a warning when a workflow is published; editors mark them. */
function close(schema: Schema): Schema {
  return { ...schema, additionalProperties: false };
}

function nodeSchema(catalogue: readonly NodeType[]): Schema {
  const types = catalogue.map(({ type, title, summary }) => ({ const: type, title, description: summary }));
  const node = toSchema(workflowNode);
  const fields = describeFields(node, {
    id: "Unique id; templates read the node's output by it",
    label: "Display label; it changes nothing",
    name: "Display name; it changes nothing",
  });
  return {
    ...close(node),
    properties: {
      ...fields,
      type: { description: "Type of the node", oneOf: types },
      data: { type: "object", description: "Config of the node, by its type" },
    },
    allOf: catalogue.map((type) => ({
      // "Unless it is another type": an object with a key `then` would pass for a promise.
      if: { not: { properties: { type: { const: type.type } }, required: ["type"] } },
      else: {
        properties: { data: { $ref: `#/definitions/data_${type.type}` } },
        ...(type.config.safeParse({}).success ? {} : { required: ["data"] }),
      },
    })),
  };
}

function dataSchema(type: NodeType): Schema {
  const settings = describeFields(toSchema(nodeSettings), settingFields);
  const isPlaceholder = type.group === "Placeholder";
  const ignored = new Set<string>(type.ignores);
  const carried = Object.entries(settings).filter(([name]) => (isPlaceholder ? name === "label" : !ignored.has(name)));
  return { description: type.summary, ...addProperties(toSchema(type.config), Object.fromEntries(carried)) };
}

/** Adds properties to an object schema, or to each branch of a choice. */
function addProperties(schema: Schema, added: Schema): Schema {
  const choices = ["oneOf", "anyOf"].filter((keyword) => Array.isArray(schema[keyword]));
  if (choices.length === 0) {
    const own = isRecord(schema["properties"]) ? schema["properties"] : {};
    return { ...schema, properties: { ...own, ...added } };
  }
  const extended = choices.map((keyword): [string, unknown] => {
    const branches: unknown = schema[keyword];
    return [keyword, Array.isArray(branches) ? branches.map((branch) => addProperties(branch, added)) : branches];
  });
  return { ...schema, ...Object.fromEntries(extended) };
}

function edgeSchema(): Schema {
  const edge = toSchema(workflowEdge);
  const fields = describeFields(edge, {
    id: "Unique id; made up when it is left out",
    source: "Id of the node that the edge leaves",
    target: "Id of the node that it leads to",
    sourceHandle: "Handle that it leaves, such as `true`, `branch_<id>` or `done`",
    targetHandle: "Handle that it leads to; a Merge has `input_0`, `input_1` and so on",
  });
  const short = {
    type: "string",
    pattern: "^\\s*[^\\s.>]+?(\\.\\S+?)?\\s*->\\s*[^\\s.>]+?(\\.\\S+?)?\\s*$",
    description: "source[.handle] -> target[.handle]",
  };
  return { anyOf: [short, { ...close(edge), properties: fields, required: ["source", "target"] }] };
}
