import * as z from "zod";
import { iteration } from "./iteration.ts";
import { jsonValue } from "./json.ts";
import { run } from "./run.ts";

const side = run.pick({ run_id: true, action_slug: true, action_release_version: true, source: true, status: true });

/** One value of the two runs that is not the same; null is what a run does not have. */
const difference = z.object({ field: z.string(), a: jsonValue.nullable(), b: jsonValue.nullable() });
export type Difference = z.infer<typeof difference>;

const stepDiff = z.object({
  step_id: z.string(),
  iteration,
  change: z.enum(["same", "changed", "only_a", "only_b"]),
  differences: z.array(difference),
});
export type StepDiff = z.infer<typeof stepDiff>;

/** Two runs side by side: the runs' own fields, then each step of either, in the order of the first run's. */
export const runDiff = z.object({ a: side, b: side, differences: z.array(difference), steps: z.array(stepDiff) });
export type RunDiff = z.infer<typeof runDiff>;
