import type { Json } from "../../contract/json.ts";
import type { RunError } from "../../contract/run.ts";
import type { EventRecord, NewEvent } from "../store.ts";
import { eventCodes } from "./codes.ts";

/** Numbers of events that one run has room for in the journal's packed key, 0 being none. */
const seqRoom = 2 ** 20;

/** The last `seq` a run can reach. */
export const maxSeq = seqRoom - 1;

/** The journal's key of event `seq` of the run with this inside id. */
export function journalKey(runId: number, seq: number): number {
  return runId * seqRoom + seq;
}

/** An event as the journal holds it. JSON texts; null for what the event does not have. */
export type EventRow = {
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

export function encodeEvent(event: NewEvent): EventRow {
  return {
    type: eventCodes.encode(event.type),
    stepId: event.stepId,
    iteration: event.iteration && JSON.stringify(event.iteration),
    attempt: event.attempt,
    durationMs: event.durationMs ?? null,
    createdAt: event.createdAt,
    input: encodeOptional(event.inputData),
    output: encodeOptional(event.outputData),
    error: encodeOptional(event.error),
  };
}

export function decodeEvent({ seq, ...row }: EventRow & { seq: number }): EventRecord {
  return {
    seq,
    type: eventCodes.decode(row.type),
    stepId: row.stepId,
    iteration: row.iteration === null ? null : (JSON.parse(row.iteration) as number[]),
    attempt: row.attempt,
    ...(row.input === null ? {} : { inputData: JSON.parse(row.input) as Json }),
    ...(row.output === null ? {} : { outputData: JSON.parse(row.output) as Json }),
    ...(row.durationMs === null ? {} : { durationMs: row.durationMs }),
    ...(row.error === null ? {} : { error: JSON.parse(row.error) as RunError }),
    createdAt: row.createdAt,
  };
}

/** JSON null is a value; only what is absent becomes null here. */
function encodeOptional(value: Json | RunError | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
