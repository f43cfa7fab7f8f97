import type { PublishResult, PublishedFile, publishRequest } from "../contract/control.ts";
import { ApiError } from "../contract/errors.ts";
import type { Issue, WorkflowDefinition } from "../contract/workflow.ts";
import type * as z from "zod";
import { scriptIssue } from "../engine/checks/check-scripts.ts";
import { deriveType } from "../engine/definition/derive-schemas.ts";
import { errorAt } from "../engine/definition/issue.ts";
import { type ParsedWorkflow, parseWorkflowFile } from "../engine/definition/parse-workflow.ts";
import { type PublishOutcome, publishWorkflow } from "../engine/publish.ts";
import { isPushed } from "../engine/events/event-source.ts";
import type { Services } from "../engine/services.ts";

export type PublishFiles = z.output<typeof publishRequest>;

/** Whose files they are, and where senders reach a webhook. */
export type PublishPlace = { workspaceId: number; userId: string; webhookUrl(subscriptionId: string): string };

type ReadFile = ParsedWorkflow & { file: string };

/**
 * Publishes workflow files one after the other; one that fails keeps none of the others back. Two files that stand for
 * the same workflow both fail (contract 2). Every issue has its line and column.
 */
export async function publishFiles(
  services: Services,
  { workspaceId, userId, webhookUrl }: PublishPlace,
  request: PublishFiles,
): Promise<PublishResult> {
  if (request.slug !== undefined && request.files.length > 1) {
    throw new ApiError("BAD_REQUEST", "A slug names the action of one file: publish the files one by one");
  }
  if (request.rename_from !== undefined && request.files.length > 1) {
    throw new ApiError("BAD_REQUEST", "A rename is that of one file: publish the files one by one");
  }
  const files = request.files.map(({ file, text }) => readFile(file, text, request.slug));
  const twins = await findTwins(services, workspaceId, files);
  const result: PublishResult = { published: [], unchanged: [], failed: [] };
  for (const file of files) {
    const outcome = await publishFile(services, { workspaceId, userId }, request, file, twins.get(file) ?? []);
    await addOutcome(services, { workspaceId, userId, webhookUrl }, result, file, outcome);
  }
  return result;
}

function readFile(file: string, text: string, slug: string | undefined): ReadFile {
  const parsed = parseWorkflowFile(text, /\.json$/i.test(file) ? "json" : "yaml");
  const { definition } = parsed;
  if (!definition || slug === undefined || definition.slug !== undefined) return { ...parsed, file };
  return { ...parsed, file, definition: { ...definition, slug } };
}

/** Issues of the files that say to be the same workflow; one may name its id and another its slug. */
async function findTwins(
  { store }: Services,
  workspaceId: number,
  files: readonly ReadFile[],
): Promise<Map<ReadFile, Issue[]>> {
  const named = await Promise.all(
    files.map(async (file) => {
      const { id, definition } = file;
      const identity = definition && identify(id, definition);
      if (!identity) return [];
      const workflow = await store.findWorkflow(workspaceId, lookUpBy(id, definition));
      return [{ file, ...identity, key: workflow?.id ?? `${identity.path} ${identity.value}` }];
    }),
  );
  const groups = Map.groupBy(named.flat(), ({ key }) => key);
  const twins = [...groups.values()].filter((group) => group.length > 1);
  return new Map(
    twins.flatMap((group) => {
      const names = group.map(({ file }) => file.file).join(", ");
      return group.map(({ file, path, value }): [ReadFile, Issue[]] => {
        const message = `${names} all stand for the workflow ${value}: give each its own ${path.slice(1)}`;
        return [file, [errorAt({ path }, "duplicate_workflow", message)]];
      });
    }),
  );
}

/** What a file is known by: its id, else the slug (callable) or the name (event-driven). */
function identify(id: string | null, definition: WorkflowDefinition): { path: string; value: string } | null {
  if (id !== null) return { path: "/id", value: id };
  if (deriveType(definition) === "event_driven") return { path: "/name", value: definition.name };
  return definition.slug === undefined ? null : { path: "/slug", value: definition.slug };
}

async function publishFile(
  services: Services,
  owner: { workspaceId: number; userId: string },
  request: PublishFiles,
  { file, definition, id, issues, locate }: ReadFile,
  twins: readonly Issue[],
): Promise<PublishOutcome> {
  const found = [...issues, ...twins];
  if (!definition) return { kind: "failed", issues: found };
  const isRefused = found.some((issue) => issue.severity === "error");
  try {
    const outcome = await publishWorkflow(services, {
      ...owner,
      definition,
      id,
      sourcePath: file,
      allowBreaking: request.allow_breaking,
      asNew: request.as_new,
      renameFrom: request.rename_from ?? null,
      // A file that fails already is checked through, so that all its problems are told at once.
      checkOnly: request.check || isRefused,
    });
    const all = [...found, ...outcome.issues.map((issue) => locateScript(issue, locate))];
    return isRefused ? { kind: "failed", issues: all } : { ...outcome, issues: all };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "INTERNAL_ERROR") throw error;
    return { kind: "failed", issues: [...found, errorAt({ path: "/slug" }, error.code.toLowerCase(), error.message)] };
  }
}

/** Issues of a script come with their place in it. */
function locateScript(issue: Issue, locate: ParsedWorkflow["locate"]): Issue {
  const { code, path, line, column } = issue;
  if (code !== scriptIssue || line === null || column === null) return issue;
  return { ...issue, ...locate(path, { line, column }) };
}

async function addOutcome(
  services: Services,
  place: PublishPlace,
  result: PublishResult,
  { file, definition, id, locate }: ReadFile,
  outcome: PublishOutcome,
): Promise<void> {
  const issues = outcome.issues.map((issue) => (issue.line === null ? { ...issue, ...locate(issue.path) } : issue));
  if (outcome.kind === "failed") {
    result.failed.push({ file, issues });
    return;
  }
  if (outcome.kind === "valid") {
    if (definition)
      result.published.push({ file, ...(await foresee(services, place, id, definition)), warnings: issues });
    return;
  }
  const { workflowId, type, slug, version, archivedVersion } = outcome;
  const webhook_url = type === "callable" ? null : await findWebhookUrl(services, place, workflowId);
  const row = { file, workflow_id: workflowId, type, slug, version, webhook_url, warnings: issues };
  if (outcome.kind === "unchanged") result.unchanged.push(row);
  else result.published.push({ ...row, archived_version: archivedVersion });
}

async function findWebhookUrl(
  services: Services,
  { workspaceId, webhookUrl }: PublishPlace,
  workflowId: string,
): Promise<string | null> {
  const trigger = await services.store.findTrigger(workspaceId, workflowId);
  if (!trigger || trigger.kind === "schedule") return null;
  return trigger.kind === "webhook" || (await isPushed(services, trigger)) ? webhookUrl(trigger.id) : null;
}

/** Stands for the id of a workflow that a check alone does not create. */
const noId = "00000000-0000-0000-0000-000000000000";

/** What publishing a checked file would make. */
async function foresee(
  services: Services,
  place: PublishPlace,
  id: string | null,
  definition: WorkflowDefinition,
): Promise<Omit<PublishedFile, "file" | "warnings">> {
  const { store } = services;
  const workflow = await store.findWorkflow(place.workspaceId, lookUpBy(id, definition));
  const deployed = workflow && (await store.findDeployedVersion(workflow.id));
  const slug = definition.slug ?? workflow?.slug ?? null;
  const type = deriveType(definition);
  return {
    workflow_id: workflow?.id ?? noId,
    type,
    slug: type === "callable" ? slug : null,
    version: deployed ? deployed.version + 1 : 1,
    archived_version: deployed ? deployed.version : null,
    // Of a new one nobody knows its address yet.
    webhook_url: workflow && type === "event_driven" ? await findWebhookUrl(services, place, workflow.id) : null,
  };
}

function lookUpBy(id: string | null, definition: WorkflowDefinition): Parameters<Services["store"]["findWorkflow"]>[1] {
  if (id !== null) return { id };
  const { name, slug } = definition;
  const type = deriveType(definition);
  return type === "callable" && slug !== undefined ? { slug } : { name, type };
}
