import { compileManifest } from "../../connectors/manifest/compile-manifest.ts";
import type { LazyOperation } from "../../connectors/manifest/compile-operation.ts";
import type { ManifestHead, ManifestOperation, ManifestTrigger } from "../../contract/manifest.ts";
import type { OwnConnectors } from "../../engine/connector-registry.ts";
import type { Connector } from "../../engine/connector.ts";
import type { ConnectorRecord, Store } from "../../store/store.ts";

export type BuiltConnectors = OwnConnectors & {
  /** Has a connector read again when it is next asked for; whoever changes one calls it. */
  forget(workspaceId: number, slug: string): void;
};

/** Connectors that are kept ready; the one that was not asked for longest goes first. */
const maxReady = 32;

/** Connectors that workspaces have built, each made of its manifest once. */
export function createBuiltConnectors(store: Pick<Store, "findConnector" | "listConnectors">): BuiltConnectors {
  const ready = new Map<string, Promise<Connector | null>>();
  const nameOf = (workspaceId: number, slug: string): string => `${workspaceId} ${slug}`;

  async function load(workspaceId: number, slug: string): Promise<Connector | null> {
    const record = await store.findConnector(workspaceId, slug);
    return record && compileRecord(record);
  }

  function find(workspaceId: number, slug: string): Promise<Connector | null> {
    const name = nameOf(workspaceId, slug);
    const known = ready.get(name) ?? load(workspaceId, slug);
    ready.delete(name);
    ready.set(name, known);
    known.then(
      // What is not there may be built at any time, under any name.
      (connector) => connector ?? drop(name, known),
      () => drop(name, known),
    );
    for (const oldest of ready.keys()) {
      if (ready.size <= maxReady) break;
      ready.delete(oldest);
    }
    return known;
  }

  function drop(name: string, known: Promise<Connector | null>): void {
    if (ready.get(name) === known) ready.delete(name);
  }

  return {
    find,
    async list(workspaceId) {
      const summaries = await store.listConnectors(workspaceId);
      const found = await Promise.all(summaries.map(({ slug }) => find(workspaceId, slug)));
      return found.filter((connector) => connector !== null);
    },
    forget: (workspaceId, slug) => void ready.delete(nameOf(workspaceId, slug)),
  };
}

/** The documents were checked before they were stored; each operation's is read when it is first needed. */
function compileRecord({ head, parts }: ConnectorRecord): Connector {
  const operations: LazyOperation[] = [];
  const triggers: ManifestTrigger[] = [];
  for (const { kind, key, name, description, document } of parts) {
    if (kind === "trigger") triggers.push(JSON.parse(document) as ManifestTrigger);
    else operations.push({ key, name, description, load: () => JSON.parse(document) as ManifestOperation });
  }
  return compileManifest(JSON.parse(head) as ManifestHead, operations, triggers);
}
