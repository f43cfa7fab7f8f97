import type { CommandTree } from "../load-commands.ts";

/** Every command there is, in the order of the help. Each file is loaded when its command is asked for. */
export const commandTree: CommandTree = {
  init: async () => (await import("./init.ts")).init,
  dev: async () => (await import("./dev.ts")).dev,
  serve: async () => (await import("./serve.ts")).serve,
  start: async () => (await import("./start.ts")).start,
  stop: async () => (await import("./stop.ts")).stop,
  restart: async () => (await import("./restart.ts")).restart,
  status: async () => (await import("./status.ts")).status,
  logs: async () => (await import("./logs.ts")).logs,
  ui: async () => (await import("./ui.ts")).ui,
  publish: async () => (await import("./publish.ts")).publish,
  test: async () => (await import("./test.ts")).test,
  run: async () => (await import("./run.ts")).run,
  approve: async () => (await import("./decide.ts")).approve,
  reject: async () => (await import("./decide.ts")).reject,
  cancel: async () => (await import("./cancel.ts")).cancel,
  replay: async () => (await import("./replay.ts")).replay,
  runs: {
    summary: "list, read, watch and delete runs",
    commands: {
      list: async () => (await import("./runs-list.ts")).runsList,
      show: async () => (await import("./runs-show.ts")).runsShow,
      watch: async () => (await import("./runs-watch.ts")).runsWatch,
      journal: async () => (await import("./runs-journal.ts")).runsJournal,
      output: async () => (await import("./runs-output.ts")).runsOutput,
      logs: async () => (await import("./runs-logs.ts")).runsLogs,
      files: async () => (await import("./runs-files.ts")).runsFiles,
      diff: async () => (await import("./runs-diff.ts")).runsDiff,
      delete: async () => (await import("./runs-delete.ts")).runsDelete,
    },
  },
  files: {
    alias: "file",
    summary: "get files that runs refer to",
    commands: {
      get: async () => (await import("./files-get.ts")).filesGet,
    },
  },
  actions: {
    alias: "action",
    summary: "list and read actions",
    commands: {
      list: async () => (await import("./actions-list.ts")).actionsList,
      show: async () => (await import("./actions-show.ts")).actionsShow,
      schema: async () => (await import("./actions-schema.ts")).actionsSchema,
      pause: async () => (await import("./actions-change.ts")).actionsPause,
      resume: async () => (await import("./actions-change.ts")).actionsResume,
      archive: async () => (await import("./actions-change.ts")).actionsArchive,
    },
  },
  workflows: {
    alias: "workflow",
    summary: "list, read, check and change workflows",
    commands: {
      list: async () => (await import("./workflows-list.ts")).workflowsList,
      show: async () => (await import("./workflows-show.ts")).workflowsShow,
      graph: async () => (await import("./workflows-graph.ts")).workflowsGraph,
      validate: async () => (await import("./workflows-validate.ts")).workflowsValidate,
      versions: async () => (await import("./workflows-versions.ts")).workflowsVersions,
      diff: async () => (await import("./workflows-diff.ts")).workflowsDiff,
      rollback: async () => (await import("./workflows-rollback.ts")).workflowsRollback,
      export: async () => (await import("./workflows-export.ts")).workflowsExport,
      run: async () => (await import("./workflows-run.ts")).workflowsRun,
      delete: async () => (await import("./workflows-delete.ts")).workflowsDelete,
    },
  },
  triggers: {
    alias: "trigger",
    summary: "see what starts event-driven workflows",
    commands: {
      list: async () => (await import("./triggers-list.ts")).triggersList,
      show: async () => (await import("./triggers-show.ts")).triggersShow,
      url: async () => (await import("./triggers-show.ts")).triggersUrl,
      enable: async () => (await import("./triggers-show.ts")).triggersEnable,
      disable: async () => (await import("./triggers-show.ts")).triggersDisable,
      fire: async () => (await import("./triggers-fire.ts")).triggersFire,
      preview: async () => (await import("./triggers-preview.ts")).triggersPreview,
      secret: async () => (await import("./triggers-secret.ts")).triggersSecret,
      listen: async () => (await import("./triggers-listen.ts")).triggersListen,
    },
  },
  deliveries: {
    alias: "delivery",
    summary: "read what came to webhooks, and deliver it again",
    commands: {
      list: async () => (await import("./deliveries-list.ts")).deliveriesList,
      redeliver: async () => (await import("./deliveries-redeliver.ts")).deliveriesRedeliver,
    },
  },
  approvals: {
    alias: "approval",
    summary: "list and read requests for approval",
    commands: {
      list: async () => (await import("./approvals-list.ts")).approvalsList,
      show: async () => (await import("./approvals-show.ts")).approvalsShow,
      watch: async () => (await import("./approvals-watch.ts")).approvalsWatch,
    },
  },
  incidents: {
    alias: "incident",
    summary: "list failures of workflows",
    commands: {
      list: async () => (await import("./incidents-list.ts")).incidentsList,
    },
  },
  breakers: {
    alias: "breaker",
    summary: "list circuit breakers and reset them",
    commands: {
      list: async () => (await import("./breakers-list.ts")).breakersList,
      reset: async () => (await import("./breakers-reset.ts")).breakersReset,
    },
  },
  audit: {
    summary: "read the audit log",
    commands: {
      list: async () => (await import("./audit-list.ts")).auditList,
    },
  },
  keys: {
    alias: "key",
    summary: "mint, list, rotate and revoke API keys",
    commands: {
      mint: async () => (await import("./keys-mint.ts")).keysMint,
      list: async () => (await import("./keys-list.ts")).keysList,
      show: async () => (await import("./keys-show.ts")).keysShow,
      rotate: async () => (await import("./keys-rotate.ts")).keysRotate,
      revoke: async () => (await import("./keys-revoke.ts")).keysRevoke,
    },
  },
  connectors: {
    alias: "connector",
    summary: "see what connectors can do, and build them",
    commands: {
      list: async () => (await import("./connectors-list.ts")).connectorsList,
      show: async () => (await import("./connectors-show.ts")).connectorsShow,
      build: async () => (await import("./connectors-build.ts")).connectorsBuild,
      validate: async () => (await import("./connectors-validate.ts")).connectorsValidate,
      remove: async () => (await import("./connectors-remove.ts")).connectorsRemove,
    },
  },
  connections: {
    alias: "connection",
    summary: "make, test and change connections to services",
    commands: {
      add: async () => (await import("./connections-add.ts")).connectionsAdd,
      list: async () => (await import("./connections-list.ts")).connectionsList,
      show: async () => (await import("./connections-show.ts")).connectionsShow,
      test: async () => (await import("./connections-test.ts")).connectionsTest,
      update: async () => (await import("./connections-update.ts")).connectionsUpdate,
      reauthorize: async () => (await import("./connections-reauthorize.ts")).connectionsReauthorize,
      rename: async () => (await import("./connections-rename.ts")).connectionsRename,
      remove: async () => (await import("./connections-remove.ts")).connectionsRemove,
    },
  },
  vars: {
    alias: "var",
    summary: "set the variables that templates read",
    commands: {
      set: async () => (await import("./vars-set.ts")).varsSet,
      list: async () => (await import("./vars-list.ts")).varsList,
      remove: async () => (await import("./vars-remove.ts")).varsRemove,
    },
  },
  secrets: {
    alias: "secret",
    summary: "set the secrets that templates read",
    commands: {
      set: async () => (await import("./secrets-set.ts")).secretsSet,
      list: async () => (await import("./secrets-list.ts")).secretsList,
      remove: async () => (await import("./secrets-remove.ts")).secretsRemove,
    },
  },
  workspace: {
    alias: "workspaces",
    summary: "make workspaces and set their tiers",
    commands: {
      list: async () => (await import("./workspace-list.ts")).workspaceList,
      create: async () => (await import("./workspace-create.ts")).workspaceCreate,
      "set-tier": async () => (await import("./workspace-set-tier.ts")).workspaceSetTier,
    },
  },
  mcp: {
    summary: "connect AI agents to this daemon",
    commands: {
      install: async () => (await import("./mcp-install.ts")).mcpInstall,
      uninstall: async () => (await import("./mcp-uninstall.ts")).mcpUninstall,
      print: async () => (await import("./mcp-print.ts")).mcpPrint,
      stdio: async () => (await import("./mcp-stdio.ts")).mcpStdio,
      headers: async () => (await import("./mcp-headers.ts")).mcpHeaders,
      tools: async () => (await import("./mcp-tools.ts")).mcpTools,
    },
  },
  config: {
    summary: "read and change settings",
    commands: {
      list: async () => (await import("./config-list.ts")).configList,
      get: async () => (await import("./config-get.ts")).configGet,
      set: async () => (await import("./config-set.ts")).configSet,
      unset: async () => (await import("./config-set.ts")).configUnset,
      path: async () => (await import("./config-path.ts")).configPath,
      edit: async () => (await import("./config-edit.ts")).configEdit,
    },
  },
  db: {
    summary: "back up, restore and care for the database",
    commands: {
      path: async () => (await import("./db-path.ts")).dbPath,
      migrate: async () => (await import("./db-migrate.ts")).dbMigrate,
      backup: async () => (await import("./db-backup.ts")).dbBackup,
      restore: async () => (await import("./db-restore.ts")).dbRestore,
      vacuum: async () => (await import("./db-vacuum.ts")).dbVacuum,
    },
  },
  service: {
    summary: "have the system start the daemon",
    commands: {
      install: async () => (await import("./service.ts")).serviceInstall,
      uninstall: async () => (await import("./service.ts")).serviceUninstall,
      print: async () => (await import("./service.ts")).servicePrint,
    },
  },
  completion: async () => (await import("./completion.ts")).completion,
  doctor: async () => (await import("./doctor.ts")).doctor,
  version: async () => (await import("./version.ts")).version,
};
