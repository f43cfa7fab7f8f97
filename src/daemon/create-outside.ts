import type { OutsideSettings } from "../contract/outside.ts";
import { createBreakers } from "../engine/calls/breakers.ts";
import { type CallerParts, createConnectorCaller } from "../engine/calls/connector-caller.ts";
import { type OwnConnectors, createConnectorRegistry } from "../engine/connector-registry.ts";
import type { Connections, Connector } from "../engine/connector.ts";
import type { Services } from "../engine/services.ts";
import type { WorkspaceValues } from "../engine/workspace-values.ts";
import type { World } from "../engine/world.ts";
import type { Store } from "../store/store.ts";
import { type Egress, createEgress } from "./egress/create-egress.ts";
import type { ResolveName } from "./egress/guarded-agent.ts";

export type OutsideParts = {
  /** Connectors that every workspace has. */
  connectors: readonly Connector[];
  outside: OutsideSettings;
  /** The daemon's environment, which may hold keys of model providers. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The port that the daemon listens on, which no call may reach; null before it does. */
  ownPort(): number | null;
  resolveName?: ResolveName;
};

type Parts = OutsideParts &
  Pick<CallerParts, "startChildRun" | "files"> & {
    store: Store;
    world: World;
    own: OwnConnectors;
    values: Pick<WorkspaceValues, "knownAnywhere">;
  };

/** What calls go through: connectors, connections, egress guard and circuit breakers. */
export type Outside = Pick<Services, "connectors" | "connections" | "calls" | "fetchFor" | "breakers" | "retries">;

export function createOutside(
  { outside, environment, ownPort, resolveName, ...parts }: Parts,
  connections: Connections,
): { services: Outside; egress: Egress } {
  const { store, world, values, startChildRun, files } = parts;
  const holdsSecret = (text: string) => values.knownAnywhere()?.any.test(text) ?? false;
  const egress = createEgress({ settings: outside.egress, ownPort, holdsSecret, ...(resolveName && { resolveName }) });
  const { fetchFor } = egress;
  const connectors = createConnectorRegistry(parts.connectors, parts.own);
  const breakers = createBreakers(store, world, outside.breaker);
  const calls = createConnectorCaller({
    connectors,
    connections,
    breakers,
    world,
    fetchFor,
    environment,
    files,
    startChildRun,
  });
  return { services: { connectors, connections, calls, fetchFor, breakers, retries: outside.retries }, egress };
}
