import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Approval } from "../../../src/contract/approval.ts";
import type { JournalEvent } from "../../../src/contract/journal.ts";
import type { WatchedRun } from "../../../src/contract/run-watch.ts";
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
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
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
    const body = this.#read(path);
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

  #read(path: string): unknown {
    const { runs } = this;
    const approvalId = /^\/control\/approvals\/(?<id>.+)$/.exec(path)?.groups?.["id"];
    if (approvalId) return this.resolved.get(approvalId);
    const page = { limit: 100, offset: 0 };
    if (path === "/control/status") return { version: "9.9.9", url: "http://127.0.0.1:7717" };
    if (path === "/control/runs")
      return { runs, total: runs.length, ...page, instance_id: this.instance, change: this.change };
    if (path === "/control/approvals") return { approvals: this.approvals, total: this.approvals.length, ...page };
    if (path === "/control/workflows") return { workflows, total: workflows.length, ...page };
    if (path.startsWith("/control/workflows/"))
      return { ...workflows[0], workflow_id: detail.workflow_id, definition, definition_version: 3, versions: [] };
    if (path.endsWith("/actions")) return { actions, total: actions.length };
    if (path.endsWith("/events")) return { events, next_after: 6 };
    if (path.endsWith("/approve"))
      return { run_id: detail.run_id, status: "running", decision: "approved", decided_at: detail.created_at };
    if (/\/runs\/[^/]+(\/(cancel|replay))?$/.test(path)) return detail;
    if (path.endsWith("/replay/preview"))
      return { reused: ["enrich"], rerun: ["merge"], side_effects_repeated: [], refused: [] };
    if (path.endsWith("/runs"))
      return {
        runs: runs.map(({ run_id, action_slug, source, status, duration_ms, created_at }) => ({
          run_id,
          action_slug,
          source,
          status,
          duration_ms,
          created_at,
        })),
        total: runs.length,
        ...page,
      };
    return undefined;
  }
}

function streamOf(events: readonly JournalEvent[]): string {
  return events.map((event) => `event: ${event.type}\nid: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
