import type { Hono } from "hono";
import * as z from "zod";
import { maxPreview } from "../../contract/schedule.ts";
import { previewSchedule } from "../../engine/schedule/preview-schedule.ts";
import type { Services } from "../../engine/services.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import { readFields } from "../operation.ts";
import type { ControlRoute } from "./control-route.ts";
import { findTrigger } from "./serve-triggers.ts";

const query = z.strictObject({ count: z.coerce.number().int().min(1).max(maxPreview).default(5) });

/** What people ask of schedules: when one fires next. */
export function serveSchedules(app: Hono<HttpEnv>, services: Services, { workspaceOf, answer }: ControlRoute): void {
  app.get("/control/triggers/:ref/preview", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const { count } = readFields(query, req.query());
    const subscription = await findTrigger(services, workspaceId, req.param("ref"));
    return answer(previewSchedule(subscription, services.world.now().getTime(), count));
  });
}
