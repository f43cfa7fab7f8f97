import { resolve } from "node:path";
import type { TestPlace } from "./find-tests.ts";

/** Editors save in several steps; what comes within this time is one change. */
const settleMs = 100;

/**
 * Calls `run` with the tests that a change concerns, their own or their workflow's, one batch after the other. Settles
 * when `signal` aborts.
 */
export async function watchTests(
  places: readonly TestPlace[],
  run: (changed: readonly TestPlace[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  // Loaded when it is needed: most commands watch nothing.
  const { watch } = await import("chokidar");
  const concerned = new Set<TestPlace>();
  let timer: NodeJS.Timeout | undefined;
  let inHand = Promise.resolve();
  const runChanged = async () => {
    const batch = places.filter((place) => concerned.has(place));
    concerned.clear();
    if (batch.length > 0) await run(batch);
  };
  const watcher = watch(
    places.flatMap(({ file, workflow }) => [resolve(file), resolve(workflow)]),
    { ignoreInitial: true },
  );
  const note = (path: string) => {
    for (const place of places)
      if ([place.file, place.workflow].some((own) => resolve(own) === path)) concerned.add(place);
    clearTimeout(timer);
    timer = setTimeout(() => void (inHand = inHand.then(runChanged)), settleMs);
  };
  watcher.on("add", note).on("change", note);
  await new Promise<void>((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
  clearTimeout(timer);
  await watcher.close();
  await inHand;
}
