import { createHash } from "node:crypto";
import type { Iteration } from "../../contract/iteration.ts";

/** A place in a distributed trace. A trace that is not sampled is handed on and not recorded. */
export type TraceContext = { traceId: string; spanId: string; isSampled: boolean };

const pattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Reads a `traceparent` (W3C Trace Context); null for what is none. A later version may have more at its end. */
export function readTraceparent(text: unknown): TraceContext | null {
  const [, version, traceId, spanId, flags, rest] = (typeof text === "string" && pattern.exec(text.trim())) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === "00" && rest !== undefined) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** What of a run its trace is made of. */
export type TracedRun = { id: string; traceparent: string | null };

/**
 * The place of a run in its trace: below the call that started it, else in a trace of its own. It follows from the run's
 * record, so that an executor after a restart goes on in the same trace.
 */
export function runContext({ id, traceparent }: TracedRun): TraceContext & { parent: TraceContext | null } {
  const parent = readTraceparent(traceparent);
  const spanId = spanIdOf(`run ${id}`);
  return { traceId: parent?.traceId ?? id.replaceAll("-", ""), spanId, isSampled: parent?.isSampled ?? true, parent };
}

/** The place of a step of a run. */
export function stepContext(run: TracedRun, stepId: string, iteration: Iteration): TraceContext {
  const { traceId, isSampled } = runContext(run);
  return { traceId, spanId: spanIdOf(`step ${run.id} ${stepId} ${iteration?.join(",") ?? ""}`), isSampled };
}

function spanIdOf(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 16);
}
