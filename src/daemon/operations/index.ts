import type { Operation, ToolOperation } from "../operation.ts";
import { approveRun } from "./approve-run.ts";
import { buildConnector } from "./build-connector.ts";
import { cancelRun } from "./cancel-run.ts";
import { createWorkflow } from "./create-workflow.ts";
import { deleteWorkflow } from "./delete-workflow.ts";
import { deployWorkflow } from "./deploy-workflow.ts";
import { diffRuns } from "./diff-runs.ts";
import { getAction } from "./get-action.ts";
import { getBuildStatus } from "./get-build-status.ts";
import { getConnectorOperations } from "./get-connector-operations.ts";
import { getOperationSchema } from "./get-operation-schema.ts";
import { getRunEvents } from "./get-run-events.ts";
import { getRun } from "./get-run.ts";
import { getWorkflow } from "./get-workflow.ts";
import { listActions } from "./list-actions.ts";
import { listConnectors } from "./list-connectors.ts";
import { listRuns } from "./list-runs.ts";
import { listWorkflows } from "./list-workflows.ts";
import { openWorkflow } from "./open-workflow.ts";
import { previewRunReplay, replayRun } from "./replay-run.ts";
import { runAction } from "./run-action.ts";
import { updateWorkflow } from "./update-workflow.ts";
import { validateConnector } from "./validate-connector.ts";

/** Everything that callers can ask for over REST; each transport serves this table. */
export const operations: readonly Operation[] = [
  listActions,
  getAction,
  runAction,
  listRuns,
  getRun,
  getRunEvents,
  approveRun,
  cancelRun,
  replayRun,
  previewRunReplay,
  diffRuns,
];

/** What agents reach as tools: the operations that are tools, and those on workflows, which have no REST route. */
export const toolOperations: readonly ToolOperation[] = [
  ...operations,
  listWorkflows,
  getWorkflow,
  openWorkflow,
  createWorkflow,
  updateWorkflow,
  deleteWorkflow,
  deployWorkflow,
  listConnectors,
  getConnectorOperations,
  getOperationSchema,
  buildConnector,
  getBuildStatus,
  validateConnector,
];
