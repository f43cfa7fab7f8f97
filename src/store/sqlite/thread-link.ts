import { Worker } from "node:worker_threads";
import { restoreError } from "./outcome.ts";
import type { WriterEvents, WriterLink } from "./writer-link.ts";
import type { WriterData, WriterReply, WriterRequest } from "./writer-messages.ts";

/** Starts `writer-thread` with this data; a bundle has its own way to do so. */
export type StartWriter = (data: WriterData) => Worker;

export const startWriterFromSources: StartWriter = (data) =>
  new Worker(new URL("./writer-thread.ts", import.meta.url), { workerData: data });

/** Writes on a thread of its own, so that neither fsync nor a slow disk holds up the callers' event loop. */
export async function linkThread(data: WriterData, start: StartWriter, events: WriterEvents): Promise<WriterLink> {
  const worker = start(data);
  const closed = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<number>();
  const post = (request: WriterRequest) => worker.postMessage(request);
  const end = (error: Error) => {
    ready.reject(error);
    closed.reject(error);
    events.onEnd(error);
  };
  // Only close() looks at it; an end before that is told by the writes that it fails.
  closed.promise.catch(() => undefined);
  worker.on("message", (reply: WriterReply) => {
    if (reply.kind === "committed") events.onCommit(reply.outcomes);
    else if (reply.kind === "ready") ready.resolve(reply.schemaVersion);
    else if (reply.kind === "stopped") events.onEnd(restoreError(reply.error));
    else if (reply.kind === "failed") ready.reject(restoreError(reply.error));
    else if (reply.error) closed.reject(restoreError(reply.error));
  });
  worker.on("error", (error) => end(new Error("The store's writer broke down; restart", { cause: error })));
  worker.on("exit", () => {
    closed.resolve();
    end(new Error("The store's writer has ended; restart"));
  });
  return {
    schemaVersion: await ready.promise,
    send: (operations) => post({ kind: "write", operations }),
    async close() {
      post({ kind: "close" });
      await closed.promise;
    },
  };
}
