import * as z from "zod";
import { ApiError } from "../../contract/errors.ts";
import type { Connector } from "../../engine/connector.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import type { Services } from "../../engine/services.ts";

/** A connector's slug as a field: any text at run time, so that an unknown one is not found rather than malformed. */
export const connectorId = z.string().describe("The connector's slug");

/** A connector of the workspace; throws CONNECTOR_NOT_FOUND with the nearest slug. */
export async function requireConnector(
  { connectors, builds, store }: Pick<Services, "connectors" | "builds" | "store">,
  workspaceId: number,
  slug: string,
): Promise<Connector> {
  const connector = await connectors.find(workspaceId, slug);
  if (connector) return connector;
  const own = await store.listConnectors(workspaceId);
  const slugs = [...builds.bundled, ...own].map((one) => one.slug);
  const message = `There is no connector ${slug.slice(0, 100)}${didYouMean(slug, slugs)}`;
  throw new ApiError("CONNECTOR_NOT_FOUND", message);
}
