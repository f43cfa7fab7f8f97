import type { Json } from "../../contract/json.ts";
import type { EventRecord, RunRecord, SealedPayload } from "../../store/store.ts";
import { openPayloads, restoreEvent } from "../redaction/seal-payload.ts";
import type { Services } from "../services.ts";

const pageSize = 1000;

type Sources = Pick<Services, "store" | "sealer">;

/** A run's input as its caller gave it. Throws GoneOriginalsError when only the redacted one is left. */
export async function readInput({ store, sealer }: Sources, run: RunRecord): Promise<Json> {
  if (!run.isInputRedacted) return run.input;
  const sealed = await store.findSealed(run.id, "input");
  return openPayloads(sealer, run.id, "input", sealed ?? undefined).input ?? null;
}

/** A run's journal as it happened. Throws GoneOriginalsError at the first event of which only the redacted form is left. */
export async function* readOriginals(sources: Sources, run: RunRecord): AsyncGenerator<EventRecord> {
  for await (const { event, sealed } of readWithSealed(sources, run)) {
    yield restoreEvent(sources.sealer, run.id, event, sealed);
  }
}

/** A run's journal as it is stored, and beside each redacted event its sealed originals, where they are kept. */
export async function* readWithSealed(
  { store }: Pick<Sources, "store">,
  run: RunRecord,
): AsyncGenerator<{ event: EventRecord; sealed: SealedPayload | undefined }> {
  for (let after = 0; after < run.seq;) {
    const page = await store.readJournal(run.id, after, pageSize);
    const last = page.at(-1);
    if (!last) throw new Error(`The journal of run ${run.id} ends at ${after}, before its event ${run.seq}`);
    const isDirty = page.some((event) => event.isRedacted);
    const sealed = isDirty ? await store.listSealed(run.id, after, last.seq) : [];
    const byPlace = new Map(sealed.map((payload) => [payload.place, payload]));
    for (const event of page) yield { event, sealed: byPlace.get(event.seq) };
    after = last.seq;
  }
}
