import type { Store } from "../store/store.ts";
import type { Connections, OpenConnection } from "./connector.ts";
import type { KeptConnection } from "./kept-values.ts";
import type { StepError } from "./node.ts";
import { hiddenValues, wantsTokens } from "./oauth/token-set.ts";
import { requireOpened } from "./sealed-value.ts";
import type { WorkspaceValues } from "./workspace-values.ts";
import type { World } from "./world.ts";

/** How far apart the uses of a connection are noted. */
const useEveryMs = 60_000;

/** Gets new credentials for a connection; null when that is not possible. What it returns is stored. */
export type RefreshCredentials = (
  workspaceId: number,
  connection: OpenConnection,
) => Promise<{ secrets: Readonly<Record<string, string>> } | null>;

type Parts = {
  store: Pick<Store, "touchConnection">;
  values: WorkspaceValues;
  world: Pick<World, "now">;
  /** Stores new credentials of a connection unless it was changed meanwhile. */
  replaceSecrets(kept: KeptConnection, secrets: Readonly<Record<string, string>>): Promise<void>;
  /** Stores whether its credentials are taken, unless they were changed meanwhile. */
  noteStatus(kept: KeptConnection, status: "active" | "needs_auth"): Promise<void>;
  /** Absent: no credentials can be refreshed. */
  refreshCredentials?: RefreshCredentials;
};

/**
 * The connections of all workspaces, for calls. They are named by their id, or by their name, which is the same on every
 * machine. `open` throws SealedValueError for one whose credentials can't be opened.
 */
export function openConnections(parts: Parts): Connections {
  const { values, world } = parts;
  const noteUse = createUseNotes(parts);

  function find(workspaceId: number, reference: string): KeptConnection | null {
    const { connections } = values.of(workspaceId);
    const byId = connections.get(reference);
    return byId ?? [...connections.values()].find(({ record }) => record.name === reference) ?? null;
  }

  const refreshOnce = createRenewal(parts, find);

  async function open(workspaceId: number, reference: string): Promise<OpenConnection | null> {
    const kept = find(workspaceId, reference);
    if (!kept || kept.record.status === "detached") return null;
    noteUse(kept.record.id);
    const opened = toOpen(kept);
    if (!usesTokens(opened) || !wantsTokens(opened.secrets, world.now())) return opened;
    // Where that fails the old ones go along, and the service has the last word.
    return (await refreshOnce(kept).catch(() => null)) ?? opened;
  }

  return {
    open,
    describe(workspaceId, reference) {
      const record = find(workspaceId, reference)?.record;
      if (!record || record.status === "detached") return null;
      const { id, name, connector, requireApproval } = record;
      return { id, name, connector, requireApproval };
    },
    async refresh(workspaceId, reference, refused) {
      const kept = find(workspaceId, reference);
      if (!kept || kept.record.status === "detached") return null;
      const opened = toOpen(kept);
      if (!refused || isSame(opened.secrets, refused.secrets)) return refreshOnce(kept);
      return opened;
    },
    async tell(workspaceId, { id, secrets }, error) {
      const kept = values.of(workspaceId).connections.get(id);
      const status = kept && statusAfter(kept, error);
      if (!kept || !status || status === kept.record.status || !("value" in kept.secrets)) return;
      if (secrets && !isSame(kept.secrets.value, secrets)) return;
      // The outcome of the call is what counts; the next one tells again.
      await parts.noteStatus(kept, status).catch(() => undefined);
    },
    secretsOf(workspaceId) {
      const kept = [...values.of(workspaceId).connections.values()];
      return kept.flatMap(({ secrets }) => ("value" in secrets ? hiddenValues(secrets.value) : []));
    },
  };
}

/** Notes that connections are used, each once in a while. */
function createUseNotes({ store, world }: Pick<Parts, "store" | "world">): (id: string) => void {
  const usedAt = new Map<string, number>();
  return (id) => {
    const at = world.now().getTime();
    if (at - (usedAt.get(id) ?? Number.NEGATIVE_INFINITY) < useEveryMs) return;
    usedAt.set(id, at);
    // A use that is not noted, as while the daemon stops, is no reason to fail a call.
    store.touchConnection({ id, at }).catch(() => undefined);
  };
}

/**
 * Gets new credentials for a connection, for all who ask at the same time at once. They are on disk before anybody uses
 * them: a refresh token that was replaced is worth nothing any more.
 */
function createRenewal(
  { refreshCredentials, replaceSecrets }: Pick<Parts, "refreshCredentials" | "replaceSecrets">,
  find: (workspaceId: number, reference: string) => KeptConnection | null,
): (kept: KeptConnection) => Promise<OpenConnection | null> {
  const underWay = new Map<string, Promise<OpenConnection | null>>();

  async function renew(kept: KeptConnection): Promise<OpenConnection | null> {
    const { id, workspaceId } = kept.record;
    const refreshed = await refreshCredentials?.(workspaceId, toOpen(kept));
    if (!refreshed) return null;
    await replaceSecrets(kept, refreshed.secrets);
    const now = find(workspaceId, id);
    return now && toOpen(now);
  }

  return async (kept) => {
    const { id } = kept.record;
    const renewing = underWay.get(id) ?? renew(kept).finally(() => underWay.delete(id));
    underWay.set(id, renewing);
    return renewing;
  };
}

/** Only what is known for sure: other failures say nothing about the credentials. */
function statusAfter({ record: { status } }: KeptConnection, error: StepError | null): "active" | "needs_auth" | null {
  if (status === "detached") return null;
  if (error === null) return "active";
  return error.code === "AUTH_EXPIRED" ? "needs_auth" : null;
}

/** Of other connections nobody needs to ask what their connector is. */
function usesTokens({ settings }: OpenConnection): boolean {
  return Object.hasOwn(settings, "client_id");
}

type Credentials = Readonly<Record<string, string>>;

function isSame(a: Credentials, b: Credentials): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}

function toOpen({ record, secrets }: KeptConnection): OpenConnection {
  const { id, name, connector, settings, requireApproval } = record;
  const opened = requireOpened(secrets, `the connection ${name}`);
  return { id, name, connector, settings, secrets: opened, requireApproval };
}
