import type { ApiKey } from "../../contract/key.ts";
import type { KeyRecord } from "../../store/store.ts";
import { isoTime } from "./present-time.ts";

/** A key as lists show it: no secret, no hash (spec 2.1). An expired key stays `is_active`: only revoking clears it. */
export function presentKey(key: KeyRecord): ApiKey {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: [...key.scopes],
    created_at: new Date(key.createdAt).toISOString(),
    last_used_at: isoTime(key.lastUsedAt),
    expires_at: isoTime(key.expiresAt),
    is_active: key.revokedAt === null,
    revoked_at: isoTime(key.revokedAt),
  };
}
