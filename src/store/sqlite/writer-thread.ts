import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from "node:worker_threads";
import { openWriter } from "./connection.ts";
import type { Operation } from "./operations.ts";
import { flattenError, type PlainError } from "./outcome.ts";
import { Writer } from "./writer.ts";
import { maxBatch } from "./writer-link.ts";
import type { WriterData, WriterReply, WriterRequest } from "./writer-messages.ts";

/** Entry of the thread that writes: what arrives while it commits goes into the next commit together. */
class WriterThread {
  readonly #port: MessagePort;
  readonly #writer: Writer;
  #waiting: Operation[] = [];
  #isClosing = false;
  #isTold = false;

  constructor(port: MessagePort, writer: Writer) {
    this.#port = port;
    this.#writer = writer;
  }

  listen(): void {
    this.#port.on("message", (request: WriterRequest) => {
      this.#accept(request);
      this.#commitWaiting();
      if (this.#isClosing) this.#close();
    });
  }

  #commitWaiting(): void {
    this.#acceptArrived();
    while (this.#waiting.length > 0) {
      this.#reply({ kind: "committed", outcomes: this.#writer.execute(this.#waiting.splice(0, maxBatch)) });
      this.#acceptArrived();
    }
    this.#tellStopped();
  }

  #tellStopped(): void {
    const { stopped } = this.#writer;
    if (!stopped || this.#isTold) return;
    this.#isTold = true;
    this.#reply({ kind: "stopped", error: flattenError(stopped) });
  }

  #acceptArrived(): void {
    let next = receiveMessageOnPort(this.#port);
    while (next) {
      const request: WriterRequest = next.message;
      this.#accept(request);
      next = receiveMessageOnPort(this.#port);
    }
  }

  #accept(request: WriterRequest): void {
    if (request.kind === "close") this.#isClosing = true;
    else this.#waiting = this.#waiting.concat(request.operations);
  }

  #close(): void {
    let error: PlainError | null = null;
    try {
      this.#writer.close();
    } catch (reason) {
      error = flattenError(reason);
    }
    this.#reply({ kind: "closed", error });
    this.#port.close();
  }

  #reply(reply: WriterReply): void {
    this.#port.postMessage(reply);
  }
}

function start(port: MessagePort, data: WriterData): void {
  let ready: WriterReply;
  try {
    const { db, schemaVersion } = openWriter(data);
    new WriterThread(port, new Writer(db)).listen();
    ready = { kind: "ready", schemaVersion };
  } catch (error) {
    ready = { kind: "failed", error: flattenError(error) };
  }
  port.postMessage(ready);
}

if (!parentPort) throw new Error("writer-thread runs as a worker thread alone");
const data: WriterData = workerData;
start(parentPort, data);
