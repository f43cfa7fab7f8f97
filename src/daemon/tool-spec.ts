import type * as z from "zod";

/** What a client may assume of a tool without knowing it; hints, never a replacement for scopes. */
export type ToolHints = { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean };

/** An operation as agents see it: the tool of the same meaning. Its title, scope and output are the operation's. */
export type ToolSpec = {
  name: string;
  /** For the agent: what the tool does, when to use it, which tool gives the ids that it takes. */
  description: string;
  hints: ToolHints;
  /** The tool's arguments where they are others than the operation's fields. */
  arguments?: ToolArguments;
};

export type ToolArguments = {
  schema: z.ZodObject;
  /** Arguments that fit the schema as fields of the operation. */
  toFields(args: Record<string, unknown>): Record<string, unknown>;
};

/** Hints of a tool that changes nothing. */
export const readsOnly: ToolHints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

/** Hints of a tool that makes runs go on: their steps act on other systems, each time anew. */
export const drivesRuns: ToolHints = { readOnly: false, destructive: true, idempotent: false, openWorld: true };

/** Closes over the types of a tool's own arguments. */
export function toolArguments<Schema extends z.ZodObject>(
  schema: Schema,
  toFields: (args: z.output<Schema>) => Record<string, unknown>,
): ToolArguments {
  return { schema, toFields: (args) => toFields(args as z.output<Schema>) };
}
