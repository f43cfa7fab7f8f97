import * as z from "zod";

/**
 * A field whose texts are templates: any JSON in a definition, any value once it is resolved (contract 3). It has to be
 * written down, though what it yields may be missing when the node runs.
 */
export function template(description: string) {
  return z
    .unknown()
    .refine((value) => value !== undefined, "is missing: give a value, or a template such as {{order.total}}")
    .describe(description);
}
