import * as z from "zod";
import { jsonObject } from "./json.ts";

/** What a caller may say about a replay (contract 8). */
export const replayRequest = z.object({
  input: jsonObject.optional().describe("Runs everything again with this input in place of the original one"),
  from: z
    .string()
    .min(1)
    .optional()
    .describe(
      "failed (default): goes on with what did not end well; start: runs everything again; a step id: runs it and all " +
        "that depends on it again. step:ID is a step that is itself named failed or start",
    ),
});

/** What a replay would do, step by step (contract 8). A step of a loop can be in two lists: its iterations differ. */
export const replayPlan = z.object({
  /** Steps whose recorded end is taken over. */
  reused: z.array(z.string()),
  /** Steps that run again, or may where a branch before them is decided anew. */
  rerun: z.array(z.string()),
  /** Those of `rerun` that have acted on other systems in the original run. */
  side_effects_repeated: z.array(z.string()),
  /** Why the replay would be refused. */
  refused: z.array(z.object({ step_id: z.string(), reason: z.string() })),
});
export type ReplayPlan = z.infer<typeof replayPlan>;
