import * as z from "zod";
import { type Json, jsonObject } from "./json.ts";

/** What travels between the command line and the daemon about connections (contract 13, 18). */

const connectionName = z
  .string()
  .regex(/^[A-Za-z0-9_][\w .-]{0,99}$/, "must be 1 to 100 letters, digits, spaces, dots, _ or -, not begun by a dot");

/** Values of secret fields. What is wrong with one is told without it. */
const secretFields = z.record(z.string(), z.string().min(1).max(65_536));

export const connectionRequest = z.object({
  connector: z.string().min(1).max(100),
  name: connectionName,
  settings: jsonObject.default({}),
  secrets: secretFields.default({}),
  require_approval: z.boolean().default(false),
});

/** What is absent stays; settings and secrets are replaced whole. */
export const connectionChange = z.object({
  name: connectionName.optional(),
  settings: jsonObject.optional(),
  secrets: secretFields.optional(),
  require_approval: z.boolean().optional(),
  /** A person agrees that the connection is used with a connector whose host has changed. */
  attach: z.literal(true).optional(),
});

/** A connection as it is shown: never its credentials, only the names of their fields. */
export type ConnectionBody = {
  id: string;
  name: string;
  connector: string;
  /** `locked`: its credentials can't be opened with the master key that the daemon has. */
  status: "active" | "needs_auth" | "detached" | "locked";
  settings: { [key: string]: Json };
  require_approval: boolean;
  secret_fields: string[];
  created_at: string;
  updated_at: string;
  last_used_at: string | null;
};

export type ConnectionList = { connections: ConnectionBody[] };

/** What a connector's connections are asked for. */
export type ConnectionField = {
  name: string;
  label: string;
  secret: boolean;
  required: boolean;
  description: string | null;
};
export type ConnectionFields = {
  connector: string;
  name: string;
  auth: string;
  /** A person signs in with a browser, which brings the tokens. */
  sign_in: boolean;
  fields: ConnectionField[];
};

/** A sign-in that has begun; `url` is where the person's browser has to go. */
export type SignIn = { flow: string; url: string; expires_at: string };

export const signInRequest = z.strictObject({ redirect_uri: z.string().max(1000) });
/** `redirected`: the address to which the browser was sent back, or the code alone. */
export const signInAnswer = z.strictObject({ flow: z.string().max(100), redirected: z.string().min(1).max(20_000) });

export type ConnectionTest = {
  id: string;
  name: string;
  connector: string;
  ok: boolean;
  /** False when the connector has no call that could tell. */
  tested: boolean;
  error: { code: string; message: string } | null;
  duration_ms: number;
};
