import type { Store } from "../store/store.ts";
import type { Connections, OpenConnection } from "./connector.ts";
import type { KeptConnection } from "./kept-values.ts";
import { requireOpened } from "./sealed-value.ts";
import type { WorkspaceValues } from "./workspace-values.ts";
import type { World } from "./world.ts";

/** How far apart the uses of a connection are noted. */
const useEveryMs = 60_000;

/** Gets new credentials for a connection; null when that is not possible. What it returns is stored. */
export type RefreshCredentials = (
  connection: OpenConnection,
) => Promise<{ secrets: Readonly<Record<string, string>> } | null>;

type Parts = {
  store: Pick<Store, "touchConnection">;
  values: WorkspaceValues;
  world: Pick<World, "now">;
  /** Stores new credentials of a connection unless it was changed meanwhile. */
  replaceSecrets(kept: KeptConnection, secrets: Readonly<Record<string, string>>): Promise<void>;
  /** Absent: no credentials can be refreshed. */
  refreshCredentials?: RefreshCredentials;
};

/**
 * The connections of all workspaces, for calls. They are named by their id, or by their name, which is the same on every
 * machine. `open` throws SealedValueError for one whose credentials can't be opened.
 */
export function openConnections({ store, values, world, replaceSecrets, refreshCredentials }: Parts): Connections {
  const usedAt = new Map<string, number>();

  function find(workspaceId: number, reference: string): KeptConnection | null {
    const { connections } = values.of(workspaceId);
    const byId = connections.get(reference);
    return byId ?? [...connections.values()].find(({ record }) => record.name === reference) ?? null;
  }

  function noteUse(id: string): void {
    const at = world.now().getTime();
    if (at - (usedAt.get(id) ?? Number.NEGATIVE_INFINITY) < useEveryMs) return;
    usedAt.set(id, at);
    // A use that is not noted, as while the daemon stops, is no reason to fail a call.
    store.touchConnection({ id, at }).catch(() => undefined);
  }

  async function open(workspaceId: number, reference: string): Promise<OpenConnection | null> {
    const kept = find(workspaceId, reference);
    if (!kept || kept.record.status === "detached") return null;
    noteUse(kept.record.id);
    return toOpen(kept);
  }

  return {
    open,
    async refresh(workspaceId, reference) {
      const kept = find(workspaceId, reference);
      if (!kept || !refreshCredentials) return null;
      const refreshed = await refreshCredentials(toOpen(kept));
      if (!refreshed) return null;
      await replaceSecrets(kept, refreshed.secrets);
      return open(workspaceId, reference);
    },
    secretsOf(workspaceId) {
      const kept = [...values.of(workspaceId).connections.values()];
      return kept.flatMap(({ secrets }) => ("value" in secrets ? Object.values(secrets.value) : []));
    },
  };
}

function toOpen({ record, secrets }: KeptConnection): OpenConnection {
  const { id, name, connector, settings, requireApproval } = record;
  const opened = requireOpened(secrets, `the connection ${name}`);
  return { id, name, connector, settings, secrets: opened, requireApproval };
}
