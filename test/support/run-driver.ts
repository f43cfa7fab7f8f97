import type { Decided } from "../../src/contract/approval.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import type { Answer, TestRuntime } from "./runtime.ts";

export type Entry = { type: string; step_id: string; iteration: number[] | null; error?: { code: string } };

/** Starts runs and looks at them once everything has come as far as it can. */
export class RunDriver {
  readonly test: TestRuntime;

  constructor(test: TestRuntime) {
    this.test = test;
  }

  async start(slug: string, input: unknown = {}): Promise<string> {
    const { body } = await this.test.post<{ run_id: string }>(`/actions/${slug}/run`, { input });
    await this.test.settled();
    return body.run_id;
  }

  async read(id: string): Promise<RunDetail> {
    await this.test.settled();
    return (await this.test.get<RunDetail>(`/runs/${id}`)).body;
  }

  async status(id: string): Promise<string> {
    return (await this.read(id)).status;
  }

  /** Moves the clock on and looks. */
  async after(ms: number, id: string): Promise<RunDetail> {
    this.test.clock.advance(ms);
    return this.read(id);
  }

  async decide(id: string, decision: string, extra: Record<string, unknown> = {}): Promise<Answer<Decided>> {
    return this.test.post<Decided>(`/runs/${id}/approve`, { decision, ...extra });
  }

  async entries(id: string): Promise<Entry[]> {
    return (await this.test.get<{ events: Entry[] }>(`/runs/${id}/events?limit=1000`)).body.events;
  }

  /** The journal as `type step[iteration]`. */
  async journal(id: string): Promise<string[]> {
    const entries = await this.entries(id);
    return entries.map(
      ({ type, step_id, iteration }) => `${type} ${step_id}${iteration ? `[${iteration.join()}]` : ""}`,
    );
  }

  async audit(): Promise<{ decision: string; run_id: string; decided_via: string; comment: string | null }[]> {
    return (await this.test.control<{ entries: never[] }>("GET", "/control/audit?limit=1000")).body.entries;
  }
}
