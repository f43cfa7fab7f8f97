import type { Json } from "../../contract/json.ts";
import type { RunError } from "../../contract/run.ts";
import type { EventRecord, NewEvent, SealedPayload, SealedPlace } from "../../store/store.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import { redact } from "./redact.ts";
import { type Sealer, GoneOriginalsError, describePlace } from "./seal.ts";

/*
 * Everything that a run persists passes here once: what is stored is redacted, and where that changed anything the
 * original goes along sealed. A payload without findings is the very value that came in and costs no sealing.
 */

/** Payloads that stand together at one place of a run. */
type Payloads = { inputData?: Json; outputData?: Json; error?: RunError | null; input?: Json; output?: Json };

export type Redacted<P extends Payloads> = { payloads: P; sealed: SealedPayload[] };

/** What redaction and sealing need; `known` are the secrets of the run's workspace as they are now. */
export type Redactor = { sealer: Sealer; known: KnownSecrets | null };

/** Redacts the payloads of one place and seals the originals of those that changed. */
export function redactPayloads<P extends Payloads>(
  { sealer, known }: Redactor,
  runId: string,
  place: SealedPlace,
  payloads: P,
): Redacted<P> {
  const originals: { [key: string]: Json } = {};
  const redacted: Payloads = {};
  for (const name of payloadNames) {
    const original = payloads[name];
    if (original === undefined || original === null) continue;
    const value = name === "error" ? redactError(original as RunError, known) : redact(original as Json, known).value;
    if (value === original) continue;
    originals[name] = original as Json;
    Object.assign(redacted, { [name]: value });
  }
  if (Object.keys(originals).length === 0) return { payloads, sealed: [] };
  const sealed = { place, content: sealer.seal(runId, place, originals) };
  return { payloads: { ...payloads, ...redacted }, sealed: [sealed] };
}

const payloadNames = ["inputData", "outputData", "error", "input", "output"] as const;

/** A step's id is no payload: it has to name its step whatever it looks like. */
function redactError(error: RunError, known: KnownSecrets | null): RunError {
  // Redaction keeps the shape of what it is given.
  const redacted = redact(error as Json, known).value as RunError;
  if (redacted === error || error.step_id === undefined) return redacted;
  const { message, code, details } = redacted;
  const isSame = message === error.message && code === error.code && details === error.details;
  return isSame ? error : { ...redacted, step_id: error.step_id };
}

/** An event as it may be stored, and what has to be sealed with it. */
export function redactEvent(
  redactor: Redactor,
  runId: string,
  seq: number,
  event: NewEvent,
): { event: NewEvent; sealed: SealedPayload[] } {
  const { payloads, sealed } = redactPayloads(redactor, runId, seq, event);
  return sealed.length === 0 ? { event, sealed } : { event: { ...event, ...payloads, isRedacted: true }, sealed };
}

/** The event as it happened. Throws GoneOriginalsError where it was redacted and its originals are not there. */
export function restoreEvent(
  sealer: Sealer,
  runId: string,
  event: EventRecord,
  sealed: SealedPayload | undefined,
): EventRecord {
  if (!event.isRedacted) return event;
  // An event's error is never null: a payload that was null was not redacted.
  return { ...event, ...openPayloads(sealer, runId, event.seq, sealed) } as EventRecord;
}

/** The originals of one place, by the payload's name. Throws GoneOriginalsError when they are not there. */
export function openPayloads(
  sealer: Sealer,
  runId: string,
  place: SealedPlace,
  sealed: SealedPayload | undefined,
): Payloads {
  if (!sealed) {
    throw new GoneOriginalsError(describePlace(runId, place), "they were deleted after their time (retention.sealed)");
  }
  // Sealed by `redactPayloads`, and nobody else has the key.
  return sealer.open(runId, place, sealed.content) as Payloads;
}
