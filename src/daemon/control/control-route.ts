import type * as z from "zod";
import type { WorkspaceRecord } from "../../store/store.ts";

/** What a route of the control channel is given to read its request with, and to answer. */
export type ControlRoute = {
  /** The workspace that a request is about; throws NOT_FOUND. */
  workspaceOf(request: Request): Promise<WorkspaceRecord>;
  /** The body as a schema reads it; throws BAD_REQUEST. */
  bodyOf<T>(request: Request, schema: z.ZodType<T>): Promise<T>;
  answer(body: unknown): Response;
};
