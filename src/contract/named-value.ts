import * as z from "zod";

/** Name of a variable or a secret: what can stand behind the dot of `{{var.NAME}}` without quotes. */
export const valueName = z
  .string()
  .regex(
    /^[A-Za-z_][\w-]{0,99}$/,
    "must begin with a letter or _, and have letters, digits, _ and - alone, 100 at most",
  );

/** Characters of a variable or a secret. */
const maxValueLength = 65_536;

export const variableRequest = z.object({ value: z.string().max(maxValueLength) });
export const secretRequest = z.object({ value: z.string().min(1).max(maxValueLength) });

export type NamedVariable = { name: string; value: string; created_at: string; updated_at: string };
export type VariableList = { vars: NamedVariable[] };

/** A secret as it is listed: its value is never shown again. */
export type NamedSecret = { name: string; created_at: string; updated_at: string };
export type SecretList = { secrets: NamedSecret[] };
