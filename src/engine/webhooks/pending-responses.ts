import { type HttpAnswer, respondTimeoutMs } from "../../contract/webhook.ts";
import type { World } from "../world.ts";

/** A caller that waits for its run's answer. */
export type PendingResponse = {
  /** Settles when a Respond to Webhook node has answered and its end is durable; never, if none does. */
  answer: Promise<HttpAnswer>;
  /** A node has answered: the answer comes with the commit that is under way. */
  isClaimed(): boolean;
};

/**
 * The callers that wait in this process for the answers of their runs. After a restart there are none: whoever waited
 * is gone.
 */
export type PendingResponses = {
  /** This process, as runs know it (`synchronousHandlerId`). */
  handlerId: string;
  /** A caller waits from now on, 30 s at most, even if its connection breaks; called before the run can begin. */
  open(runId: string): void;
  find(runId: string): PendingResponse | null;
  /** Nobody waits any more. */
  close(runId: string): void;
  /** Whether a node may still answer. */
  isOpen(runId: string): boolean;
  /** Takes the right to answer; null when nobody waits or another node has it. */
  claim(runId: string): ((answer: HttpAnswer) => void) | null;
};

type Entry = PendingResponse & { resolve(answer: HttpAnswer): void; claimed: boolean; cancel(): void };

export function createPendingResponses(handlerId: string, { after }: Pick<World, "after">): PendingResponses {
  const entries = new Map<string, Entry>();

  function close(runId: string): void {
    entries.get(runId)?.cancel();
    entries.delete(runId);
  }

  return {
    handlerId,
    open(runId) {
      const { promise: answer, resolve } = Promise.withResolvers<HttpAnswer>();
      const cancel = after(respondTimeoutMs, () => close(runId));
      const entry: Entry = { answer, resolve, claimed: false, isClaimed: () => entry.claimed, cancel };
      entries.set(runId, entry);
    },
    find: (runId) => entries.get(runId) ?? null,
    close,
    isOpen: (runId) => entries.get(runId)?.claimed === false,
    claim(runId) {
      const entry = entries.get(runId);
      if (!entry || entry.claimed) return null;
      entry.claimed = true;
      return entry.resolve;
    },
  };
}
