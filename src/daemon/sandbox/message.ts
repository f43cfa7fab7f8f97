import { z } from "zod";

/** One call of a user's script. Only text goes in: `input` is JSON. */
export type ScriptCall = {
  id: number;
  /** JavaScript (types already stripped) of a module that exports `run(inputs, utils)` or a default function. */
  code: string;
  input: string;
  memoryMb: number;
  timeoutMs: number;
};

/** What came of it. Checked on arrival: a script that broke out of its isolate could send anything. */
export const scriptAnswer = z.discriminatedUnion("ok", [
  z.object({ id: z.int(), ok: z.literal(true), result: z.string() }),
  z.object({ id: z.int(), ok: z.literal(false), error: z.object({ message: z.string(), stack: z.string() }) }),
]);
export type ScriptAnswer = z.infer<typeof scriptAnswer>;
