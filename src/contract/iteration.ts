import * as z from "zod";

/** Indexes of the enclosing iterations, outermost first; null outside loops (contract 5). */
export const iteration = z.array(z.int().nonnegative()).nullable();
export type Iteration = z.infer<typeof iteration>;
