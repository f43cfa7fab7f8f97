import type { Connector } from "../../src/engine/connector.ts";
import type { TriggerDetail, TriggerFeed } from "../../src/contract/trigger.ts";
import { type HttpService, until } from "./http-service.ts";
import { compile, sampleManifest } from "./manifests.ts";
import type { TestRuntime } from "./runtime.ts";

type Data = Record<string, unknown>;

const paramsSchema = {
  type: "object",
  properties: { folder: { type: "string", default: "inbox" } },
  additionalProperties: false,
};
const outputSchema = { type: "object", properties: { id: { type: "integer" }, subject: { type: "string" } } };

/** A manifest of tickets with an event that is polled and one that is sent. */
export function deskManifest(changes: Data = {}): Data {
  const common = { paramsSchema, outputSchema };
  const poll = {
    ...common,
    mode: "poll",
    everySeconds: 60,
    request: { path: "/tickets", query: { folder: "{{params.folder}}", after: "{{cursor.last}}" } },
    items: "tickets",
    id: "id",
    cursor: { by: "id" },
  };
  const push = {
    ...common,
    mode: "webhook",
    signature: { scheme: "token", in: "header", name: "x-desk-token", secret: "token" },
    events: "tickets",
    id: "{{item.id}}",
    answer: { status: 200, contentType: "text/plain", body: "desk-ok" },
  };
  const triggers = [
    { ...poll, event: "new_ticket", name: "New ticket" },
    { ...push, event: "ticket_sent", name: "Ticket sent" },
  ];
  return sampleManifest({ auth: { type: "bearer" }, triggers, ...changes });
}

/** Its connector, with a third event that comes either way. */
export function deskConnector(changes: Data = {}): Connector {
  const connector = compile(deskManifest(changes));
  const [polled, pushed] = connector.triggers;
  if (!polled || !pushed?.push) return connector;
  return { ...connector, triggers: [polled, pushed, { ...polled, event: "ticket", push: pushed.push }] };
}

/** A workflow that takes tickets; `trigger` is the rest of its trigger's data, in YAML's flow form. */
export function ticketWorkflow(trigger = "event: new_ticket, connectionId: mine", name = "Tickets"): string {
  return `
name: ${name}
nodes:
  - {id: trigger, type: trigger, data: {kind: connector, connector: desk, ${trigger}}}
  - {id: ticket, type: set, data: {assignments: [{id: a, key: id, value: "{{trigger.output.id}}"}]}}
edges: [trigger -> ticket]
`;
}

/** Tickets of a stand-in, whose ids count up. */
export class Desk {
  readonly tickets: { id: number; subject: string }[] = [];

  constructor(service: HttpService) {
    service.answer = (_, response) =>
      void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ tickets: this.tickets }));
  }

  add(count: number): void {
    for (let n = 0; n < count; n += 1) {
      const id = this.tickets.length + 1;
      this.tickets.push({ id, subject: `ticket ${id}` });
    }
  }
}

/** The ids of the tickets that runs were started for, in the order in which the runs were created. */
export async function ticketRuns({ store }: TestRuntime): Promise<unknown[]> {
  const { runs } = await store.listRuns({ workspaceId: 1, limit: 100, offset: 0 });
  const inputs = await Promise.all(runs.map(async ({ id }) => (await store.findRun(1, id))?.input));
  return inputs.map((input) => (input as { id?: unknown } | undefined)?.id).toReversed();
}

/** Settles when no poll is due any more: its last step sets the next moment. */
export async function settledPolls({ store, clock }: TestRuntime): Promise<void> {
  await until(async () => (await store.listMoments("poll")).every(({ at }) => at > clock.now().getTime()));
}

/** The one trigger of the workspace, as it is shown. */
export async function showTrigger(test: TestRuntime): Promise<TriggerDetail & { feed: TriggerFeed }> {
  const { body } = await test.control<{ triggers: TriggerDetail[] }>("GET", "/control/triggers");
  const { body: trigger } = await test.control<TriggerDetail>(
    "GET",
    `/control/triggers/${body.triggers[0]?.subscription_id}`,
  );
  if (!trigger.feed) throw new Error(`It is no connector's trigger: ${JSON.stringify(trigger)}`);
  return { ...trigger, feed: trigger.feed };
}
