import * as z from "zod";

/** Any value that survives JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A payload that was parsed from JSON already: typed, not walked again (payloads are on the hot path). */
export const jsonValue = z.custom<Json>((value) => value !== undefined).meta({ description: "Any JSON value" });

/** A JSON object; its members are not walked. */
export const jsonObject = z
  .custom<{ [key: string]: Json }>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
    message: "must be an object",
  })
  .meta({ type: "object" });
