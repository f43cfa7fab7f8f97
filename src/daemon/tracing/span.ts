import type { TraceContext } from "./trace-context.ts";

/** Something that took time, as it is told to the collector. Texts are names, ids and codes, never a payload's. */
export type Span = {
  context: TraceContext;
  parent: TraceContext | null;
  name: string;
  kind: "server" | "internal";
  /** Epoch milliseconds. */
  startedAt: number;
  endedAt: number;
  isError: boolean;
  attributes: { readonly [name: string]: string | number | boolean };
  events: readonly { name: string; at: number; attributes: { readonly [name: string]: string | number } }[];
};

/** Where spans go to. */
export type SpanSink = {
  send(span: Span): void;
  /** Sends what has gathered; settles when it has arrived or could not be sent. */
  stop(): Promise<void>;
};
