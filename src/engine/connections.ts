import type * as z from "zod";
import type { ConnectionBody, ConnectionFields, connectionChange, connectionRequest } from "../contract/connection.ts";
import { ApiError } from "../contract/errors.ts";
import type { ConnectionChange, NewConnection } from "../store/store.ts";
import { checkConnectionFields, separateGate } from "./connection-fields.ts";
import type { Connector } from "./connector.ts";
import { didYouMean } from "./definition/nearest-name.ts";
import type { KeptConnection } from "./kept-values.ts";
import { needsSignIn, tokenExpiry } from "./oauth/token-set.ts";
import { isoTime } from "./presentation/present-time.ts";
import { owners, requireOpened, sealValue } from "./sealed-value.ts";
import type { Services } from "./services.ts";

type Manager = Pick<Services, "store" | "world" | "values" | "cipher" | "connectors">;

export type NewConnectionRequest = z.output<typeof connectionRequest>;
export type ConnectionChangeRequest = z.output<typeof connectionChange>;

/**
 * Makes a connection of a workspace; its credentials are sealed before they are stored (contract 13). Throws
 * CONNECTOR_NOT_FOUND, BAD_REQUEST for fields that the connector does not have or misses, CONFLICT for a name in use.
 */
export async function createConnection(
  services: Manager,
  workspaceId: number,
  request: NewConnectionRequest,
): Promise<ConnectionBody> {
  const { store, world, cipher, values } = services;
  const connector = await requireConnector(services, workspaceId, request.connector);
  const { name, secrets } = request;
  checkConnectionFields(connector, request);
  const { settings, requireApproval = false } = separateGate(request.settings);
  const id = world.newId();
  const connection: NewConnection = {
    id,
    workspaceId,
    connector: connector.slug,
    name,
    settings,
    secrets: sealValue(cipher, owners.connection(workspaceId, id), secrets),
    requireApproval: request.require_approval || requireApproval,
    status: needsSignIn(connector, secrets) ? "needs_auth" : "active",
    createdAt: world.now().getTime(),
  };
  if (!(await store.createConnection(connection))) throw nameTaken(name);
  await values.refresh(workspaceId);
  return presentConnection(requireConnection(services, workspaceId, id));
}

/** By name. */
export async function listConnections(services: Manager, workspaceId: number): Promise<ConnectionBody[]> {
  // What is in memory lacks the latest uses.
  await services.values.refresh(workspaceId);
  return [...services.values.of(workspaceId).connections.values()].map(presentConnection);
}

/** A connection by its id or name. Throws NOT_FOUND. */
export async function showConnection(
  services: Manager,
  workspaceId: number,
  reference: string,
): Promise<ConnectionBody> {
  await services.values.refresh(workspaceId);
  return presentConnection(requireConnection(services, workspaceId, reference));
}

/**
 * Changes a connection; what is absent stays. New credentials are used by the next call. Throws what `createConnection`
 * throws, and CONFLICT when it was changed meanwhile.
 */
export async function updateConnection(
  services: Manager,
  workspaceId: number,
  reference: string,
  change: ConnectionChangeRequest,
): Promise<ConnectionBody> {
  const { store, world, values } = services;
  const kept = requireConnection(services, workspaceId, reference);
  const { id, revision } = kept.record;
  if (change.settings || change.secrets) await checkChange(services, kept, change);
  const stored = { ...storedChange(services, kept, change), seen: revision, at: world.now().getTime() };
  const updated = await store.updateConnection({ workspaceId, id, ...stored });
  await values.refresh(workspaceId);
  if (updated === "name_taken") throw nameTaken(change.name);
  if (updated === "changed") throw new ApiError("CONFLICT", "The connection was changed meanwhile; try again");
  return presentConnection(requireConnection(services, workspaceId, id));
}

function storedChange(
  { cipher }: Pick<Services, "cipher">,
  { record: { workspaceId, id, status } }: KeptConnection,
  { name, settings: given, secrets, require_approval, attach }: ConnectionChangeRequest,
): Omit<ConnectionChange, "workspaceId" | "id" | "at"> {
  const separate = given && separateGate(given);
  const settings = separate?.settings;
  const requireApproval = require_approval ?? separate?.requireApproval;
  const isBack = attach ?? (secrets !== undefined && status === "needs_auth");
  return {
    ...(name !== undefined && { name }),
    ...(settings && { settings }),
    ...(secrets && { secrets: sealValue(cipher, owners.connection(workspaceId, id), secrets) }),
    ...(requireApproval !== undefined && { requireApproval }),
    ...(isBack && { status: "active" as const }),
  };
}

/** What is not changed counts too: a field may be needed only beside others. */
async function checkChange(services: Manager, kept: KeptConnection, change: ConnectionChangeRequest): Promise<void> {
  const { workspaceId, name, connector: slug } = kept.record;
  const secrets = change.secrets ?? requireOpened(kept.secrets, `the connection ${name}`);
  const connector = await requireConnector(services, workspaceId, slug);
  checkConnectionFields(connector, { settings: change.settings ?? kept.record.settings, secrets });
}

/** Removes a connection for good; it as it was. Steps that use it fail from then on. Throws NOT_FOUND. */
export async function removeConnection(
  services: Manager,
  workspaceId: number,
  reference: string,
): Promise<ConnectionBody> {
  const kept = requireConnection(services, workspaceId, reference);
  await services.store.removeConnection({ workspaceId, id: kept.record.id });
  await services.values.refresh(workspaceId);
  return presentConnection(kept);
}

/** Stores refreshed credentials of a connection, unless somebody replaced those that they were got with. */
export async function replaceCredentials(
  { store, cipher, world, values }: Pick<Services, "store" | "cipher" | "world" | "values">,
  { record: { workspaceId, id, secrets: seenSecrets } }: KeptConnection,
  secrets: Readonly<Record<string, string>>,
): Promise<void> {
  const sealed = sealValue(cipher, owners.connection(workspaceId, id), { ...secrets });
  const at = world.now().getTime();
  await store.updateConnection({ workspaceId, id, seenSecrets, secrets: sealed, status: "active", at });
  await values.refresh(workspaceId);
}

/** Notes whether a connection's credentials are taken, unless somebody replaced them; people are told when they are not. */
export async function noteConnectionStatus(
  {
    store,
    world,
    values,
    tellsPeople,
    wakeAt,
  }: Pick<Services, "store" | "world" | "values" | "tellsPeople" | "wakeAt">,
  { record: { workspaceId, id, secrets: seenSecrets } }: KeptConnection,
  status: "active" | "needs_auth",
): Promise<void> {
  const at = world.now().getTime();
  await store.updateConnection({ workspaceId, id, seenSecrets, status, tellsPeople, at });
  await values.refresh(workspaceId);
  wakeAt(at);
}

/** What a connector's connections are asked for. Throws CONNECTOR_NOT_FOUND. */
export async function describeConnectionFields(
  services: Manager,
  workspaceId: number,
  slug: string,
): Promise<ConnectionFields> {
  const { name, auth, slug: connector } = await requireConnector(services, workspaceId, slug);
  const fields = auth.fields.map(({ name: field, label, secret, required, description = null }) => {
    return { name: field, label, secret, required, description };
  });
  const sign_in = auth.oauth2?.grant === "authorization_code" && auth.oauth2.authorizationUrl !== null;
  return { connector, name, auth: auth.type, sign_in, fields };
}

/** A connection by its id, else by its name; throws NOT_FOUND with the nearest name. */
export function requireConnection(
  { values }: Pick<Services, "values">,
  workspaceId: number,
  reference: string,
): KeptConnection {
  const { connections } = values.of(workspaceId);
  const all = [...connections.values()];
  const kept = connections.get(reference.toLowerCase()) ?? all.find(({ record }) => record.name === reference);
  if (kept) return kept;
  const names = all.map(({ record }) => record.name);
  const message = `No connection has the id or name ${reference.slice(0, 100)}${didYouMean(reference, names)}`;
  throw new ApiError("NOT_FOUND", message);
}

async function requireConnector(
  { connectors }: Pick<Services, "connectors">,
  workspaceId: number,
  slug: string,
): Promise<Connector> {
  const connector = await connectors.find(workspaceId, slug);
  if (connector) return connector;
  const slugs = (await connectors.list(workspaceId)).map((each) => each.slug);
  const message = `There is no connector ${slug.slice(0, 100)}${didYouMean(slug, slugs)}`;
  throw new ApiError("CONNECTOR_NOT_FOUND", message);
}

function presentConnection({ record, secrets }: KeptConnection): ConnectionBody {
  const { id, name, connector, settings, requireApproval, createdAt, updatedAt, lastUsedAt } = record;
  return {
    id,
    name,
    connector,
    status: "problem" in secrets ? "locked" : record.status,
    settings,
    require_approval: requireApproval,
    secret_fields: "value" in secrets ? Object.keys(secrets.value).filter((field) => field !== tokenExpiry) : [],
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
    last_used_at: isoTime(lastUsedAt),
  };
}

function nameTaken(name = ""): ApiError {
  return new ApiError("CONFLICT", `The workspace has a connection ${name} already; choose another name, or update it`);
}
