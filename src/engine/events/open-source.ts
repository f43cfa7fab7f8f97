import type { OpenConnection } from "../connector.ts";
import type { StepError } from "../node.ts";
import type { Services } from "../services.ts";
import type { EventSource } from "./event-source.ts";

type Opened = { connection: OpenConnection | null } | { error: StepError };

/** The connection whose events count, with its newest credentials, or why it can't be had. */
export async function openSource(
  { connections }: Pick<Services, "connections">,
  workspaceId: number,
  { connector, connectionId }: Pick<EventSource, "connector" | "connectionId">,
): Promise<Opened> {
  const { slug, auth } = connector;
  if (connectionId === null) {
    if (auth.optional || auth.type === "none") return { connection: null };
    return invalid(`${slug} needs a connection; add one with \`stepgate connections add ${slug}\` and name it here`);
  }
  try {
    const connection = await connections.open(workspaceId, connectionId);
    if (!connection) {
      return invalid(`There is no connection ${connectionId} that can be used; see \`stepgate connections list\``);
    }
    if (connection.connector === slug) return { connection };
    return invalid(`The connection ${connection.name} is one of ${connection.connector}, not of ${slug}`);
  } catch (thrown) {
    // Such as after a loss of the master key.
    return invalid(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function invalid(message: string): { error: StepError } {
  return { error: { code: "VALIDATION_ERROR", message } };
}
