import type { Connector, ConnectorRegistry } from "./connector.ts";

/** Connectors of one workspace that are not bundled. */
export type OwnConnectors = {
  find(workspaceId: number, slug: string): Promise<Connector | null>;
  list(workspaceId: number): Promise<readonly Connector[]>;
};

/** The connectors that there are for a workspace: the bundled ones, whose slugs nobody can take, and its own. */
export function createConnectorRegistry(bundled: readonly Connector[], own?: OwnConnectors): ConnectorRegistry {
  const bySlug = new Map(bundled.map((connector) => [connector.slug, connector]));
  return {
    find: async (workspaceId, slug) => bySlug.get(slug) ?? (await own?.find(workspaceId, slug)) ?? null,
    async list(workspaceId) {
      const others = (await own?.list(workspaceId)) ?? [];
      return [...bundled, ...others.filter(({ slug }) => !bySlug.has(slug))];
    },
  };
}
