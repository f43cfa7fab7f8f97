import type { BuildIssue, BuildRequest } from "../contract/manifest.ts";
import type { BuildRecord } from "../store/store.ts";
import type { Connector } from "./connector.ts";

/** Builds connectors of manifests and API descriptions, in the background and away from the daemon's own thread. */
export type ConnectorBuilds = {
  /** Connectors that every workspace has; their slugs can't be built. */
  bundled: readonly Connector[];
  /** Queues a build once it is durable. Throws SLUG_TAKEN for a bundled slug, OVERLOADED when too many wait. */
  submit(workspaceId: number, request: BuildRequest, bytes: Uint8Array): Promise<BuildRecord>;
  /** Says what would be wrong, and stores nothing. Throws OVERLOADED when too many wait. */
  check(request: BuildRequest, bytes: Uint8Array): Promise<BuildIssue[]>;
  /** Removes a built connector. Throws CONNECTOR_NOT_FOUND, and CONFLICT while it has connections. */
  remove(workspaceId: number, slug: string): Promise<void>;
};
