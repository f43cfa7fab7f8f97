import type { Command, CommandGroup } from "../command.ts";
import { actionsArchive, actionsPause, actionsResume } from "./actions-change.ts";
import { actionsList } from "./actions-list.ts";
import { actionsSchema } from "./actions-schema.ts";
import { actionsShow } from "./actions-show.ts";
import { approvalsList } from "./approvals-list.ts";
import { approvalsShow } from "./approvals-show.ts";
import { approvalsWatch } from "./approvals-watch.ts";
import { auditList } from "./audit-list.ts";
import { breakersList } from "./breakers-list.ts";
import { breakersReset } from "./breakers-reset.ts";
import { cancel } from "./cancel.ts";
import { completion } from "./completion.ts";
import { configEdit } from "./config-edit.ts";
import { configGet } from "./config-get.ts";
import { configList } from "./config-list.ts";
import { configPath } from "./config-path.ts";
import { configSet, configUnset } from "./config-set.ts";
import { connectionsAdd } from "./connections-add.ts";
import { connectionsList } from "./connections-list.ts";
import { connectionsReauthorize } from "./connections-reauthorize.ts";
import { connectionsRemove } from "./connections-remove.ts";
import { connectionsRename } from "./connections-rename.ts";
import { connectionsShow } from "./connections-show.ts";
import { connectionsTest } from "./connections-test.ts";
import { connectionsUpdate } from "./connections-update.ts";
import { approve, reject } from "./decide.ts";
import { connectorsBuild } from "./connectors-build.ts";
import { connectorsList } from "./connectors-list.ts";
import { connectorsRemove } from "./connectors-remove.ts";
import { connectorsShow } from "./connectors-show.ts";
import { connectorsValidate } from "./connectors-validate.ts";
import { dbBackup } from "./db-backup.ts";
import { dbMigrate } from "./db-migrate.ts";
import { dbPath } from "./db-path.ts";
import { dbRestore } from "./db-restore.ts";
import { dbVacuum } from "./db-vacuum.ts";
import { serviceInstall, servicePrint, serviceUninstall } from "./service.ts";
import { dev } from "./dev.ts";
import { filesGet } from "./files-get.ts";
import { incidentsList } from "./incidents-list.ts";
import { deliveriesList } from "./deliveries-list.ts";
import { deliveriesRedeliver } from "./deliveries-redeliver.ts";
import { doctor } from "./doctor.ts";
import { init } from "./init.ts";
import { keysList } from "./keys-list.ts";
import { keysMint } from "./keys-mint.ts";
import { keysRevoke } from "./keys-revoke.ts";
import { keysRotate } from "./keys-rotate.ts";
import { keysShow } from "./keys-show.ts";
import { mcpHeaders } from "./mcp-headers.ts";
import { mcpInstall } from "./mcp-install.ts";
import { mcpPrint } from "./mcp-print.ts";
import { mcpStdio } from "./mcp-stdio.ts";
import { mcpTools } from "./mcp-tools.ts";
import { mcpUninstall } from "./mcp-uninstall.ts";
import { publish } from "./publish.ts";
import { replay } from "./replay.ts";
import { run } from "./run.ts";
import { runsDelete } from "./runs-delete.ts";
import { runsDiff } from "./runs-diff.ts";
import { runsJournal } from "./runs-journal.ts";
import { runsList } from "./runs-list.ts";
import { runsFiles } from "./runs-files.ts";
import { runsLogs } from "./runs-logs.ts";
import { runsOutput } from "./runs-output.ts";
import { runsShow } from "./runs-show.ts";
import { runsWatch } from "./runs-watch.ts";
import { secretsList } from "./secrets-list.ts";
import { secretsRemove } from "./secrets-remove.ts";
import { secretsSet } from "./secrets-set.ts";
import { restart } from "./restart.ts";
import { serve } from "./serve.ts";
import { start } from "./start.ts";
import { logs } from "./logs.ts";
import { status } from "./status.ts";
import { stop } from "./stop.ts";
import { varsList } from "./vars-list.ts";
import { varsRemove } from "./vars-remove.ts";
import { varsSet } from "./vars-set.ts";
import { test } from "./test.ts";
import { triggersFire } from "./triggers-fire.ts";
import { triggersList } from "./triggers-list.ts";
import { triggersListen } from "./triggers-listen.ts";
import { triggersPreview } from "./triggers-preview.ts";
import { triggersSecret } from "./triggers-secret.ts";
import { triggersDisable, triggersEnable, triggersShow, triggersUrl } from "./triggers-show.ts";
import { ui } from "./ui.ts";
import { version } from "./version.ts";
import { workflowsDelete } from "./workflows-delete.ts";
import { workflowsDiff } from "./workflows-diff.ts";
import { workflowsExport } from "./workflows-export.ts";
import { workflowsGraph } from "./workflows-graph.ts";
import { workflowsList } from "./workflows-list.ts";
import { workflowsRollback } from "./workflows-rollback.ts";
import { workflowsRun } from "./workflows-run.ts";
import { workflowsShow } from "./workflows-show.ts";
import { workflowsValidate } from "./workflows-validate.ts";
import { workflowsVersions } from "./workflows-versions.ts";
import { workspaceCreate } from "./workspace-create.ts";
import { workspaceList } from "./workspace-list.ts";
import { workspaceSetTier } from "./workspace-set-tier.ts";

/** Every command there is, in the order of the help. */
export const commands: readonly (Command | CommandGroup)[] = [
  init,
  dev,
  serve,
  start,
  stop,
  restart,
  status,
  logs,
  ui,
  publish,
  test,
  run,
  approve,
  reject,
  cancel,
  replay,
  {
    name: "runs",
    summary: "list, read, watch and delete runs",
    commands: [runsList, runsShow, runsWatch, runsJournal, runsOutput, runsLogs, runsFiles, runsDiff, runsDelete],
  },
  { name: "files", alias: "file", summary: "get files that runs refer to", commands: [filesGet] },
  {
    name: "actions",
    alias: "action",
    summary: "list and read actions",
    commands: [actionsList, actionsShow, actionsSchema, actionsPause, actionsResume, actionsArchive],
  },
  {
    name: "workflows",
    alias: "workflow",
    summary: "list, read, check and change workflows",
    commands: [
      workflowsList,
      workflowsShow,
      workflowsGraph,
      workflowsValidate,
      workflowsVersions,
      workflowsDiff,
      workflowsRollback,
      workflowsExport,
      workflowsRun,
      workflowsDelete,
    ],
  },
  {
    name: "triggers",
    alias: "trigger",
    summary: "see what starts event-driven workflows",
    commands: [
      triggersList,
      triggersShow,
      triggersUrl,
      triggersEnable,
      triggersDisable,
      triggersFire,
      triggersPreview,
      triggersSecret,
      triggersListen,
    ],
  },
  {
    name: "deliveries",
    alias: "delivery",
    summary: "read what came to webhooks, and deliver it again",
    commands: [deliveriesList, deliveriesRedeliver],
  },
  {
    name: "approvals",
    alias: "approval",
    summary: "list and read requests for approval",
    commands: [approvalsList, approvalsShow, approvalsWatch],
  },
  { name: "incidents", alias: "incident", summary: "list failures of workflows", commands: [incidentsList] },
  {
    name: "breakers",
    alias: "breaker",
    summary: "list circuit breakers and reset them",
    commands: [breakersList, breakersReset],
  },
  { name: "audit", summary: "read the audit log", commands: [auditList] },
  {
    name: "keys",
    alias: "key",
    summary: "mint, list, rotate and revoke API keys",
    commands: [keysMint, keysList, keysShow, keysRotate, keysRevoke],
  },
  {
    name: "connectors",
    alias: "connector",
    summary: "see what connectors can do, and build them",
    commands: [connectorsList, connectorsShow, connectorsBuild, connectorsValidate, connectorsRemove],
  },
  {
    name: "connections",
    alias: "connection",
    summary: "make, test and change connections to services",
    commands: [
      connectionsAdd,
      connectionsList,
      connectionsShow,
      connectionsTest,
      connectionsUpdate,
      connectionsReauthorize,
      connectionsRename,
      connectionsRemove,
    ],
  },
  {
    name: "vars",
    alias: "var",
    summary: "set the variables that templates read",
    commands: [varsSet, varsList, varsRemove],
  },
  {
    name: "secrets",
    alias: "secret",
    summary: "set the secrets that templates read",
    commands: [secretsSet, secretsList, secretsRemove],
  },
  {
    name: "workspace",
    alias: "workspaces",
    summary: "make workspaces and set their tiers",
    commands: [workspaceList, workspaceCreate, workspaceSetTier],
  },
  {
    name: "mcp",
    summary: "connect AI agents to this daemon",
    commands: [mcpInstall, mcpUninstall, mcpPrint, mcpStdio, mcpHeaders, mcpTools],
  },
  {
    name: "config",
    summary: "read and change settings",
    commands: [configList, configGet, configSet, configUnset, configPath, configEdit],
  },
  {
    name: "db",
    summary: "back up, restore and care for the database",
    commands: [dbPath, dbMigrate, dbBackup, dbRestore, dbVacuum],
  },
  {
    name: "service",
    summary: "have the system start the daemon",
    commands: [serviceInstall, serviceUninstall, servicePrint],
  },
  completion,
  doctor,
  version,
];
