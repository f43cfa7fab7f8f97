import { describe, expect, test } from "vitest";
import type { TriggerDetail } from "../../src/contract/trigger.ts";
import { HttpService, json, until } from "../support/http-service.ts";
import { type Outside, outsideRuntime } from "../support/outside-runtime.ts";
import type { RuntimeOptions } from "../support/runtime.ts";
import { Desk, deskConnector, showTrigger, ticketRuns, ticketWorkflow } from "../support/feed.ts";

const minute = 60_000;

async function open(options: Omit<RuntimeOptions, "outside"> = {}) {
  const service = await HttpService.start();
  const desk = new Desk(service);
  const outside = await outsideRuntime({ connectors: [deskConnector()], ...options });
  const secrets = { token: "desk-token-canary" };
  await outside.addConnection({ connector: "desk", name: "mine", settings: { baseUrl: service.url }, secrets });
  /** Time passes, and the poll that is due then is over. */
  const poll = async (ms = minute) => {
    const before = service.requests.length;
    outside.test.clock.advance(ms);
    await until(() => service.requests.length > before);
    await settled(outside);
  };
  return { service, desk, outside, poll, ...outside };
}

/** Settles when no poll is under way: its last step sets the next moment. */
async function settled({ test: { runtime, store, clock, ...test } }: Outside): Promise<void> {
  void test;
  const { polls } = runtime.services;
  void polls;
  await until(async () => (await store.listMoments("poll")).every(({ at }) => at > clock.now().getTime()));
}

describe("a polled trigger", () => {
  test("tells nothing of the past, then each event once, the oldest first", async () => {
    const { desk, poll, test, service } = await open();
    desk.add(3);
    await test.publish(ticketWorkflow());
    expect(service.requests[0]?.url).toBe("/tickets?folder=inbox");
    expect(await ticketRuns(test)).toEqual([]);
    desk.add(3);
    await poll();
    await poll();
    expect(await ticketRuns(test)).toEqual([4, 5, 6]);
    expect(service.requests.at(-1)?.url).toBe("/tickets?folder=inbox&after=6");
    desk.add(1);
    await poll();
    expect(await ticketRuns(test)).toEqual([4, 5, 6, 7]);
    const { runs } = await test.store.listRuns({ workspaceId: 1, limit: 1, offset: 0 });
    expect(runs[0]).toMatchObject({ source: "webhook", userId: "tester", input: { id: 7, subject: "ticket 7" } });
  });
});

void json;
void ({} as TriggerDetail);
void showTrigger;
