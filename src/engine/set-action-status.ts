import type { ActionStatus } from "../contract/action.ts";
import { ApiError } from "../contract/errors.ts";
import type { ActionRecord } from "../store/store.ts";
import type { Services } from "./services.ts";

/** Pauses, resumes or archives an action; its runs in flight go on. Throws ACTION_NOT_FOUND. */
export async function setActionStatus(
  { store, world }: Services,
  workspaceId: number,
  slug: string,
  status: ActionStatus,
): Promise<ActionRecord> {
  await store.setActionStatus({ workspaceId, slug, status, at: world.now().getTime() });
  const action = await store.findAction(workspaceId, slug);
  if (!action) throw new ApiError("ACTION_NOT_FOUND", `No action has the slug ${slug.slice(0, 100)}`);
  return action;
}
