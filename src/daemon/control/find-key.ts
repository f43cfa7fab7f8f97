import { ApiError } from "../../contract/errors.ts";
import type { KeyRing } from "../../engine/keys.ts";
import type { KeyRecord } from "../../store/store.ts";

/**
 * The key that a reference names: an id, or the prefix or name of a key that is not revoked. Throws NOT_FOUND, and
 * CONFLICT with the candidates when several fit (contract 18).
 */
export async function findKey(keys: KeyRing, workspaceId: number, reference: string): Promise<KeyRecord> {
  const known = await keys.list(workspaceId);
  const fits = known.filter((key) => key.id === reference);
  if (fits.length === 0) fits.push(...known.filter((key) => key.revokedAt === null && isNamed(key, reference)));
  if (fits.length > 1) {
    throw new ApiError("CONFLICT", `${fits.length} active keys fit ${reference}: name one by its id`, {
      details: fits.map(({ id, name, prefix }) => ({ id, name, prefix })),
    });
  }
  const [key] = fits;
  if (!key) throw new ApiError("NOT_FOUND", `No active key has the id, prefix or name ${reference.slice(0, 100)}`);
  return key;
}

function isNamed(key: KeyRecord, reference: string): boolean {
  return key.prefix === reference || key.name === reference;
}
