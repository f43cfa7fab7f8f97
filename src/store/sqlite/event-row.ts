import type { Json } from "../../contract/json.ts";
import type { RunError } from "../../contract/run.ts";
import type { EventRecord, NewEvent, SealedPlace } from "../store.ts";
import { eventCodes } from "./codes.ts";

/** How many numbers, 0 among them, one run has in the journal's key. */
const seqRoom = 2 ** 20;

/** The last `seq` that a run can reach: 0 and the last number are its input's and its result's. */
export const maxSeq = seqRoom - 2;

/** The journal's key of event `seq` of the run with this inside id. */
export function journalKey(insideId: number, seq: number): number {
  return insideId * seqRoom + seq;
}

/** The inside id of the run that a key of the journal belongs to. */
export function runOfKey(key: number): number {
  return Math.floor(key / seqRoom);
}

/** The key of what is sealed at a place of a run: that of the event, and the free numbers around them. */
export function sealedKey(insideId: number, place: SealedPlace): number {
  return journalKey(insideId, place === "input" ? 0 : place === "result" ? seqRoom - 1 : place);
}

/** Bits of `journal.marks` (migration 3). */
const eventMarks = { redacted: 1, copied: 2 } as const;

/** An event as it is bound to an insert: payloads are JSON texts, null is what the event does not have. */
export type EventValues = [
  type: number,
  stepId: string,
  iteration: string | null,
  attempt: number,
  durationMs: number | null,
  createdAt: number,
  input: string | null,
  output: string | null,
  error: string | null,
  marks: number,
];

/** When an event happened, in epoch milliseconds. */
export function createdAtOf([, , , , , createdAt]: EventValues): number {
  return createdAt;
}

/** An event as it is read. */
export type EventRow = {
  seq: number;
  type: number;
  stepId: string;
  iteration: string | null;
  attempt: number;
  durationMs: number | null;
  createdAt: number;
  input: string | null;
  output: string | null;
  error: string | null;
  marks: number;
};

export function encodeEvent(event: NewEvent): EventValues {
  return [
    eventCodes.encode(event.type),
    event.stepId,
    event.iteration && JSON.stringify(event.iteration),
    event.attempt,
    event.durationMs ?? null,
    event.createdAt,
    encodePayload(event.inputData),
    encodePayload(event.outputData),
    encodePayload(event.error),
    (event.isRedacted ? eventMarks.redacted : 0) | (event.isCopied ? eventMarks.copied : 0),
  ];
}

export function decodeEvent(row: EventRow): EventRecord {
  return {
    seq: row.seq,
    type: eventCodes.decode(row.type),
    stepId: row.stepId,
    iteration: row.iteration === null ? null : JSON.parse(row.iteration),
    attempt: row.attempt,
    ...(row.input === null ? {} : { inputData: JSON.parse(row.input) }),
    ...(row.output === null ? {} : { outputData: JSON.parse(row.output) }),
    ...(row.durationMs === null ? {} : { durationMs: row.durationMs }),
    ...(row.error === null ? {} : { error: JSON.parse(row.error) }),
    createdAt: row.createdAt,
    ...((row.marks & eventMarks.redacted) === 0 ? {} : { isRedacted: true }),
    ...((row.marks & eventMarks.copied) === 0 ? {} : { isCopied: true }),
  };
}

/** JSON null is a payload; only an absent one becomes null here. */
function encodePayload(value: Json | RunError | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
