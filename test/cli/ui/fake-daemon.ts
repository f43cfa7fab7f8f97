import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Approval } from "../../../src/contract/approval.ts";
import type { JournalEvent } from "../../../src/contract/journal.ts";
import { runRow } from "../../../src/contract/run.ts";
import type { WatchedRun } from "../../../src/contract/run-watch.ts";
import type { WorkflowDefinition } from "../../../src/contract/workflow.ts";
import { answerJson, StandIn } from "../../support/stand-in.ts";
import { actions, approvals, definition, detail, events, rows, workflows } from "./samples.ts";

type Answer = { status: number; body: unknown; headers?: Record<string, string> };

/** A daemon as the terminal UI sees it, in the hands of a test. */
export class FakeDaemon {
  runs: WatchedRun[] = [...rows];
  approvals: Approval[] = [...approvals];
  /** Requests that were decided, by id. */
  resolved = new Map<string, Approval>();
  /** Answers in place of the usual ones, by a part of the path. */
  answers = new Map<string, Answer>();
  /** Definitions of the workflow by version; of others there is but one. */
  versions = new Map<number, WorkflowDefinition>();
  posted: { path: string; body: unknown }[] = [];
  instance = "one";
  change = 5;
  #streams = new Set<ServerResponse>();
  #journals = new Set<ServerResponse>();
  #server: StandIn;

  private constructor(server: (daemon: FakeDaemon) => StandIn) {
    this.#server = server(this);
  }

  static async start(): Promise<FakeDaemon> {
    const daemon = new FakeDaemon((self) => new StandIn((request, response) => void self.#serve(request, response)));
    await daemon.#server.listen();
    onTestFinished(async () => daemon.#server[Symbol.asyncDispose]());
    return daemon;
  }

  get target() {
    return { socketPath: this.#server.socketPath };
  }

  get requests(): string[] {
    return this.#server.requests.map(({ method, url }) => `${method} ${url}`);
  }

  /** Sends changed runs to whoever follows. */
  send(...runs: WatchedRun[]): void {
    this.change += 1;
    for (const run of runs) {
      this.runs = [run, ...this.runs.filter(({ run_id }) => run_id !== run.run_id)];
      for (const stream of this.#streams)
        stream.write(`event: run\nid: ${this.change}\ndata: ${JSON.stringify(run)}\n\n`);
    }
  }

  /** Sends events to whoever follows a run's journal. */
  sendEvents(sent: readonly JournalEvent[]): void {
    for (const journal of this.#journals) journal.write(streamOf(sent));
  }

  get followers(): number {
    return Math.min(this.#journals.size, this.#streams.size);
  }

  /** Breaks the streams off. */
  cut(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request);
    if (request.method === "POST") this.posted.push({ path, body: await json(request) });
    const other = [...this.answers].find(([part]) => path.includes(part))?.[1];
    if (other) return answerJson(response, other.status, other.body, other.headers);
    if (path.endsWith("/events") && request.headers.accept === "text/event-stream" && path !== "/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      this.#journals.add(response);
      response.write(streamOf(events));
      return void response.write(`event: run\ndata: {"status":"${detail.status}"}\n\n`);
    }
    if (path === "/events") return this.#follow(request, response);
    const body = this.#readVersion(path, request) ?? this.#read(path);
    if (body === undefined) return answerJson(response, 404, { error: `Nothing at ${path}`, code: "NOT_FOUND" });
    answerJson(response, 200, body);
  }

  #follow(request: IncomingMessage, response: ServerResponse): void {
    const query = new URLSearchParams((request.url ?? "").split("?")[1]);
    if (query.get("instance") !== this.instance) {
      return answerJson(response, 410, { error: "Read the list again", code: "CHANGES_GONE" });
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: ready\nid: ${this.change}\ndata: {}\n\n`);
    this.#streams.add(response);
  }

  #readVersion(path: string, { url = "" }: IncomingMessage): unknown {
    if (this.versions.size === 0 || !path.startsWith("/control/workflows/")) return undefined;
    const all = [...this.versions.keys()];
    const version = Number(/version=(\d+)/.exec(url)?.[1] ?? Math.max(...all));
    const found = {
      definition: this.versions.get(version),
      definition_version: version,
      deployed_version: Math.max(...all),
    };
    return { ...workflows[0], ...workflowOfRun, ...found, versions: all.map((each) => ({ version: each })) };
  }

  /** The usual answers, by the end of the path. */
  #read(path: string): unknown {
    const page = { limit: 100, offset: 0 };
    const { runs, approvals: pending, instance, change } = this;
    const total = runs.length;
    const answers: [RegExp, (match: string) => unknown][] = [
      [/^\/control\/status$/, () => ({ version: "9.9.9", url: "http://127.0.0.1:7717" })],
      [/^\/control\/runs$/, () => ({ runs, total, ...page, instance_id: instance, change })],
      [/^\/control\/approvals$/, () => ({ approvals: pending, total: pending.length, ...page })],
      [/^\/control\/approvals\/(.+)$/, (id) => this.resolved.get(id)],
      [/^\/control\/workflows$/, () => ({ workflows, total: workflows.length, ...page })],
      [/^\/control\/workflows\/(.+)$/, () => ({ ...workflows[0], ...workflowOfRun })],
      [/\/actions$/, () => ({ actions, total: actions.length })],
      [/\/approve$/, () => ({ run_id: detail.run_id, status: "running", decision: "approved" })],
      [/\/replay\/preview$/, () => ({ reused: ["enrich"], rerun: ["merge"], side_effects_repeated: [], refused: [] })],
      [/\/runs\/[^/]+(?:\/cancel|\/replay)?$/, () => detail],
      [/\/runs$/, () => ({ runs: runs.map((run) => runRow.parse(run)), total, ...page })],
    ];
    for (const [pattern, read] of answers) {
      const match = pattern.exec(path);
      if (match) return read(match[1] ?? "");
    }
    return undefined;
  }
}

const workflowOfRun = { workflow_id: detail.workflow_id, definition, definition_version: 3, versions: [] };

function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

function streamOf(sent: readonly JournalEvent[]): string {
  return sent.map((event) => `event: ${event.type}\nid: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
