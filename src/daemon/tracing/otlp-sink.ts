import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { Log } from "../log.ts";
import type { Span, SpanSink } from "./span.ts";
import type { TraceContext } from "./trace-context.ts";

/** How long the end of a daemon waits for the collector. */
const stopPatienceMs = 3_000;

/**
 * Sends spans to a collector over OTLP/HTTP, in batches. `endpoint` is its base address: traces go to `/v1/traces` below.
 * What can't be sent is dropped, and the log says so once until it works again.
 */
export function createOtlpSink(endpoint: string, version: string, log: Log): SpanSink {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, "")}/v1/traces` });
  const processor = new BatchSpanProcessor(reportFailures(exporter, log));
  const scope = { name: "stepgate", version };
  const resource = resourceFromAttributes({ "service.name": "stepgate", "service.version": version });
  return {
    send: (span) => processor.onEnd({ ...describe(span), resource, instrumentationScope: scope }),
    async stop() {
      const { promise: overdue, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, stopPatienceMs);
      // What failed was logged by the exporter.
      await Promise.race([processor.shutdown().catch(() => undefined), overdue]);
      clearTimeout(timer);
    },
  };
}

function reportFailures(exporter: OTLPTraceExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error && !isFailing) {
          log.warn({ reason: result.error.message }, "Traces could not be sent to otel.endpoint and are dropped");
        }
        isFailing = result.error !== undefined;
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush(),
    shutdown: async () => exporter.shutdown(),
  };
}

function describe(span: Span): Omit<ReadableSpan, "resource" | "instrumentationScope"> {
  const { context, parent, name, kind, startedAt, endedAt, isError, attributes, events } = span;
  return {
    name,
    kind: kind === "server" ? SpanKind.SERVER : SpanKind.INTERNAL,
    spanContext: () => spanContext(context),
    ...(parent && { parentSpanContext: { ...spanContext(parent), isRemote: true } }),
    startTime: highResolution(startedAt),
    endTime: highResolution(endedAt),
    duration: highResolution(Math.max(0, endedAt - startedAt)),
    ended: true,
    status: { code: isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: { ...attributes },
    events: events.map((event) => ({ ...event, time: highResolution(event.at), attributes: { ...event.attributes } })),
    links: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function spanContext({ traceId, spanId, isSampled }: TraceContext) {
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE };
}

/** Seconds and nanoseconds. */
function highResolution(ms: number): [number, number] {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
