import type { Hono } from "hono";
import { ApiError } from "../../contract/errors.ts";
import { manualRunRequest } from "../../contract/trigger.ts";
import { rollbackRequest } from "../../contract/workflow-api.ts";
import { presentRun } from "../../engine/presentation/present-run.ts";
import { rollBack } from "../../engine/roll-back.ts";
import type { Services } from "../../engine/services.ts";
import { startManualRun } from "../../engine/start-manual-run.ts";
import type { WorkflowSummary } from "../../store/store.ts";
import type { Admission, HttpEnv } from "../http/serve-operations.ts";
import type { Caller, HoldAnswer, ToolOperation } from "../operation.ts";
import { deleteWorkflow } from "../operations/delete-workflow.ts";
import { getWorkflow } from "../operations/get-workflow.ts";
import { listWorkflows } from "../operations/list-workflows.ts";
import { openWorkflow } from "../operations/open-workflow.ts";
import type { ControlRoute } from "./control-route.ts";

export type WorkflowParts = {
  services: Services;
  admit(request: Request): Promise<Admission>;
  hold(request: Request): HoldAnswer;
  userId: string;
};

/** The operations on workflows, for the command line: a workflow is named by its id, its action's slug or its name. */
export function serveWorkflows(
  app: Hono<HttpEnv>,
  parts: WorkflowParts,
  { workspaceOf, bodyOf, answer }: ControlRoute,
): void {
  const { services, userId } = parts;

  async function call(raw: Request, operation: ToolOperation, fields: (caller: Caller) => Promise<Fields>) {
    const { caller } = await parts.admit(raw);
    const given = await fields(caller);
    return answer(await operation.call({ services, caller, hold: parts.hold(raw) }, () => given));
  }
  const named =
    (reference: string, fields: Fields = {}) =>
    async (caller: Caller) => {
      const { id } = findWorkflow(await services.store.listWorkflows(caller.workspaceId), reference);
      return { ...fields, workflow_id: id };
    };

  app.get("/control/workflows", ({ req }) =>
    call(req.raw, listWorkflows, async () => withNumbers(req.query(), "limit", "offset")),
  );
  app.get("/control/workflows/:ref", ({ req }) =>
    call(req.raw, getWorkflow, named(req.param("ref"), withNumbers(req.query(), "version"))),
  );
  app.get("/control/workflows/:ref/graph", ({ req }) => call(req.raw, openWorkflow, named(req.param("ref"))));
  app.post("/control/workflows/:ref/run", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const workflow = findWorkflow(await services.store.listWorkflows(workspaceId), req.param("ref"));
    const { input } = await bodyOf(req.raw, manualRunRequest.strict());
    return answer(presentRun(await startManualRun(services, { workflow, userId, input: input ?? {} })));
  });
  app.post("/control/workflows/:ref/rollback", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const workflow = findWorkflow(await services.store.listWorkflows(workspaceId), req.param("ref"));
    return answer(await rollBack(services, { workflow, userId, ...(await bodyOf(req.raw, rollbackRequest)) }));
  });
  app.post("/control/workflows/:ref/delete", ({ req }) => call(req.raw, deleteWorkflow, named(req.param("ref"))));
}

type Fields = Record<string, unknown>;

function withNumbers(query: Record<string, string>, ...names: string[]): Fields {
  const read = ([name, text]: [string, string]) => [name, names.includes(name) ? Number(text) : text];
  return Object.fromEntries(Object.entries(query).map(read));
}

/** Throws WORKFLOW_NOT_FOUND, and CONFLICT with the candidates when several have the name. */
function findWorkflow(workflows: readonly WorkflowSummary[], reference: string): WorkflowSummary {
  const exact = workflows.find(({ id, slug }) => id === reference.toLowerCase() || slug === reference);
  const fits = exact ? [exact] : workflows.filter(({ name }) => name === reference);
  const [workflow] = fits;
  if (!workflow) {
    throw new ApiError("WORKFLOW_NOT_FOUND", `No workflow has the id, slug or name ${reference.slice(0, 100)}`);
  }
  if (fits.length === 1) return workflow;
  throw new ApiError("CONFLICT", `${fits.length} workflows have the name ${reference}: name one by its id`, {
    details: fits.map(({ id, name, type, slug }) => ({ workflow_id: id, name, type, action_slug: slug })),
  });
}
