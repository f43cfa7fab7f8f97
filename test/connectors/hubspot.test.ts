import { expect, it } from "vitest";
import { hubspot } from "../../src/connectors/hubspot/hubspot.ts";
import { pollContacts } from "../../src/connectors/hubspot/poll-contacts.ts";
import type { Json } from "../../src/contract/json.ts";
import { callOperation, connection } from "../support/call-operation.ts";
import { HubspotService, appToken, contact, hubspotError } from "../support/hubspot-service.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";

const start = Date.UTC(2026, 0, 15, 10);
const minute = 60_000;

async function open() {
  const service = await HubspotService.start();
  const account = connection(hubspot, { baseUrl: service.http.url }, { token: appToken });
  const call = async (key: string, input: { [key: string]: Json } = {}) =>
    callOperation(hubspot, key, input, { connection: account });
  const bodies = () => service.http.requests.map(({ body }) => (body === "" ? null : (JSON.parse(body) as object)));
  const workflow = { cursor: null as Json };
  const poll = async (params: { [key: string]: Json } = {}): Promise<string[]> => {
    const parts = {
      connection: account,
      params,
      fetch,
      signal: new AbortController().signal,
      now: () => new Date(start),
    };
    const answer = await pollContacts({ ...parts, cursor: workflow.cursor });
    if ("error" in answer) throw new Error(JSON.stringify(answer.error));
    workflow.cursor = answer.cursor;
    return answer.events.map(({ id }) => id);
  };
  return { service, account, call, bodies, poll };
}

it("records of each kind are made, read, changed, deleted, listed and searched as HubSpot's API wants it", async () => {
  const { service, call, bodies } = await open();
  const made = await call("create_contact", { properties: { email: "ada@example.com" } });
  expect(made).toMatchObject({ kind: "done", output: { id: "7", properties: { email: "ada@example.com" } } });
  await call("get_company", { id: 7, properties: ["name", "domain"], associations: ["contacts"] });
  await call("get_contact", { id: "ada@example.com", id_property: "email" });
  await call("update_deal", { id: "7", properties: { amount: 100 } });
  expect(await call("delete_contact", { id: "7" })).toMatchObject({ output: { id: "7", deleted: true } });
  await call("list_companies", { limit: 5, after: "10" });
  const filters = [{ propertyName: "email", operator: "EQ", value: "ada@example.com" }];
  const found = await call("search_contacts", { filters, sort_by: "createdate", descending: true, limit: 10 });
  expect(found).toMatchObject({ output: { results: [], next_after: null, total: 0 } });
  expect(service.requests).toEqual([
    "POST /crm/v3/objects/contacts",
    "GET /crm/v3/objects/companies/7?properties=name%2Cdomain&associations=contacts",
    "GET /crm/v3/objects/contacts/ada%40example.com?idProperty=email",
    "PATCH /crm/v3/objects/deals/7",
    "DELETE /crm/v3/objects/contacts/7",
    "GET /crm/v3/objects/companies?limit=5&after=10",
    "POST /crm/v3/objects/contacts/search",
  ]);
  expect(bodies()[0]).toEqual({ properties: { email: "ada@example.com" } });
  expect(bodies()[6]).toEqual({
    filterGroups: [{ filters }],
    sorts: [{ propertyName: "createdate", direction: "DESCENDING" }],
    limit: 10,
  });
});

it("records are associated, notes written onto them, and owners found", async () => {
  const { service, call, bodies } = await open();
  await call("associate", { from_type: "contacts", from_id: 1, to_type: "companies", to_id: 2 });
  await call("list_associations", { from_type: "contacts", from_id: 1, to_type: "deals" });
  await call("create_note", { to_type: "deals", to_id: 3, body: "Called back" });
  await call("list_owners", { email: "ada@example.com" });
  expect(service.requests).toEqual([
    "PUT /crm/v4/objects/contacts/1/associations/default/companies/2",
    "GET /crm/v4/objects/contacts/1/associations/deals",
    "POST /crm/v3/objects/notes",
    "GET /crm/v3/owners?email=ada%40example.com",
  ]);
  expect(bodies()[2]).toMatchObject({
    properties: { hs_note_body: "Called back", hs_timestamp: "2026-11-21T10:00:00.000Z" },
    associations: [{ to: { id: 3 }, types: [{ associationTypeId: 214 }] }],
  });
});

it("an id never leads a call to another place", async () => {
  const { service, call } = await open();
  for (const id of ["../../owners", "1/associations", "..", "", "7?archived=true"]) await call("get_contact", { id });
  expect(service.requests.map((url) => url.replace(/%../g, "_"))).toEqual([
    "GET /crm/v3/objects/contacts/.._.._owners",
    "GET /crm/v3/objects/contacts/1_associations",
    "GET /crm/v3/objects/contacts/_",
    "GET /crm/v3/objects/contacts/_",
    "GET /crm/v3/objects/contacts/7_archived_true",
  ]);
});

it("errors keep HubSpot's category and correlation id; a limit says how long it lasts", async () => {
  const { service, account, call } = await open();
  const limited = { errorType: "RATE_LIMIT", policyName: "TEN_SECONDLY_ROLLING" };
  const tooMany = hubspotError("RATE_LIMITS", "You have reached your ten_secondly_rolling limit.", limited);
  service.refusals.push(
    { status: 429, body: tooMany },
    { status: 429, body: tooMany, headers: { "retry-after": "3" } },
  );
  expect(await call("list_owners")).toMatchObject({
    error: { code: "RATE_LIMITED", retryAfterMs: 10_000, details: { policy: "TEN_SECONDLY_ROLLING" } },
  });
  expect(await call("list_owners")).toMatchObject({ error: { code: "RATE_LIMITED", retryAfterMs: 3000 } });
  const conflict = hubspotError("CONFLICT", "Contact already exists. Existing ID: 7");
  service.refusals.push({ status: 409, body: conflict });
  expect(await call("create_contact", { properties: {} })).toMatchObject({
    error: {
      code: "VALIDATION_ERROR",
      message: "HubSpot refused the call (409): Contact already exists. Existing ID: 7",
      details: { category: "CONFLICT", correlation_id: "a43683b0-5717-4ceb-80b4-104d02915d8c" },
    },
  });
  service.refusals.push({ status: 403, body: hubspotError("MISSING_SCOPES", "requires crm.objects.deals.read") });
  expect(await call("list_deals")).toMatchObject({
    error: { code: "AUTH_EXPIRED", message: expect.stringContaining("crm.objects.deals.read") },
  });
  const expired = await callOperation(
    hubspot,
    "list_owners",
    {},
    { connection: { ...account, secrets: { token: "x" } } },
  );
  expect(expired).toMatchObject({ error: { code: "AUTH_EXPIRED" } });
  service.http.answer = (_, response) => void response.writeHead(200).end("<html>");
  expect(await call("list_owners")).toMatchObject({ error: { code: "UNKNOWN" } });
});

it("new contacts are told once and in order, with equal times and however late the search finds them", async () => {
  const { service, poll } = await open();
  service.indexed = [contact(1, start - 60 * minute), contact(2, start - minute)];
  expect(await poll()).toEqual([]);
  expect(await poll()).toEqual([]);
  // Two of one millisecond, of which the search finds one later.
  service.indexed.push(contact(3, start));
  expect(await poll()).toEqual(["3"]);
  service.indexed.push(contact(4, start), contact(5, start + 1000));
  expect(await poll()).toEqual(["4", "5"]);
  // One that was made before the last one, and shows up after it.
  service.indexed.push(contact(6, start - 30_000));
  expect(await poll()).toEqual(["6"]);
  expect(await poll()).toEqual([]);
});

it("a first contact ever is told, and many at once come page by page and none twice", async () => {
  const { service, poll } = await open();
  expect(await poll()).toEqual([]);
  service.indexed.push(contact(1, start));
  expect(await poll()).toEqual(["1"]);
  const many = Array.from({ length: 2350 }, (_, n) => contact(n + 2, start + 1000 + Math.floor(n / 40)));
  service.indexed.push(...many);
  const told: string[] = [];
  for (let polls = 0; polls < 6; polls += 1) told.push(...(await poll()));
  expect(told).toHaveLength(2350);
  expect(new Set(told).size).toBe(2350);
});

it("an import whose contacts all have one time gets through", async () => {
  const { service, poll } = await open();
  await poll();
  service.indexed = Array.from({ length: 1500 }, (_, n) => contact(n, start));
  const told = [...(await poll()), ...(await poll())];
  expect(new Set(told).size).toBe(1500);
  expect(told).toHaveLength(1500);
  expect(await poll()).toEqual([]);
});

it("a call through the daemon uses the connection's token, which no answer shows", async () => {
  const service = await HubspotService.start();
  const outside = await outsideRuntime();
  const settings = { baseUrl: service.http.url };
  const added = await outside.addConnection({ connector: "hubspot", settings, secrets: { token: appToken } });
  expect(added.status).toBe("active");
  const input = { properties: { email: "{{action_input.email}}" } };
  await outside.publishCall({ connector: "hubspot", operation: "create_contact", connectionId: added.id, input });
  const run = await outside.test.runToEnd("call", { email: "ada@example.com" });
  expect(run.output).toMatchObject({ id: "7" });
  const tested = await outside.test.control("POST", `/control/connections/${added.id}/test`);
  expect(tested.body).toMatchObject({ ok: true });
  service.token = "another";
  const refused = await outside.test.runToEnd("call", { email: "ada@example.com" });
  expect(refused.error?.code).toBe("AUTH_EXPIRED");
  expect(JSON.stringify([run, refused, added, outside.test.logged])).not.toContain(appToken);
});
