import * as z from "zod";
import { tier } from "./limits.ts";

/** A workspace's name, as `--workspace` takes it. */
export const workspaceName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "must be 1 to 63 of a-z, 0-9, _ and -, starting with a letter or digit");

export const workspace = z.object({ id: z.int(), name: z.string(), tier, created_at: z.iso.datetime() });
export type Workspace = z.infer<typeof workspace>;

export const workspaceList = z.object({ workspaces: z.array(workspace) });
export type WorkspaceList = z.infer<typeof workspaceList>;
