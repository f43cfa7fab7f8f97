import type { Hono } from "hono";
import * as z from "zod";
import type { WatchedRunList } from "../../contract/run-watch.ts";
import { runSource, runStatus } from "../../contract/run.ts";
import type { Services } from "../../engine/services.ts";
import { answerJson } from "../http/answer.ts";
import { eventStreamHeaders, streamBody } from "../http/event-stream.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import type { Log } from "../log.ts";
import { type HoldAnswer, readFields } from "../operation.ts";
import { dateBound } from "../operations/date-bound.ts";
import type { ControlRoute } from "./control-route.ts";
import { followChanges } from "./follow-changes.ts";
import { readWatched } from "./present-watched.ts";
import { watchChanges } from "./run-changes.ts";

export type ChangeParts = {
  services: Services;
  log: Log;
  /** Tells one life of the daemon from another: change numbers begin anew with each. */
  instanceId(): string;
  hold(request: Request): HoldAnswer;
};

const listQuery = z.strictObject({
  status: runStatus.optional(),
  source: runSource.optional(),
  action_slug: z.string().optional(),
  date_from: dateBound.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(100),
  offset: z.coerce.number().int().min(0).default(0),
});

const whole = z.string().regex(/^\d{1,15}$/, "must be the number of a change");
const eventsQuery = z.strictObject({ after: whole.default("0"), instance: z.string().optional() });

/**
 * All runs of a workspace and their changes as they become durable, for the terminal UI (contract 10). 410 answers
 * whoever asks for changes that are no longer known, or that another life of the daemon counted: read the list again.
 */
export function serveChanges(app: Hono<HttpEnv>, parts: ChangeParts, { workspaceOf, answer }: ControlRoute): void {
  const { services } = parts;
  const changes = watchChanges(services.store);

  app.get("/control/runs", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const { limit, offset, ...query } = readFields(listQuery, req.query());
    // Taken before the reading, so that no change falls between the two.
    const change = changes.latest();
    const { runs, total } = await services.store.listRuns({
      workspaceId,
      limit,
      offset,
      ...(query.status && { statuses: [query.status] }),
      ...(query.source && { source: query.source }),
      ...(query.action_slug !== undefined && { actionSlug: query.action_slug }),
      ...(query.date_from && { createdFrom: query.date_from.from }),
    });
    const ids = runs.map((run) => run.id);
    const rows = await readWatched(services, workspaceId, ids);
    return answer({
      runs: rows,
      total,
      limit,
      offset,
      instance_id: parts.instanceId(),
      change,
    } satisfies WatchedRunList);
  });

  app.get("/events", async ({ req, env }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const { after: given, instance } = readFields(eventsQuery, req.query());
    const after = Number(readFields(whole, req.header("last-event-id") || given));
    const isOther = instance !== undefined && instance !== parts.instanceId();
    if (isOther || !changes.knows(after)) return gone(isOther);
    const hold = parts.hold(req.raw)("stream");
    const { outgoing } = env;
    const body = streamBody(
      { events: followChanges(services, changes, { workspaceId, after }, hold.signal), hold },
      {
        after: services.world.after,
        onError: (error) => parts.log.error(error, "The stream of all runs' changes broke off"),
        cut: outgoing ? () => outgoing.destroy() : null,
      },
    );
    return new Response(body, { status: 200, headers: eventStreamHeaders });
  });
}

function gone(isOther: boolean): Response {
  const why = isOther
    ? "The daemon was restarted since: change numbers begin anew"
    : "Changes that far back are no longer known";
  return answerJson({ error: `${why}; read the list of runs again`, code: "CHANGES_GONE" }, 410);
}
