import type * as z from "zod";
import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import type { Scope } from "../contract/scopes.ts";
import { toJsonSchema } from "../engine/values/json-schema.ts";
import { didYouMean } from "../engine/definition/nearest-name.ts";
import { readSchema } from "../engine/definition/schema-problems.ts";
import type { Services } from "../engine/services.ts";
import type { ToolSpec } from "./tool-spec.ts";

/** Who asks: a key's user, or the user of this machine over the control channel (then without a key). */
export type Caller = {
  workspaceId: number;
  userId: string;
  scopes: readonly Scope[];
  keyId: string | null;
  /** When the key expires, in epoch milliseconds; null or absent: never. */
  expiresAt?: number | null;
};

/** An answer that is kept open. `signal` ends it early: the client left, its key was revoked, the daemon stops. */
export type Hold = { signal: AbortSignal; release(): void };

/** Takes a place among the open answers; throws when the caller or the daemon has too many (contract 6). */
export type HoldAnswer = (kind: "answer" | "stream") => Hold;

/** One message of an event stream: its JSON in one line; `id` is what `Last-Event-ID` resumes after. */
export type StreamEvent = { event: string; id?: number; data: string };

/** What the transport hands to every operation. */
export type Request = {
  services: Services;
  caller: Caller;
  hold: HoldAnswer;
  /** Adds a header to a good answer, where the transport has such. */
  addHeader?(name: string, value: string): void;
};

/** What an operation is on every transport. */
export type ToolOperationSpec<Input extends z.ZodObject, Output extends z.ZodType> = {
  /** Identifies the operation in the API description. */
  name: string;
  /** The MCP tool of the same meaning; null when there is none. */
  tool: ToolSpec | null;
  title: string;
  scope: Scope;
  /** All fields by name, wherever a transport finds them. Strict: an unknown field is an error. */
  input: Input;
  output: Output;
  handle(request: Request, input: z.output<Input>): Promise<z.input<Output>>;
};

export type OperationSpec<Input extends z.ZodObject, Output extends z.ZodType> = ToolOperationSpec<Input, Output> & {
  description: string;
  /** Method, path below the API's base, status of a good answer. */
  route: readonly [method: "GET" | "POST", path: string, success: 200 | 202];
  /** Fields that are read from the query although the method has a body. */
  query?: readonly (keyof Input["shape"] & string)[];
  /** Fields that REST reads from a header, by its name in lower case. */
  headers?: { readonly [Field in keyof Input["shape"] & string]?: string };
  /** Serves the same route to a caller that accepts an event stream. `input` has been checked. */
  stream?(request: Request, input: z.output<Input>): Promise<EventStream>;
};

/** Events that are read as fast as they are taken, and the place that they hold. */
export type EventStream = { events: AsyncIterable<StreamEvent>; hold: Hold };

export type FieldPlace = "path" | "query" | "header" | "body";

/** An operation with its types closed over, so that a table of them is one plain list. It need have no REST route. */
export type ToolOperation = {
  name: string;
  tool: ToolSpec | null;
  title: string;
  scope: Scope;
  output: z.ZodType;
  /** JSON Schema of the fields. */
  inputSchema: { [key: string]: unknown };
  /** Fields whose text in a query stands for a number or a boolean. */
  typed: ReadonlyMap<string, "number" | "boolean">;
  /** Throws FORBIDDEN without the scope, then BAD_REQUEST for the shape of the fields (contract 6). */
  call(request: Request, read: FieldReader): Promise<Json>;
};

/** An operation that REST serves too. */
export type Operation = ToolOperation & {
  description: string;
  route: readonly [method: "GET" | "POST", path: string, success: 200 | 202];
  places: ReadonlyMap<string, FieldPlace>;
  /** The headers of the fields whose place that is. */
  headers: ReadonlyMap<string, string>;
  stream: ((request: Request, read: FieldReader) => Promise<EventStream>) | null;
};

/** Reads an operation's fields from where the transport has them; asked only of a caller with the scope. */
export type FieldReader = () => Record<string, unknown> | Promise<Record<string, unknown>>;

/** Declares an operation once; REST, MCP and the API description are made from it. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  spec: OperationSpec<Input, Output>,
): Operation {
  const { description, route, stream } = spec;
  const check = createCheck(spec);
  const headers = new Map(Object.entries<string | undefined>(spec.headers ?? {}).flatMap(namedHeader));
  return {
    ...defineToolOperation(spec),
    description,
    route,
    places: placeFields(Object.keys(spec.input.shape), route, new Set(spec.query), headers),
    headers,
    stream: stream ? async (request, read) => stream(request, await check(request.caller, read)) : null,
  };
}

/** Declares an operation that has no REST route. */
export function defineToolOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  spec: ToolOperationSpec<Input, Output>,
): ToolOperation {
  const { name, tool, title, scope, output } = spec;
  const check = createCheck(spec);
  const inputSchema = toJsonSchema(spec.input.strict());
  return {
    name,
    tool,
    title,
    scope,
    output,
    inputSchema,
    typed: findTyped(inputSchema),
    // Every output is JSON by construction.
    call: async (request, read) => (await spec.handle(request, await check(request.caller, read))) as Json,
  };
}

/** Lets in a caller with the scope, then reads the fields. */
function createCheck<Input extends z.ZodObject, Output extends z.ZodType>({
  scope,
  input,
}: ToolOperationSpec<Input, Output>): (caller: Caller, read: FieldReader) => Promise<z.output<Input>> {
  const shape = input.strict();
  const names = Object.keys(input.shape);
  return async (caller, read) => {
    requireScope(caller, scope);
    // `strict` keeps the shape: its output is the input's own.
    return readFields(shape, await read(), names) as z.output<Input>;
  };
}

function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.includes(scope)) throw new ApiError("FORBIDDEN", `The API key lacks the scope ${scope}`);
}

/** Parses the fields of a request; throws BAD_REQUEST with every problem, unknown fields with the nearest known name. */
export function readFields<T>(schema: z.ZodType<T>, fields: unknown, names: readonly string[] = []): T {
  const reading = readSchema(schema, fields);
  if (reading.ok) return reading.value;
  const problems = reading.problems.map(({ path, message }) => ({ field: path.join("."), message }));
  const unknown = reading.unknown.flatMap(({ path, keys }) =>
    keys.map((key) => ({
      field: [...path, key].join("."),
      message: `${key} is not a known field${didYouMean(key, names)}`,
    })),
  );
  const details = [...problems, ...unknown];
  throw new ApiError("BAD_REQUEST", details.map(({ message }) => message).join("; "), { details });
}

function namedHeader([field, header]: [string, string | undefined]): [string, string][] {
  return header === undefined ? [] : [[field, header]];
}

function placeFields(
  names: readonly string[],
  [method, path]: Operation["route"],
  query: ReadonlySet<string>,
  headers: ReadonlyMap<string, string>,
): ReadonlyMap<string, FieldPlace> {
  const inPath = new Set(path.split("/").flatMap((part) => (part.startsWith(":") ? [part.slice(1)] : [])));
  return new Map(
    names.map((name) => {
      if (inPath.has(name)) return [name, "path"];
      if (headers.has(name)) return [name, "header"];
      return [name, method === "GET" || query.has(name) ? "query" : "body"];
    }),
  );
}

/** Fields of an input schema that take a number or a boolean. */
export function findTyped({
  properties = {},
}: z.core.JSONSchema.BaseSchema): ReadonlyMap<string, "number" | "boolean"> {
  const typed = new Map<string, "number" | "boolean">();
  for (const [name, property] of Object.entries(properties)) {
    const type = typeof property === "object" && property !== null && "type" in property ? property.type : null;
    if (type === "integer" || type === "number") typed.set(name, "number");
    if (type === "boolean") typed.set(name, "boolean");
  }
  return typed;
}
