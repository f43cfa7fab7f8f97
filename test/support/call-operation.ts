import type { Json } from "../../src/contract/json.ts";
import type { Connector, OpenConnection, OperationCall } from "../../src/engine/connector.ts";
import type { StepOutcome } from "../../src/engine/node.ts";

/** A connection with these settings and credentials. */
export function connection(
  connector: Connector,
  settings: Record<string, Json>,
  secrets: Record<string, string> = {},
): OpenConnection {
  return { id: "c1", name: "test", connector: connector.slug, settings, secrets, requireApproval: false };
}

const noFile = async (): Promise<never> => Promise.reject(new Error("There are no files here"));

/** Calls one operation as the engine does, without a guard. */
export async function callOperation(
  connector: Connector,
  key: string,
  input: { [key: string]: Json },
  parts: Partial<OperationCall> = {},
): Promise<StepOutcome> {
  const operation = connector.operations.find((entry) => entry.key === key);
  if (!operation) throw new Error(`${connector.slug} has no operation ${key}`);
  return operation.run({
    input,
    connection: null,
    fetch,
    fetchFile: fetch,
    files: { save: noFile, open: noFile },
    idempotencyKey: "run-1:ask",
    runAction: async ({ slug }) => ({ kind: "await_run", runId: `run of ${slug}` }),
    workspaceId: 1,
    run: { id: "run-1" },
    attempt: 1,
    signal: new AbortController().signal,
    now: () => new Date("2026-11-21T10:00:00Z"),
    random: () => 0.5,
    log: () => undefined,
    ...parts,
  });
}
