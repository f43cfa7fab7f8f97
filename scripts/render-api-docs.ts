import { errorStatus } from "../src/contract/errors.ts";
import { type OpenApi, describeApi } from "../src/daemon/http/openapi.ts";
import type { Operation } from "../src/daemon/operation.ts";
import { isRecord } from "../src/engine/values/json.ts";

const intro = `# REST API

Made from the operation table by \`scripts/write-api-docs.ts\`; change the operation, not this page. The daemon serves the
same as OpenAPI 3.1 at \`/api/v1/openapi.json\`, without a key.

A request carries \`Authorization: Bearer <key>\`; bodies and answers are JSON. Every answer to a key has
\`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and \`x-ratelimit-reset\` (seconds since 1970, when the oldest counted request
leaves the 60 s window); a 429 or 503 has \`retry-after\` in seconds, and a client that waits that long gets a call through.

Checks come in this order: key (401), rate (429), scope (403), shape of the request (400), idempotency key (the first run, or
409), existence (404), state (409 or 400), the action's schema (400), hourly cap and monthly quota (429), room in the
queue (503).`;

const idempotency = `## Repeating a request

\`POST /actions/{slug}/run\` takes the header \`Idempotency-Key\` (1 to 255 printable ASCII characters). The key belongs to the
workspace and the action. For 24 hours the same key with the same body answers with the run that it started, as it stands,
with 202 and \`idempotent-replayed: true\`; it costs a request of the rate and no run of any cap, and works whatever became
of the action meanwhile. The same key with another body is 409 \`IDEMPOTENCY_CONFLICT\`. A request that was refused leaves
its key free. Only digests are stored, no key and no body. The MCP tool \`run_action\` takes \`idempotency_key\`.`;

const metrics = `## Metrics

\`GET /metrics\` answers callers on the daemon's machine (a proxy that says for whom it asks does not count as one), or
everybody when \`metrics.public\` is set. Totals begin with the daemon; nothing is counted before it is durable.

| Metric | Meaning |
| --- | --- |
| \`stepgate_runs{status}\` | Runs that are kept; \`accepted\` is the queue |
| \`stepgate_active_runs\` | Runs that execute now |
| \`stepgate_runs_ended_total{status}\` | Runs that ended |
| \`stepgate_step_duration_seconds{type}\` | How long steps took, by type of node, as a histogram |
| \`stepgate_circuit_open{workspace,connector,connection}\` | 1 where an integration's circuit breaker is open |
| \`stepgate_store_commits_total\`, \`stepgate_store_writes_total\` | Durable transactions, and the writes that shared them |
| \`stepgate_requests_refused_total{reason}\` | \`unauthorized\`, \`rate_limit\` |
| \`stepgate_event_loop_delay_seconds{quantile}\` | How late the event loop was since the last reading |
| \`stepgate_info{version}\`, \`process_resident_memory_bytes\`, \`process_cpu_seconds_total\` | The process |`;

/** The reference of the REST API, as Markdown. */
export function renderApiDocs(operations: readonly Operation[]): string {
  const api = describeApi(operations, "");
  const sections = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => renderOperation(method, path, operation)),
  );
  const parts = [intro, "## Operations", ...sections, idempotency, renderSchemas(api), renderErrors(), metrics];
  return `${parts.join("\n\n")}\n`;
}

type JsonObject = OpenApi["paths"][string][string];

function renderOperation(method: string, path: string, operation: JsonObject): string {
  const { summary, description, security } = operation;
  const [requirement] = Array.isArray(security) ? security : [];
  const scope = isRecord(requirement) ? plain(requirement["apiKey"]) : null;
  const fields = [...parameterRows(operation), ...bodyRows(operation)];
  return [
    `### ${method.toUpperCase()} ${path}`,
    `${plain(description ?? summary)}${plain(description ?? summary).endsWith(".") ? "" : "."}`,
    `${scope === null ? "No key is needed" : `Scope \`${scope}\``}. Answer: ${renderAnswer(operation)}.`,
    ...(fields.length > 0 ? [renderTable(["Field", "In", "Type", "Meaning"], fields)] : []),
  ].join("\n\n");
}

function renderAnswer({ responses }: JsonObject): string {
  const [[status, answer] = ["", null]] = Object.entries(isRecord(responses) ? responses : {});
  const content = isRecord(answer) && isRecord(answer["content"]) ? answer["content"] : {};
  const types = Object.entries(content).map(([type, media]) => {
    const schema = isRecord(media) ? media["schema"] : null;
    return type === "application/json" && isRecord(schema) && "$ref" in schema ? typeName(schema) : `\`${type}\``;
  });
  return `${status} with ${types.join(", or ")}`;
}

function parameterRows({ parameters }: JsonObject): string[][] {
  return (Array.isArray(parameters) ? parameters : []).filter(isRecord).map((parameter) => {
    const { name, in: place, description, required, schema } = parameter;
    return fieldRow(plain(name), plain(place), isRecord(schema) ? { ...schema, description } : {}, required === true);
  });
}

function bodyRows({ requestBody }: JsonObject): string[][] {
  const content = isRecord(requestBody) ? requestBody["content"] : null;
  const media = isRecord(content) ? content["application/json"] : null;
  const schema = isRecord(media) ? media["schema"] : null;
  return isRecord(schema) ? propertyRows(schema, "body") : [];
}

function propertyRows({ properties, required }: Record<string, unknown>, place: string): string[][] {
  const named = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) =>
    fieldRow(name, place, isRecord(property) ? property : {}, named.has(name)),
  );
}

function fieldRow(name: string, place: string, schema: Record<string, unknown>, isRequired: boolean): string[] {
  const { description = "", default: byDefault } = schema;
  const notes = [plain(description), bounds(schema)].filter(Boolean).join("; ");
  const absent = byDefault === undefined ? "" : ` (default \`${JSON.stringify(byDefault)}\`)`;
  return [`\`${name}\`${isRequired ? " *" : ""}`, place, typeName(schema), `${notes}${absent}`.trim()];
}

function bounds({ minimum, maximum }: Record<string, unknown>): string {
  if (minimum === undefined) return "";
  return maximum === undefined ? `from ${plain(minimum)}` : `${plain(minimum)} to ${plain(maximum)}`;
}

/** A schema in a few words. */
function typeName(schema: Record<string, unknown>): string {
  const { $ref: reference, enum: words, anyOf, type, items, format } = schema;
  if (typeof reference === "string") return `[${nameOf(reference)}](#${nameOf(reference).toLowerCase()})`;
  if (Array.isArray(words)) return words.map((word) => `\`${plain(word)}\``).join(", ");
  if (Array.isArray(anyOf)) return [...new Set(anyOf.filter(isRecord).map(typeName))].join(" or ");
  if (Array.isArray(type)) return type.join(" or ");
  if (type === "array") return `list of ${isRecord(items) ? typeName(items) : "any JSON"}`;
  return typeof type === "string" ? `${type}${typeof format === "string" ? ` (${format})` : ""}` : "any JSON";
}

/** A text as it is, anything else as JSON. */
function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function renderSchemas({ components }: OpenApi): string {
  const sections = Object.entries(components.schemas).map(([name, schema]) => {
    const rows = propertyRows(schema, "").map(([field = "", , type = "", meaning = ""]) => [field, type, meaning]);
    return `### ${name}\n\n${renderTable(["Field", "Type", "Meaning"], rows)}`;
  });
  return ["## Shapes", "Fields with * are always there.", ...sections].join("\n\n");
}

function renderErrors(): string {
  const rows = Object.entries(errorStatus).map(([code, status]) => [`\`${code}\``, plain(status)]);
  return `## Error codes\n\n${renderTable(["Code", "Status"], rows)}`;
}

function renderTable(head: readonly string[], rows: readonly string[][]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}
