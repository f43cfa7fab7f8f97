import * as z from "zod";
import { iteration } from "./run.ts";

/** One line that a step wrote to its console, redacted (contract 16). `seq` counts from 1 within its run. */
export const runLogLine = z.object({
  seq: z.int(),
  step_id: z.string(),
  iteration,
  attempt: z.int(),
  text: z.string(),
  created_at: z.iso.datetime(),
});
export type RunLogLine = z.infer<typeof runLogLine>;

/** Answer of the control channel; the command line reads on from `next_after` until a page is empty. */
export const runLogPage = z.object({ logs: z.array(runLogLine), next_after: z.int() });
export type RunLogPage = z.infer<typeof runLogPage>;
