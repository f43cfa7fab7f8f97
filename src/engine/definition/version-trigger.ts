import type { Json } from "../../contract/json.ts";
import type { WorkflowDefinition } from "../../contract/workflow.ts";
import type { TriggerKind } from "../../store/store.ts";

const kinds: readonly string[] = ["webhook", "schedule", "connector"] satisfies readonly TriggerKind[];

/** Bytes of a subscription's id: nobody guesses the address of a webhook (contract 11). */
const idBytes = 24;

/** What a definition listens to; null for a callable one. */
export function findTriggerData(
  definition: Pick<WorkflowDefinition, "nodes">,
): { kind: TriggerKind; config: { [key: string]: Json } } | null {
  const config = definition.nodes.find(({ type }) => type === "trigger")?.data;
  const kind = config?.["kind"];
  // A definition that was checked has one of these.
  return config && isKind(kind) ? { kind, config } : null;
}

function isKind(kind: unknown): kind is TriggerKind {
  return typeof kind === "string" && kinds.includes(kind);
}

/** A new id for a subscription: 32 characters of base64url, the first of them no hyphen: a command line would read an option. */
export function newSubscriptionId(randomBytes: (length: number) => Uint8Array): string {
  const [first = 0, ...rest] = randomBytes(idBytes);
  return Buffer.from([first & 0x7f, ...rest]).toString("base64url");
}
