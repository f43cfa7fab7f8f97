import * as z from "zod";
import { slug } from "./action.ts";
import { scope } from "./scopes.ts";
import { tier } from "./limits.ts";
import { issue, workflowType } from "./workflow.ts";
import { workspaceName } from "./workspace.ts";

/** What travels between the command line and the daemon over the control socket (contract 10, 18). */

export const daemonStatus = z.object({
  running: z.literal(true),
  url: z.string(),
  /** What a restart has to give it again: the parts of its address that neither a file nor a default says. */
  given: z.object({ host: z.string().nullable(), port: z.int().nullable() }),
  pid: z.int(),
  version: z.string(),
  instance_id: z.string(),
  db: z.string(),
  db_schema: z.int(),
  started_at: z.iso.datetime(),
  active_runs: z.int(),
});
export type DaemonStatus = z.infer<typeof daemonStatus>;

export const mintRequest = z.object({
  name: z.string().min(1).max(100),
  scopes: z.array(scope).min(1).optional(),
  expires_at: z.iso.datetime().nullable().optional(),
  user: z.string().min(1).max(100).optional(),
});
export type MintRequest = z.infer<typeof mintRequest>;

export const workspaceRequest = z.object({ name: workspaceName, tier });
export const tierRequest = z.object({ tier });

/** A file as it lies on disk; the daemon parses it, so that every surface words problems alike. */
export const publishRequest = z.object({
  files: z.array(z.object({ file: z.string(), text: z.string() })).min(1),
  slug: slug.optional(),
  check: z.boolean().default(false),
  allow_breaking: z.boolean().default(false),
  as_new: z.boolean().default(false),
  rename_from: z.string().optional(),
});
export type PublishRequest = z.input<typeof publishRequest>;

export const publishedFile = z.object({
  file: z.string(),
  workflow_id: z.uuid(),
  type: workflowType,
  slug: z.string().nullable(),
  version: z.int(),
  archived_version: z.int().nullable(),
  webhook_url: z.string().nullable(),
  warnings: z.array(issue),
});
export type PublishedFile = z.infer<typeof publishedFile>;

export const publishResult = z.object({
  published: z.array(publishedFile),
  unchanged: z.array(
    publishedFile.pick({
      file: true,
      workflow_id: true,
      type: true,
      slug: true,
      version: true,
      webhook_url: true,
      warnings: true,
    }),
  ),
  failed: z.array(z.object({ file: z.string(), issues: z.array(issue) })),
});
export type PublishResult = z.infer<typeof publishResult>;
