import type { MintRequest } from "../contract/control.ts";
import { ApiError } from "../contract/errors.ts";
import type { MintedKey } from "../contract/key.ts";
import type { Limits } from "../contract/limits.ts";
import { defaultScopes } from "../contract/scopes.ts";
import type { KeyRecord, Store, WorkspaceRecord } from "../store/store.ts";
import {
  bearerSecret,
  formatSecret,
  hashSecret,
  matchSecret,
  publicPrefix,
  saltBytes,
  secretBytes,
} from "./key-secret.ts";
import { createKeyUses } from "./key-uses.ts";
import { isoTime } from "./presentation/present-time.ts";
import type { World } from "./world.ts";

/** How long a verified key is taken at its word without looking into the store. */
const trustMs = 5_000;
/** Verified secrets in memory at most; beyond it all are looked up anew. */
const trustedAtMost = 10_000;

/** A key that was shown to be valid, and its workspace. */
export type VerifiedKey = { key: KeyRecord; workspace: WorkspaceRecord };

/** Every key of the daemon: mints, verifies and revokes them, and notes their use. */
export type KeyRing = {
  /** Throws CONFLICT with the count and the limit over the tier's quota, BAD_REQUEST for an expiry in the past. */
  mint(workspace: WorkspaceRecord, request: MintRequest & { user: string }): Promise<MintedKey>;
  /** The key of an Authorization header; throws UNAUTHORIZED with the message of contract 6. */
  authenticate(header: string | undefined): Promise<VerifiedKey>;
  /** Newest first, with uses up to now. */
  list(workspaceId: number): Promise<KeyRecord[]>;
  /** Revokes by id; null when the workspace has no such key. Its requests fail from the moment this settles. */
  revoke(workspaceId: number, id: string): Promise<KeyRecord | null>;
  /**
   * Replaces a key by a new one of the same user, name, scopes and expiry, at once and whatever the quota (contract 9).
   * Throws CONFLICT for a key that is revoked or expired.
   */
  rotate(key: KeyRecord): Promise<MintedKey>;
  /** Forgets what was verified: a tier or a key changed. */
  forget(): void;
  /** Writes the noted uses. Called now and then, and at stop (contract 9). */
  flushUses(): Promise<void>;
};

export type KeyRingParts = {
  store: Store;
  world: World;
  limits: Limits;
  /** Bytes fit for secrets. */
  randomBytes(length: number): Uint8Array;
  onRevoke?(keyId: string): void;
};

export function createKeyRing({ store, world, limits, randomBytes, onRevoke }: KeyRingParts): KeyRing {
  const trusted = new Map<string, VerifiedKey & { until: number }>();
  const uses = createKeyUses(store);
  /** Counts forgetting, so that a look-up that began before it is not remembered after it. */
  let generation = 0;

  function forget(): void {
    generation += 1;
    trusted.clear();
  }

  async function verify(secret: string, now: number): Promise<VerifiedKey> {
    const before = generation;
    const key = matchSecret(secret, await store.findKeysByPrefix(publicPrefix(secret)));
    if (!key) throw unauthorized();
    if (key.revokedAt !== null) throw new ApiError("UNAUTHORIZED", "API key revoked");
    const workspace = await store.getWorkspace(key.workspaceId);
    if (!workspace) throw unauthorized();
    if (generation !== before) return { key, workspace };
    if (trusted.size >= trustedAtMost) trusted.clear();
    trusted.set(secret, { key, workspace, until: now + trustMs });
    return { key, workspace };
  }

  return {
    forget,
    flushUses: () => uses.flush(),
    list: (workspaceId) => uses.flush().then(async () => store.listKeys(workspaceId)),
    mint: (workspace, request) => mintKey({ store, world, limits, randomBytes }, workspace, request),

    async authenticate(header) {
      const secret = bearerSecret(header);
      if (secret === null) throw unauthorized();
      const monotonic = world.monotonicMs();
      const known = trusted.get(secret);
      const verified = known && known.until > monotonic ? known : await verify(secret, monotonic);
      const now = world.now().getTime();
      if (isExpired(verified.key, now)) throw new ApiError("UNAUTHORIZED", "API key expired");
      uses.note(verified.key.id, now);
      return verified;
    },

    async rotate(old) {
      const fresh = await rotateKey({ store, world, randomBytes }, old);
      forget();
      onRevoke?.(old.id);
      return fresh;
    },

    async revoke(workspaceId, id) {
      const key = await store.revokeKey({ workspaceId, id, at: world.now().getTime() });
      forget();
      if (key) onRevoke?.(id);
      return key;
    },
  };
}

function unauthorized(): ApiError {
  return new ApiError("UNAUTHORIZED", "Missing or invalid API key");
}

function isExpired(key: KeyRecord, now: number): boolean {
  return key.expiresAt !== null && key.expiresAt <= now;
}

async function mintKey(
  { store, world, limits, randomBytes }: KeyRingParts,
  workspace: WorkspaceRecord,
  request: MintRequest & { user: string },
): Promise<MintedKey> {
  const now = world.now().getTime();
  const expiresAt = request.expires_at ? Date.parse(request.expires_at) : null;
  if (expiresAt !== null && expiresAt <= now) {
    throw new ApiError("BAD_REQUEST", `The expiry ${request.expires_at} is not in the future`, {
      details: [{ field: "expires_at", message: "must be in the future", rule: "future" }],
    });
  }
  const { key, secret } = makeKey(
    { world, randomBytes },
    {
      workspaceId: workspace.id,
      userId: request.user,
      name: request.name,
      scopes: [...new Set(request.scopes ?? defaultScopes)],
      createdAt: now,
      expiresAt,
    },
  );
  const quota = limits.activeKeys[workspace.tier];
  const { created, active } = await store.createKey({ key, quota });
  if (!created && quota !== null) throw overQuota(workspace, active, quota);
  return presentMinted(key, secret);
}

async function rotateKey(
  { store, world, randomBytes }: Pick<KeyRingParts, "store" | "world" | "randomBytes">,
  old: KeyRecord,
): Promise<MintedKey> {
  const { workspaceId, id } = old;
  const { key, secret } = makeKey({ world, randomBytes }, { ...old, createdAt: world.now().getTime() });
  const isRotated = await store.rotateKey({ workspaceId, id, replacement: key });
  if (isRotated) return presentMinted(key, secret);
  throw new ApiError("CONFLICT", `The key ${old.name} is revoked or expired and cannot be rotated: mint a new one`);
}

type KeyTerms = Pick<KeyRecord, "workspaceId" | "userId" | "name" | "scopes" | "createdAt" | "expiresAt">;

/** A key that was never used, and its secret. */
function makeKey(
  { world, randomBytes }: Pick<KeyRingParts, "world" | "randomBytes">,
  { workspaceId, userId, name, scopes, createdAt, expiresAt }: KeyTerms,
): { key: KeyRecord; secret: string } {
  const secret = formatSecret(randomBytes(secretBytes));
  const salt = randomBytes(saltBytes);
  const key = {
    id: world.newId(),
    workspaceId,
    userId,
    name,
    scopes,
    createdAt,
    expiresAt,
    prefix: publicPrefix(secret),
    salt,
    hash: hashSecret(salt, secret),
    revokedAt: null,
    lastUsedAt: null,
  };
  return { key, secret };
}

/** The one answer that shows a secret. */
function presentMinted({ id, name, prefix, scopes, expiresAt, createdAt }: KeyRecord, secret: string): MintedKey {
  const created_at = new Date(createdAt).toISOString();
  return { id, name, prefix, scopes: [...scopes], expires_at: isoTime(expiresAt), created_at, secret };
}

function overQuota({ name, tier }: WorkspaceRecord, active: number, limit: number): ApiError {
  const message = `The workspace ${name} has ${active} active keys and its tier ${tier} allows ${limit}: revoke one or change the tier`;
  return new ApiError("CONFLICT", message, { details: [{ limit: "active_keys", active, maximum: limit, tier }] });
}
