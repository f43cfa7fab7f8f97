import type { Action } from "../../contract/action.ts";
import type { ConnectorList } from "../../contract/connector-api.ts";
import type { KeyList } from "../../contract/key.ts";
import type { RunList } from "../../contract/run.ts";
import type { TriggerList } from "../../contract/trigger.ts";
import type { WorkflowList } from "../../contract/workflow-api.ts";
import type { WorkspaceList } from "../../contract/workspace.ts";
import { readSettingTable } from "../config/setting-row.ts";
import type { Context } from "../context.ts";
import { runtimePath } from "../find-run.ts";
import { helpTopics } from "../help-topics.ts";

/** A word that can be completed to, and what it is. */
export type Candidate = { value: string; description: string };

/** Where values come from that no table of the program knows. */
export type Source = (context: Context) => Promise<Candidate[]>;

const readRuns = (query: Record<string, string>): Source => {
  return async ({ runtime }) => {
    const { runs } = await (await runtime()).get<RunList>(`${runtimePath}/runs`, { limit: 50, ...query });
    return runs.map(({ run_id, action_slug, status }) => ({
      value: run_id,
      description: [action_slug, status].filter(Boolean).join(" "),
    }));
  };
};

const readActions: Source = async ({ runtime }) => {
  const { actions } = await (await runtime()).get<{ actions: Action[] }>(`${runtimePath}/actions`);
  return actions.map(({ slug, name }) => ({ value: slug, description: name }));
};

const readWorkflows: Source = async ({ control }) => {
  const { workflows } = await (await control()).get<WorkflowList>("/control/workflows", { limit: 100 });
  return workflows.map(({ workflow_id, action_slug, name }) => ({
    value: action_slug ?? workflow_id,
    description: name,
  }));
};

const readKeys: Source = async ({ control }) => {
  const { keys } = await (await control()).get<KeyList>("/control/keys");
  const active = keys.filter(({ is_active: isActive }) => isActive);
  return active.map(({ prefix, name }) => ({ value: prefix, description: name }));
};

const readNames =
  (path: string, list: string): Source =>
  async ({ control }) => {
    const body = await (await control()).get<Record<string, { name: string; connector?: string }[]>>(path);
    return (body[list] ?? []).map(({ name, connector = "" }) => ({ value: name, description: connector }));
  };

const readConnectors: Source = async ({ control }) => {
  const { connectors } = await (await control()).get<ConnectorList>("/control/connectors");
  return connectors.map(({ connector_id, name }) => ({ value: connector_id, description: name }));
};

const readTriggers: Source = async ({ control }) => {
  const { triggers } = await (await control()).get<TriggerList>("/control/triggers");
  return triggers.map(({ subscription_id, workflow_name }) => ({ value: subscription_id, description: workflow_name }));
};

const readWorkspaces: Source = async ({ control }) => {
  const { workspaces } = await (await control()).get<WorkspaceList>("/control/workspaces");
  return workspaces.map(({ name, tier }) => ({ value: name, description: tier }));
};

const readSettings: Source = async () => {
  const table = await readSettingTable();
  return Object.entries(table).map(([value, { summary = "" }]) => ({ value, description: summary }));
};

const readProfiles: Source = async ({ configuration }) => {
  const { profiles } = await configuration();
  return [...profiles].map(([value, { url }]) => ({ value, description: url ?? "the daemon of this machine" }));
};

const readScopes: Source = async () => {
  const { scopes } = await import("../../contract/scopes.ts");
  return scopes.map((value) => ({ value, description: "" }));
};

/** Stands for the shell's own completion of files. */
export const files: Source = async () => [];

/** What an argument or option stands for, by its key in the command: the same word means the same thing everywhere. */
const sources: Readonly<Record<string, Source>> = {
  slug: readActions,
  action: readActions,
  run: readRuns({}),
  a: readRuns({}),
  b: readRuns({}),
  approval: readRuns({ needs_approval: "true" }),
  workflow: readWorkflows,
  key: readKeys,
  connection: readNames("/control/connections", "connections"),
  connector: readConnectors,
  trigger: readTriggers,
  workspace: readWorkspaces,
  setting: readSettings,
  profile: readProfiles,
  scope: readScopes,
  topic: async () => [...helpTopics.keys()].map((value) => ({ value, description: "" })),
  ...Object.fromEntries(
    ["paths", "path", "file", "files", "dir", "store", "out", "bundle", "keyFile", "config", "junit"].map((key) => [
      key,
      files,
    ]),
  ),
};

/** Where the values of an argument or option of the command `path` come from; undefined where anything may stand. */
export function sourceOf(path: string, key: string): Source | undefined {
  if (path === "approve" || path === "reject") return key === "run" ? sources["approval"] : undefined;
  // A new slug is the user's to choose; an input is a file only behind an @.
  if (path === "publish" && key === "slug") return undefined;
  if (path.startsWith("workspace ") && path !== "workspace create" && key === "name") return sources["workspace"];
  return Object.hasOwn(sources, key) ? sources[key] : undefined;
}
