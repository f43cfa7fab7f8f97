import * as z from "zod";
import { type ErrorCode, errorStatus } from "./errors.ts";

/** The body of every error answer as a schema; apart from the errors, which threads and commands load without zod. */
export const errorBody = z.object({
  error: z.string().describe("What went wrong, for people"),
  // The names of a record are what its keys are.
  code: z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]),
  details: z.array(z.unknown()).optional().describe("What is wrong where, or which limit was hit"),
});
