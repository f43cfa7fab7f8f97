import type { Services } from "../../engine/services.ts";
import type { StreamEvent } from "../operation.ts";
import { readWatched } from "./present-watched.ts";
import type { RunChanges } from "./run-changes.ts";

/** Changes of one run within this time reach a reader as one: nobody reads faster (cli.md, measured fact 6). */
const batchMs = 100;

/**
 * A workspace's changed runs after change `after`, each as it stands when it is sent. A batch's last event alone carries
 * the change number, so that a reader that is cut off within a batch gets all of it again.
 */
export async function* followChanges(
  services: Pick<Services, "store" | "versions" | "world">,
  changes: RunChanges,
  { workspaceId, after }: { workspaceId: number; after: number },
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, void> {
  let seen = after;
  // The stream's head leaves with its first bytes: a reader has to know at once that it is heard.
  yield { event: "ready", id: seen, data: JSON.stringify({ change: seen }) };
  while (!signal.aborted) {
    await changes.next(seen, signal);
    if (signal.aborted) return;
    // Too far behind for what is remembered: the reader comes back and is told so.
    if (!changes.knows(seen)) return;
    const upTo = changes.latest();
    const runs = await readWatched(services, workspaceId, changes.since(workspaceId, seen));
    for (const [index, run] of runs.entries()) {
      const isLast = index === runs.length - 1;
      yield { event: "run", ...(isLast && { id: upTo }), data: JSON.stringify(run) };
    }
    seen = upTo;
    await pause(services, signal);
  }
}

async function pause({ world }: Pick<Services, "world">, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = world.after(batchMs, resolve);
  const abort = () => resolve();
  signal.addEventListener("abort", abort, { once: true });
  await promise;
  stop();
  signal.removeEventListener("abort", abort);
}
