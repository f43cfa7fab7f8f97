import * as z from "zod";

/** One call of a user's script. Only text goes in. */
export type ScriptCall = {
  id: number;
  /** JavaScript, its types already stripped: a module with an entry function. */
  code: string;
  /** JSON of the entry's first argument; null loads the script and looks for its entry, and calls nothing. */
  input: string | null;
  /** What `utils.now()` says at the start, in epoch milliseconds. */
  now: number;
};

/** A script failed: before any of it ran (`compile`), while its module loaded, or in its entry. */
const scriptFailure = z.object({
  stage: z.enum(["compile", "load", "run"]),
  name: z.string(),
  message: z.string(),
  stack: z.string(),
});
export type ScriptFailure = z.infer<typeof scriptFailure>;

/** What the child says. Checked on arrival: a script that broke out of its isolate could send anything. */
export const childMessage = z.discriminatedUnion("kind", [
  /** It has started; calls that came earlier begin now. */
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("log"), id: z.int(), text: z.string() }),
  z.object({ kind: z.literal("result"), id: z.int(), result: z.string() }),
  z.object({ kind: z.literal("failure"), id: z.int(), error: scriptFailure }),
]);
export type ChildMessage = z.infer<typeof childMessage>;

/** How a call ended. `lost`: the process did not answer; it was stopped or went down. */
export type ScriptAnswer =
  | { kind: "result"; result: string }
  | { kind: "failure"; error: ScriptFailure }
  | { kind: "lost"; reason: string };
