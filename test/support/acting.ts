import { expect } from "vitest";
import type { JournalEvent } from "../../src/contract/journal.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import { type NodeType, done, fail } from "../../src/engine/node.ts";
import { noConfig, withNoop } from "./other-noop.ts";
import { type TestRuntime, testRuntime } from "./runtime.ts";

/** A `noop` that acts on another system, and fails while its id is among `broken`. */
function actingCatalogue(): { catalogue: NodeType[]; broken: Set<string>; acted: string[] } {
  const broken = new Set<string>();
  const acted: string[] = [];
  const catalogue = withNoop({
    config: noConfig,
    effects: () => "unsafe",
    run({ step, upstream }) {
      const name = step.iteration === null ? step.id : `${step.id}[${step.iteration.join(",")}]`;
      acted.push(name);
      return broken.has(name) ? fail("UNKNOWN", `${name} is broken`) : done(upstream);
    },
  });
  return { catalogue, broken, acted };
}

export async function setUp(workflow: string) {
  const { catalogue, broken, acted } = actingCatalogue();
  const t = await testRuntime({ catalogue });
  await t.publish(workflow);
  return { test: t, broken, acted };
}

export async function eventsOf(t: TestRuntime, id: string): Promise<JournalEvent[]> {
  return (await t.get<{ events: JournalEvent[] }>(`/runs/${id}/events?limit=1000`)).body.events;
}

export async function endOf(t: TestRuntime, id: string): Promise<RunDetail> {
  for (let round = 0; round < 3; round += 1) {
    await t.settled();
    const { body } = await t.get<RunDetail>(`/runs/${id}`);
    if (body.status === "waiting_for_approval") await t.post(`/runs/${id}/approve`, { decision: "approved" });
    if (body.status === "waiting") t.clock.advance(601_000);
  }
  return (await t.get<RunDetail>(`/runs/${id}`)).body;
}

export async function startRun(t: TestRuntime, input: unknown = {}): Promise<RunDetail> {
  const { body } = await t.post<{ run_id: string }>("/actions/flow/run", { input });
  return endOf(t, body.run_id);
}

export async function replay(t: TestRuntime, id: string, body: unknown = {}): Promise<RunDetail> {
  const answer = await t.post<RunDetail>(`/runs/${id}/replay`, body);
  expect([answer.status, answer.body]).toEqual([202, expect.anything()]);
  return endOf(t, answer.body.run_id);
}

export const items = [{ n: 1 }, { n: 2 }, { n: 3 }];
