import { createHash } from "node:crypto";
import type { Json } from "../../contract/json.ts";
import type { ConnectorEvent, PollCall } from "../../engine/connector.ts";
import { isRecord } from "../../engine/values/json.ts";
import { type Poll, answerPoll } from "../answer-poll.ts";
import { callMethod } from "./call-method.ts";
import { type FeedCursor, UpdateFeed } from "./update-feed.ts";
import { type EventKind, type Update, allowedUpdates, dateOf, eventOf, readUpdate } from "./updates.ts";

type Answer = Awaited<ReturnType<Poll>>;

/** Updates that one poll takes at most; the Bot API gives no more. */
const pageSize = 100;

/** Polls for one kind of event. The first poll tells nothing of what happened before. */
export function createPolls(): (kind: EventKind) => Poll {
  const feeds = new Map<string, UpdateFeed>();
  const feedOf = (call: PollCall): UpdateFeed => {
    const bot = botKey(call);
    const feed = feeds.get(bot) ?? new UpdateFeed(call.now().getTime());
    feeds.set(bot, feed);
    return feed;
  };
  return (kind) =>
    answerPoll(async (call) => {
      const feed = feedOf(call);
      return feed.inTurn(async () => pollOnce(feed, kind, call));
    });
}

async function pollOnce(feed: UpdateFeed, kind: EventKind, call: PollCall): Promise<Answer> {
  const now = call.now().getTime();
  const known = readCursor(call.cursor);
  const cursor = known ?? feed.begin(now);
  const offset = feed.offsetFor(cursor, now);
  const asked = { limit: pageSize, timeout: 0, allowed_updates: [...allowedUpdates] };
  const answer = await callMethod(call, "getUpdates", offset === 0 ? asked : { ...asked, offset });
  if ("error" in answer) return answer;
  const updates = Array.isArray(answer.result) ? answer.result.flatMap((each) => readUpdate(each) ?? []) : [];
  const first = feed.firstNew(cursor, now);
  const fresh = updates.filter(({ id }) => id >= first);
  const newest = Math.max(0, ...fresh.map(({ id }) => id));
  const isFull = updates.length === pageSize;
  // What the first poll could not see of the past is told from the present by its date, as long as there is any of it.
  const since = isFull ? (known ? cursor.since : now) : null;
  const next: FeedCursor = { ...cursor, since, ...(newest > 0 && { last: newest, at: now }) };
  const events = known ? fresh.flatMap((update) => tellOf(kind, update, cursor)) : [];
  return { events, cursor: next };
}

/** What was waiting when the workflow began and did not fit into its first poll is older than it, too. */
function tellOf(kind: EventKind, update: Update, { since }: FeedCursor): ConnectorEvent[] {
  const date = dateOf(update);
  if (date !== null && since !== null && (date + 1) * 1000 <= since) return [];
  const event = eventOf(kind, update);
  return event ? [event] : [];
}

function readCursor(value: Json): FeedCursor | null {
  if (!isRecord(value)) return null;
  const { reader, last, at, since } = value;
  if (typeof reader !== "string" || typeof last !== "number") return null;
  return { reader, last, at: typeof at === "number" ? at : 0, since: typeof since === "number" ? since : null };
}

/** A bot is its token at its address: connections may share one. No key holds the token itself. */
function botKey({ connection }: PollCall): string {
  const parts = [connection?.settings["baseUrl"] ?? null, connection?.secrets["token"] ?? ""];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}
