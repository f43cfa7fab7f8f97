import { ApiError } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import type { RunList } from "../../contract/run.ts";
import type { Request } from "../operation.ts";
import type { Era } from "./era.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";
import type { Toolbox } from "./toolbox.ts";

const mimeType = "application/json";

type Template = {
  uriTemplate: string;
  name: string;
  title: string;
  description: string;
  pattern: RegExp;
  /** Reads the same, under the same scope; the template is there when the caller sees it. */
  tool: string;
  args(id: string): Record<string, unknown>;
};

const templates: readonly Template[] = [
  {
    uriTemplate: "run://{run_id}",
    name: "run",
    title: "Run",
    description: "A run with its status, output or error and steps",
    pattern: /^run:\/\/([^/]+)$/,
    tool: "get_run_status",
    args: (id) => ({ run_id: id }),
  },
  {
    uriTemplate: "run://{run_id}/journal",
    name: "run_journal",
    title: "Journal of a run",
    description: "The first 1,000 events of a run's journal",
    pattern: /^run:\/\/([^/]+)\/journal$/,
    tool: "get_run_events",
    args: (id) => ({ run_id: id, limit: 1000 }),
  },
  {
    uriTemplate: "action://{slug}",
    name: "action",
    title: "Action",
    description: "An action with the schemas of its input and output",
    pattern: /^action:\/\/([^/]+)$/,
    tool: "get_action",
    args: (id) => ({ slug: id }),
  },
  {
    uriTemplate: "workflow://{workflow_id}",
    name: "workflow",
    title: "Workflow",
    description: "A workflow with its definition and versions",
    pattern: /^workflow:\/\/([^/]+)$/,
    tool: "get_workflow",
    args: (id) => ({ workflow_id: id }),
  },
];

/** How many runs are listed: what a person picks from. */
const listedRuns = 20;

/** The templates that the caller may read, as `resources/templates/list` shows them. */
export function listTemplates(tools: ReadonlySet<string>): object[] {
  return templates
    .filter(({ tool }) => tools.has(tool))
    .map(({ uriTemplate, name, title, description }) => ({ uriTemplate, name, title, description, mimeType }));
}

/** Names of the parts of a template that the caller may read; throws invalidParams for any other. */
export function findTemplate(tools: ReadonlySet<string>, uriTemplate: string): string[] {
  const found = templates.find((template) => template.uriTemplate === uriTemplate && tools.has(template.tool));
  if (!found) throw new RpcError(rpcCodes.invalidParams, `Unknown resource template: ${uriTemplate.slice(0, 100)}`);
  return [...found.uriTemplate.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
}

/** The latest runs, newest first; none for a caller who may not read runs. */
export async function listResources(toolbox: Toolbox, request: Request): Promise<object[]> {
  if (!toolbox.names(request.caller.scopes, "fixed").has("list_runs")) return [];
  // The body of GET /runs.
  const { runs } = (await toolbox.call(request, "fixed", "list_runs", { limit: listedRuns })) as RunList;
  return runs.map(({ run_id: id, action_slug: slug, status, created_at: createdAt }) => ({
    uri: `run://${id}`,
    name: id,
    title: `${slug ?? "run"} ${status}`,
    description: `Created ${createdAt}`,
    mimeType,
  }));
}

/** The contents of a resource, redacted as the REST body is. What is not there is an error of the protocol. */
export async function readResource(toolbox: Toolbox, request: Request, uri: string, era: Era): Promise<object[]> {
  const body = await readUri(toolbox, request, uri, era);
  return [{ uri, mimeType, text: JSON.stringify(body) }];
}

async function readUri(toolbox: Toolbox, request: Request, uri: string, era: Era): Promise<Json> {
  for (const { pattern, tool, args } of templates) {
    const id = pattern.exec(uri)?.[1];
    if (id === undefined || !toolbox.has(tool)) continue;
    try {
      return await toolbox.call(request, "fixed", tool, args(decode(id)));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) throw notFound(uri, era, error);
      throw error;
    }
  }
  throw notFound(uri, era);
}

function notFound(uri: string, era: Era, cause?: ApiError): RpcError {
  const code = era === "modern" ? rpcCodes.invalidParams : rpcCodes.resourceNotFound;
  return new RpcError(code, cause?.message ?? "Resource not found", { data: { uri, ...cause?.body() } });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
