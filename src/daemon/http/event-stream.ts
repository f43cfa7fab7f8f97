import type { World } from "../../engine/world.ts";
import type { EventStream, StreamEvent } from "../operation.ts";

const heartbeatMs = 15_000;
/** What may wait for a slow reader; beyond it nothing more is read from the journal. */
const bufferBytes = 1024 * 1024;

export const eventStreamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

export type StreamParts = {
  after: World["after"];
  onError(error: unknown): void;
  /** Breaks the connection where the transport can; else the body is broken off. */
  cut: (() => void) | null;
};

/**
 * The body of an event stream (HTML, server-sent events). Events are read as fast as they are taken, up to 1 MiB ahead;
 * a comment every 15 s shows that the stream lives. A reader that leaves a full buffer untouched for 15 s is cut off;
 * it can resume after its last event.
 */
export function streamBody({ events, hold }: EventStream, parts: StreamParts): ReadableStream<Uint8Array> {
  const iterator = events[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let stopBeat: () => void = () => undefined;
  let pulls = 0;
  let isOver = false;

  function end(): void {
    isOver = true;
    stopBeat();
    hold.release();
  }

  function cutOff(controller: ReadableStreamDefaultController<Uint8Array>): void {
    end();
    if (parts.cut) parts.cut();
    else controller.error(new Error("The event stream was cut off"));
  }

  function beat(controller: ReadableStreamDefaultController<Uint8Array>, pullsBefore: number): void {
    stopBeat = parts.after(heartbeatMs, () => {
      const isFull = (controller.desiredSize ?? 0) <= 0;
      if (isFull && pulls === pullsBefore) return cutOff(controller);
      if (!isFull) controller.enqueue(encoder.encode(": alive\n\n"));
      beat(controller, pulls);
    });
  }

  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => beat(controller, -1),
      async pull(controller) {
        pulls += 1;
        try {
          const next = await iterator.next();
          // The reader may have gone while the next event was awaited.
          if (isOver) return;
          if (!next.done) return controller.enqueue(encoder.encode(formatEvent(next.value)));
          end();
          controller.close();
        } catch (error) {
          if (isOver) return;
          parts.onError(error);
          cutOff(controller);
        }
      },
      async cancel() {
        end();
        await iterator.return?.();
      },
    },
    { highWaterMark: bufferBytes, size: (chunk) => chunk.byteLength },
  );
}

function formatEvent({ event, id, data }: StreamEvent): string {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return `event: ${event}\n${idLine}data: ${data}\n\n`;
}
