import type { Json } from "../../contract/json.ts";
import type { ConnectorEvent, PollCall } from "../../engine/connector.ts";
import type { StepError } from "../../engine/node.ts";
import { isRecord, toJson, toText } from "../../engine/values/json.ts";
import { answerPoll } from "../answer-poll.ts";
import { callApi } from "./call-api.ts";
import { pageOf } from "./page.ts";

/** `from`: where the next search begins; `seen`: ids with their times from an overlap before the newest on. Epoch ms. */
type Cursor = { from: number; newest: number; seen: [id: string, at: number][] };
/** Oldest first; `isWhole`: there are no more. */
type Read = { contacts: Contact[]; isWhole: boolean };
type Contact = { id: string; at: number; properties: Record<string, unknown> };

const pageSize = 100;
/** A poll that has read so many pages leaves the rest to the next one. */
const maxPages = 10;
/** HubSpot searches no further than ten thousand records. */
const lastPage = 100;
/** A contact may show up in the search minutes after it was made, behind younger ones. */
const overlapMs = 5 * 60_000;
const ownProperties = ["email", "firstname", "lastname", "phone", "company", "createdate", "hubspot_owner_id"];

/**
 * Finds contacts that were made since the last poll, the oldest first. The first poll tells nothing. Times are those of
 * HubSpot alone, several contacts may have the same one, and the search lags: so each poll looks back over an overlap and
 * leaves out what it has told.
 */
export const pollContacts = answerPoll(async (call) => {
  const known = readCursor(call.cursor);
  const cursor = known ?? (await begin(call));
  if ("error" in cursor) return cursor;
  const read = await readSince(call, cursor.from);
  if ("error" in read) return read;
  const told = new Set(cursor.seen.map(([id]) => id));
  const fresh = read.contacts.filter(({ id }) => !told.has(id));
  return { events: known ? fresh.map(toEvent) : [], cursor: advance(cursor, read, fresh) };
});

function advance(cursor: Cursor, { contacts, isWhole }: Read, fresh: readonly Contact[]): Cursor {
  const last = contacts.at(-1)?.at ?? cursor.newest;
  const newest = Math.max(cursor.newest, last);
  const since = newest - overlapMs;
  const seen = [...cursor.seen, ...fresh.map(({ id, at }): [string, number] => [id, at])];
  return { from: isWhole ? since : last, newest, seen: seen.filter(([, at]) => at >= since) };
}

/** Where the newest contact stands, by HubSpot's clock; where there is none every contact is new. */
async function begin(call: PollCall): Promise<Cursor | { error: StepError }> {
  const answer = await search(call, { limit: 1, sorts: sorted("DESCENDING") });
  if ("error" in answer) return answer;
  const newest = answer.contacts[0]?.at ?? 0;
  return { from: Math.max(0, newest - overlapMs), newest, seen: [] };
}

async function readSince(call: PollCall, from: number): Promise<Read | { error: StepError }> {
  const filters = [{ propertyName: "createdate", operator: "GTE", value: String(from) }];
  const contacts: Contact[] = [];
  let after: string | null = null;
  for (let page = 1; page <= lastPage; page += 1) {
    const body: { [key: string]: Json } = { filterGroups: [{ filters }], sorts: sorted("ASCENDING"), limit: pageSize };
    const answer = await search(call, after === null ? body : { ...body, after });
    if ("error" in answer) return answer;
    contacts.push(...answer.contacts);
    after = answer.after;
    if (after === null) return { contacts, isWhole: true };
    // Behind a limit that all have the same time there would be no way on.
    if (page >= maxPages && (contacts.at(-1)?.at ?? from) > from) break;
  }
  return { contacts, isWhole: false };
}

function sorted(direction: "ASCENDING" | "DESCENDING"): Json {
  return [{ propertyName: "createdate", direction }];
}

async function search(
  call: PollCall,
  body: { [key: string]: Json },
): Promise<{ contacts: Contact[]; after: string | null } | { error: StepError }> {
  const wanted = Array.isArray(call.params["properties"]) ? call.params["properties"].map(toText) : [];
  const properties = [...new Set([...ownProperties, ...wanted])];
  const answer = await callApi(call, {
    method: "POST",
    path: "/crm/v3/objects/contacts/search",
    body: { ...body, properties },
  });
  if ("error" in answer) return answer;
  const { results, next_after: after } = pageOf(answer.result);
  const contacts = Array.isArray(results) ? results.flatMap(readContact) : [];
  return { contacts, after: after === null ? null : toText(after) };
}

function readContact(value: unknown): Contact[] {
  if (!isRecord(value) || (typeof value["id"] !== "string" && typeof value["id"] !== "number")) return [];
  const properties = isRecord(value["properties"]) ? value["properties"] : {};
  const at = Date.parse(toText(toJson(properties["createdate"] ?? value["createdAt"] ?? null)));
  return Number.isFinite(at) ? [{ id: String(value["id"]), at, properties }] : [];
}

function toEvent({ id, at, properties }: Contact): ConnectorEvent {
  const { email = null, firstname = null, lastname = null } = properties;
  const names = { email: toJson(email), firstname: toJson(firstname), lastname: toJson(lastname) };
  return { id, output: { id, ...names, created_at: new Date(at).toISOString(), properties: properties as Json } };
}

function readCursor(value: Json): Cursor | null {
  if (!isRecord(value) || typeof value["from"] !== "number" || typeof value["newest"] !== "number") return null;
  const seen: unknown[] = Array.isArray(value["seen"]) ? value["seen"] : [];
  const pairs = seen.filter((each): each is [string, number] => Array.isArray(each) && each.length === 2);
  return { from: value["from"], newest: value["newest"], seen: pairs };
}
