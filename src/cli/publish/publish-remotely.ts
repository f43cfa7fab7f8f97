import { isDeepStrictEqual } from "node:util";
import type { PublishedFile, PublishResult } from "../../contract/control.ts";
import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import type { DeployedWorkflowBody, SavedWorkflow, WorkflowDetail, WorkflowList } from "../../contract/workflow-api.ts";
import { CliError } from "../cli-error.ts";
import type { Client } from "../client.ts";
import type { ReadWorkflow, Wiring } from "../wiring.ts";
import type { WorkflowFile } from "../workflow-files.ts";
import { callTool } from "./call-tool.ts";
import { issuesOf, locateIssues, newIssue } from "./remote-issues.ts";

export type RemoteRequest = {
  files: readonly WorkflowFile[];
  check: boolean;
  slug: string | undefined;
  allowBreaking: boolean;
  /** Told of each file when it is done: each takes several calls, and there may be many. */
  onFile: (file: string, outcome: "failed" | "unchanged" | "published") => void;
};

type Read = { file: string; read: ReadWorkflow; definition: WorkflowDefinition & { slug: string } };
type Row = Omit<PublishedFile, "archived_version" | "webhook_url">;
type Outcome =
  | { kind: "failed"; issues: Issue[] }
  | { kind: "unchanged"; row: Row }
  | { kind: "published"; row: Row; archivedVersion: number | null };

/**
 * Publishes files on another daemon through the workflow tools of MCP, in the shape that the daemon here answers with.
 * Callable workflows alone (contract 10): the others fail and say why. A refused key or a lost daemon is thrown.
 */
export async function publishRemotely(client: Client, wiring: Wiring, request: RemoteRequest): Promise<PublishResult> {
  if (request.slug !== undefined && request.files.length > 1) {
    throw new CliError("usage", "A slug names the action of one file: publish the files one by one.");
  }
  const result: PublishResult = { published: [], unchanged: [], failed: [] };
  for (const { shown: file, text } of request.files) {
    const read = await wiring.readWorkflow(file, text);
    const outcome = await publishOne(client, request, file, read);
    request.onFile(file, outcome.kind);
    if (outcome.kind === "failed") result.failed.push({ file, issues: outcome.issues });
    else if (outcome.kind === "unchanged") result.unchanged.push({ ...outcome.row, webhook_url: null });
    else result.published.push({ ...outcome.row, archived_version: outcome.archivedVersion, webhook_url: null });
  }
  return result;
}

async function publishOne(client: Client, request: RemoteRequest, file: string, read: ReadWorkflow): Promise<Outcome> {
  const { definition, issues } = read;
  const slug = definition?.slug ?? request.slug;
  if (!definition || issues.some(({ severity }) => severity === "error")) return { kind: "failed", issues };
  if (definition.nodes.some(({ type }) => type === "trigger")) {
    const message =
      "Event-driven workflows cannot be published over --url: run stepgate publish on the machine of that daemon";
    return { kind: "failed", issues: [...issues, newIssue("event_driven", message)] };
  }
  if (slug === undefined) {
    const message = "A callable workflow needs a slug: write it into the file, or give --slug SLUG";
    return { kind: "failed", issues: [...issues, newIssue("missing_slug", message, "/slug")] };
  }
  try {
    return await publishValid(client, request, { file, read, definition: { ...definition, slug } });
  } catch (error) {
    // What is wrong with the file is the file's; what is wrong with the key or the daemon ends the whole command.
    if (!(error instanceof CliError) || !fileErrors.has(error.extra.code ?? "")) throw error;
    return { kind: "failed", issues: locateIssues(read, [...issues, ...issuesOf(error, definition)]) };
  }
}

const fileErrors = new Set(["BAD_REQUEST", "SLUG_TAKEN", "CONFLICT", "WORKFLOW_NOT_FOUND", "INPUT_VALIDATION_FAILED"]);

async function publishValid(
  client: Client,
  request: RemoteRequest,
  { file, read, definition }: Read,
): Promise<Outcome> {
  const known = await findWorkflow(client, read.id, definition.slug);
  const deployed = known?.deployed_version ?? null;
  if (known && deployed !== null && (await isDeployed(client, known.workflow_id, deployed, definition))) {
    const row = {
      file,
      workflow_id: known.workflow_id,
      type: "callable" as const,
      slug: definition.slug,
      version: deployed,
    };
    return { kind: "unchanged", row: { ...row, warnings: locateIssues(read, read.issues) } };
  }
  const checked = await save(client, definition, known, true);
  const warnings = locateIssues(read, [...read.issues, ...checked.warnings, ...keptFields(known, definition)]);
  if (!checked.valid) return { kind: "failed", issues: locateIssues(read, [...read.issues, ...checked.errors]) };
  const row = { file, type: "callable" as const, slug: definition.slug, warnings };
  if (request.check) {
    const id = known?.workflow_id ?? "00000000-0000-0000-0000-000000000000";
    return {
      kind: "published",
      row: { ...row, workflow_id: id, version: (deployed ?? 0) + 1 },
      archivedVersion: deployed,
    };
  }
  const { workflow_id: id, version } = await deploy(client, request, definition, known);
  return { kind: "published", row: { ...row, workflow_id: id, version }, archivedVersion: deployed };
}

/** The workflow that a file stands for: by its id, else by the slug of its action. */
async function findWorkflow(client: Client, id: string | null, slug: string): Promise<WorkflowDetail | null> {
  if (id !== null) return callTool<WorkflowDetail>(client, "get_workflow", { workflow_id: id });
  for (let offset = 0; ; offset += 100) {
    const list = await callTool<WorkflowList>(client, "list_workflows", { query: slug, limit: 100, offset });
    const found = list.workflows.find(({ action_slug: own }) => own === slug);
    if (found) return callTool<WorkflowDetail>(client, "get_workflow", { workflow_id: found.workflow_id });
    if (offset + 100 >= list.total) return null;
  }
}

async function isDeployed(
  client: Client,
  workflow_id: string,
  version: number,
  definition: WorkflowDefinition,
): Promise<boolean> {
  const deployed = await callTool<WorkflowDetail>(client, "get_workflow", { workflow_id, version });
  return isDeepStrictEqual(deployed.definition, JSON.parse(JSON.stringify(definition)));
}

/** Saves a definition as a draft, or only checks it. */
async function save(
  client: Client,
  definition: WorkflowDefinition,
  known: WorkflowDetail | null,
  validateOnly: boolean,
): Promise<SavedWorkflow> {
  const { name, description = "" } = definition;
  const fields = {
    name,
    definition,
    validate_only: validateOnly,
    ...(description || known?.description ? { description } : {}),
  };
  if (!known) return callTool<SavedWorkflow>(client, "create_workflow", fields);
  const { workflow_id, revision } = known;
  return callTool<SavedWorkflow>(client, "update_workflow", { workflow_id, expected_revision: revision, ...fields });
}

/** A workflow that was created for this and can't be deployed is taken away again. */
async function deploy(
  client: Client,
  { allowBreaking }: RemoteRequest,
  definition: WorkflowDefinition & { slug: string },
  known: WorkflowDetail | null,
): Promise<DeployedWorkflowBody> {
  const saved = await save(client, definition, known, false);
  const { slug, approval_policy } = definition;
  const id = saved.workflow_id ?? known?.workflow_id;
  try {
    const request = { workflow_id: id, slug, approval_policy, allow_breaking: allowBreaking };
    return await callTool<DeployedWorkflowBody>(client, "deploy_workflow", request);
  } catch (error) {
    if (!known) await callTool(client, "delete_workflow", { workflow_id: id }).catch(() => undefined);
    throw error;
  }
}

/** Saving over the tools leaves a field as it is that the definition no longer has. */
function keptFields(known: WorkflowDetail | null, definition: WorkflowDefinition): Issue[] {
  const optional = ["concurrency", "on_failure"] as const;
  return optional
    .filter((field) => known?.definition[field] !== undefined && definition[field] === undefined)
    .map((field) => ({
      ...newIssue(
        "kept_field",
        `${field} stays as the daemon has it: over --url it can be changed, not taken away`,
        `/${field}`,
      ),
      severity: "warning" as const,
    }));
}
