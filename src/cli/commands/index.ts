import type { Command, CommandGroup } from "../command.ts";
import { actionsArchive, actionsPause, actionsResume } from "./actions-change.ts";
import { actionsList } from "./actions-list.ts";
import { actionsShow } from "./actions-show.ts";
import { approvalsList } from "./approvals-list.ts";
import { approvalsShow } from "./approvals-show.ts";
import { auditList } from "./audit-list.ts";
import { cancel } from "./cancel.ts";
import { approve, reject } from "./decide.ts";
import { incidentsList } from "./incidents-list.ts";
import { doctor } from "./doctor.ts";
import { keysList } from "./keys-list.ts";
import { keysMint } from "./keys-mint.ts";
import { keysRevoke } from "./keys-revoke.ts";
import { keysRotate } from "./keys-rotate.ts";
import { keysShow } from "./keys-show.ts";
import { mcpInstall } from "./mcp-install.ts";
import { mcpPrint } from "./mcp-print.ts";
import { mcpStdio } from "./mcp-stdio.ts";
import { publish } from "./publish.ts";
import { replay } from "./replay.ts";
import { run } from "./run.ts";
import { runsDiff } from "./runs-diff.ts";
import { runsJournal } from "./runs-journal.ts";
import { runsList } from "./runs-list.ts";
import { runsLogs } from "./runs-logs.ts";
import { runsOutput } from "./runs-output.ts";
import { runsShow } from "./runs-show.ts";
import { serve } from "./serve.ts";
import { status } from "./status.ts";
import { stop } from "./stop.ts";
import { version } from "./version.ts";
import { workflowsDelete } from "./workflows-delete.ts";
import { workflowsGraph } from "./workflows-graph.ts";
import { workflowsList } from "./workflows-list.ts";
import { workflowsShow } from "./workflows-show.ts";
import { workflowsVersions } from "./workflows-versions.ts";
import { workspaceCreate } from "./workspace-create.ts";
import { workspaceList } from "./workspace-list.ts";
import { workspaceSetTier } from "./workspace-set-tier.ts";

/** Every command there is, in the order of the help. */
export const commands: readonly (Command | CommandGroup)[] = [
  serve,
  stop,
  status,
  publish,
  run,
  approve,
  reject,
  cancel,
  replay,
  {
    name: "runs",
    summary: "list and read runs",
    commands: [runsList, runsShow, runsJournal, runsOutput, runsLogs, runsDiff],
  },
  {
    name: "actions",
    alias: "action",
    summary: "list and read actions",
    commands: [actionsList, actionsShow, actionsPause, actionsResume, actionsArchive],
  },
  {
    name: "workflows",
    alias: "workflow",
    summary: "list, read and delete workflows",
    commands: [workflowsList, workflowsShow, workflowsGraph, workflowsVersions, workflowsDelete],
  },
  {
    name: "approvals",
    alias: "approval",
    summary: "list and read requests for approval",
    commands: [approvalsList, approvalsShow],
  },
  { name: "incidents", alias: "incident", summary: "list failures of workflows", commands: [incidentsList] },
  { name: "audit", summary: "read the audit log", commands: [auditList] },
  {
    name: "keys",
    alias: "key",
    summary: "mint, list, rotate and revoke API keys",
    commands: [keysMint, keysList, keysShow, keysRotate, keysRevoke],
  },
  {
    name: "workspace",
    alias: "workspaces",
    summary: "make workspaces and set their tiers",
    commands: [workspaceList, workspaceCreate, workspaceSetTier],
  },
  { name: "mcp", summary: "connect AI agents to this daemon", commands: [mcpInstall, mcpPrint, mcpStdio] },
  doctor,
  version,
];
