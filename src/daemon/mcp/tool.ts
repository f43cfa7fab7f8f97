import * as z from "zod";
import { ApiError } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import type { Scope } from "../../contract/scopes.ts";
import { isRecord, setOwn } from "../../engine/values/json.ts";
import { readText } from "../http/collect-fields.ts";
import { type Request, type ToolOperation, findTyped, readFields } from "../operation.ts";
import type { ToolArguments, ToolHints, ToolSpec } from "../tool-spec.ts";
import { type JsonSchema, argumentSchema, outputSchema } from "./tool-schema.ts";

/** A tool as `tools/list` shows it. */
export type ToolDefinition = {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations: JsonSchema;
};

export type Tool = {
  scope: Scope;
  definition: ToolDefinition;
  /** Gives the body that the REST call of the same meaning would have; throws as that one would. */
  call(request: Request, args: unknown): Promise<Json>;
};

/** The tools of a table of operations, in its order. */
export function createTools(operations: readonly ToolOperation[]): Tool[] {
  return operations.flatMap((operation) => (operation.tool ? [createTool(operation, operation.tool)] : []));
}

function createTool(operation: ToolOperation, { name, description, hints, arguments: own }: ToolSpec): Tool {
  const readAll = own ? readOwn(own) : (args: unknown) => coerce(operation.typed, args);
  const inputSchema = argumentSchema(own ? toJsonSchema(own.schema) : operation.inputSchema);
  const read = hints.readOnly ? (args: unknown) => readAll(dropEmpty(inputSchema, args)) : readAll;
  return {
    scope: operation.scope,
    definition: {
      name,
      title: operation.title,
      description,
      inputSchema,
      outputSchema: outputSchema(operation.output),
      annotations: showHints(hints),
    },
    // The operation asks for the fields once it knows that the caller has the scope.
    call: async (request, args) => operation.call(request, () => read(args)),
  };
}

function showHints({ readOnly, destructive, idempotent, openWorld }: ToolHints): JsonSchema {
  return {
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  };
}

function toJsonSchema(schema: z.ZodObject): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema.strict(), { io: "input", unrepresentable: "any" });
}

function readOwn({ schema, toFields }: ToolArguments): (args: unknown) => Record<string, unknown> {
  const strict = schema.strict();
  const typed = findTyped(toJsonSchema(schema));
  const names = Object.keys(schema.shape);
  return (args) => toFields(readFields(strict, coerce(typed, args), names));
}

/** Arguments as an object; a text that a model gave for a number or a boolean counts as the value it spells. */
function coerce(typed: ToolOperation["typed"], args: unknown): Record<string, unknown> {
  if (args === undefined || args === null) return {};
  if (!isRecord(args)) throw new ApiError("BAD_REQUEST", "arguments must be an object", { details: [notAnObject] });
  const coerced: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    setOwn(coerced, name, typeof value === "string" ? readText(typed.get(name), value) : value);
  }
  return coerced;
}

/** What is asked for with an empty text is not asked for, as in a query (contract 6): models fill in every filter. */
function dropEmpty({ required }: JsonSchema, args: unknown): unknown {
  if (!isRecord(args)) return args;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== "" || needed.has(name)));
}

const notAnObject = { field: "arguments", message: "arguments must be an object" };
