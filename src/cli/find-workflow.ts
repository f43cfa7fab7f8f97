import { argument } from "./option.ts";

/** How people name a workflow. */
export const workflowArgument = argument("id or name of the workflow, or the slug of its action");

/** Where the daemon serves the workflow of a reference. */
export function workflowPath(reference: string): string {
  return `/control/workflows/${encodeURIComponent(reference)}`;
}
