import * as z from "zod";
import { scope } from "./scopes.ts";

/** Fixed start of every key secret (contract 9). */
export const keyPrefix = "sgt_";

/** A key as lists show it; the secret exists only in the answer to its minting (spec 2.1). */
export const apiKey = z.object({
  id: z.uuid(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(scope),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime().nullable(),
  is_active: z.boolean(),
  revoked_at: z.iso.datetime().nullable(),
});
export type ApiKey = z.infer<typeof apiKey>;

export const mintedKey = apiKey
  .pick({ id: true, name: true, prefix: true, scopes: true, expires_at: true, created_at: true })
  .extend({ secret: z.string() });
export type MintedKey = z.infer<typeof mintedKey>;

export const keyList = z.object({ keys: z.array(apiKey) });
export type KeyList = z.infer<typeof keyList>;
