import type { Json } from "../../contract/json.ts";
import type { RunError } from "../../contract/run.ts";
import type { EventRecord, NewEvent } from "../store.ts";
import { eventCodes } from "./codes.ts";

/** How many numbers, 0 among them, one run has in the journal's key. */
const seqRoom = 2 ** 20;

/** The last `seq` that a run can reach. */
export const maxSeq = seqRoom - 1;

/** The journal's key of event `seq` of the run with this inside id. */
export function journalKey(insideId: number, seq: number): number {
  return insideId * seqRoom + seq;
}

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
];

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
  };
}

/** JSON null is a payload; only an absent one becomes null here. */
function encodePayload(value: Json | RunError | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
