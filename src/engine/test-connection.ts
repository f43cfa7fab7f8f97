import type { ConnectionTest } from "../contract/connection.ts";
import { ApiError } from "../contract/errors.ts";
import type { ConnectionStatus } from "../store/store.ts";
import { requireConnection } from "./connections.ts";
import type { Connector, OpenConnection } from "./connector.ts";
import type { StepError, StepOutcome } from "./node.ts";
import { thrownError } from "./execution/step-errors.ts";
import type { KnownSecrets } from "./redaction/known-secrets.ts";
import { redact } from "./redaction/redact.ts";
import { requireOpened } from "./sealed-value.ts";
import type { Services } from "./services.ts";

type Tester = Pick<
  Services,
  "store" | "world" | "limits" | "values" | "connectors" | "connections" | "fetchFor" | "tellsPeople" | "wakeAt"
>;

/**
 * Calls a connection's service in a way that changes nothing there, and says whether that worked. What it shows is kept
 * as the connection's status. Throws NOT_FOUND, and CONFLICT when its credentials can't be opened.
 */
export async function testConnection(
  services: Tester,
  workspaceId: number,
  reference: string,
): Promise<ConnectionTest> {
  const { values, world, store } = services;
  const kept = requireConnection(services, workspaceId, reference);
  const { id, name, connector: slug, status } = kept.record;
  if ("problem" in kept.secrets)
    throw new ApiError("CONFLICT", `The connection ${name} can't be used: ${kept.secrets.problem}`);
  const connector = await services.connectors.find(workspaceId, slug);
  if (!connector) throw new ApiError("CONNECTOR_NOT_FOUND", `There is no connector ${slug} any more`);
  const startedMs = world.monotonicMs();
  const open = { ...kept.record, secrets: requireOpened(kept.secrets, name) };
  const outcome = await callWithRefresh(services, workspaceId, connector, open);
  const duration_ms = Math.round(world.monotonicMs() - startedMs);
  const error = outcome?.kind === "fail" ? outcome.error : null;
  const shown = outcome ? statusAfter(status, error) : status;
  if (shown !== status) {
    await store.updateConnection({ workspaceId, id, status: shown, at: world.now().getTime() });
    await values.refresh(workspaceId);
  }
  const told = error && { code: error.code, message: redactText(error.message, values.known(workspaceId)) };
  return { id, name, connector: slug, ok: error === null, tested: outcome !== null, error: told, duration_ms };
}

/** Only what is known for sure: other failures say nothing about the credentials. */
function statusAfter(status: ConnectionStatus, error: StepError | null): ConnectionStatus {
  if (status === "detached") return status;
  if (error === null) return "active";
  return error.code === "AUTH_EXPIRED" ? "needs_auth" : status;
}

function redactText(text: string, known: KnownSecrets | null): string {
  const { value } = redact(text, known);
  return typeof value === "string" ? value : "";
}

/** With tokens that are fresh, where the connection has any; one that is detached is asked as it is. */
async function callWithRefresh(
  services: Tester,
  workspaceId: number,
  connector: Connector,
  kept: OpenConnection,
): Promise<StepOutcome | null> {
  const { connections } = services;
  const open = (await connections.open(workspaceId, kept.id).catch(() => null)) ?? kept;
  const outcome = await call(services, workspaceId, connector, open);
  if (outcome?.kind !== "fail" || outcome.error.code !== "AUTH_EXPIRED") return outcome;
  const refreshed = await connections.refresh(workspaceId, open.id, open).catch(() => null);
  return refreshed ? call(services, workspaceId, connector, refreshed) : outcome;
}

/** Null when the connector has nothing to test with. */
async function call(
  { world, limits, fetchFor }: Tester,
  workspaceId: number,
  connector: Connector,
  connection: OpenConnection,
): Promise<StepOutcome | null> {
  if (!connector.test) return null;
  const abort = new AbortController();
  const cancel = world.after(limits.stepTimeoutSeconds * 1000, () => abort.abort());
  const { signal } = abort;
  const log = (): void => undefined;
  try {
    return await connector.test({
      connection,
      fetch: fetchFor(connection),
      workspaceId,
      signal,
      now: () => world.now(),
      random: () => world.random(),
      log,
    });
  } catch (thrown) {
    return { kind: "fail", error: thrownError(thrown) };
  } finally {
    cancel();
  }
}
