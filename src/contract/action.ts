import * as z from "zod";
import { jsonObject } from "./json.ts";

const actionStatuses = ["active", "paused", "archived"] as const;
export const actionStatus = z.enum(actionStatuses);
export type ActionStatus = z.infer<typeof actionStatus>;

export const approvalPolicy = z.enum(["never", "always"]);
export type ApprovalPolicy = z.infer<typeof approvalPolicy>;

/** An action's slug (contract 2). */
export const slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,56}$/, "must be 1 to 57 of a-z, 0-9, _ and -, starting with a letter or digit");

export const action = z.object({
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  status: actionStatus,
  inputSchema: jsonObject,
  outputSchema: jsonObject.nullable(),
  approval_policy: approvalPolicy,
  workflow_id: z.uuid(),
  release: z.object({ version: z.int(), workflow_version_id: z.uuid(), published_at: z.iso.datetime() }).nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Action = z.infer<typeof action>;

export const actionList = z.object({ actions: z.array(action), total: z.int() });
export type ActionList = z.infer<typeof actionList>;
