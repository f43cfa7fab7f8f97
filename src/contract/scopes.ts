import * as z from "zod";

/** The nine scopes a key can carry (spec 2.2). */
export const scopes = [
  "actions:read",
  "actions:run",
  "runs:read",
  "approvals:decide",
  "connectors:read",
  "connectors:write",
  "workflows:read",
  "workflows:write",
  "workflows:run",
] as const;

export const scope = z.enum(scopes);
export type Scope = z.infer<typeof scope>;

/** What a key may do when nothing else was asked for (spec 2.1). */
export const defaultScopes: readonly Scope[] = [
  "actions:read",
  "actions:run",
  "runs:read",
  "connectors:read",
  "workflows:read",
  "workflows:write",
];
