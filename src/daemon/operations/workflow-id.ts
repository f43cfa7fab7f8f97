import * as z from "zod";

/** A workflow's id as a field: any text at run time, so that an unknown one is not found rather than malformed. */
export const workflowId = z.string().meta({ description: "The workflow's id", format: "uuid" });
