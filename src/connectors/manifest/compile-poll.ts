import type { Json } from "../../contract/json.ts";
import type { ManifestHead, PollTrigger } from "../../contract/manifest.ts";
import type { ConnectorEvent, PollCall } from "../../engine/connector.ts";
import { compileConfig } from "../../engine/templates/template.ts";
import { parsePath } from "../../engine/templates/path.ts";
import { isRecord, readPath, toJson, toText } from "../../engine/values/json.ts";
import { type Poll, answerPoll } from "../answer-poll.ts";
import { applyAuth } from "./apply-auth.ts";
import { baseOf } from "./base-address.ts";
import { compileRequest } from "./compile-request.ts";
import type { Pace } from "./pace.ts";
import { type Cursor, type Seen, advance } from "./poll-cursor.ts";
import { connectionRoot, scopeOf } from "./scope.ts";
import { sendRequest } from "./send-request.ts";

/**
 * One poll: asks, takes the items that are new, and says where to go on. The first one tells nothing of the past. Events
 * come with the oldest first where ids or times tell their order.
 */
export function compilePoll(trigger: PollTrigger, head: ManifestHead, pace: Pace): Poll {
  const requestOf = compileRequest(trigger.request);
  const read = compileReader(trigger);
  return answerPoll(async (call) => {
    const base = baseOf(head, call.connection);
    const cursor = cursorOf(call.cursor);
    const connection = connectionRoot(call.connection, base);
    const root = { last: cursor?.last ?? undefined };
    const built = requestOf(scopeOf({ params: call.params, connection, cursor: root }), base);
    applyAuth(head.auth, call.connection, built);
    await pace(call.connection?.id ?? "", call.now(), call.signal);
    const sent = await sendRequest(built, call);
    if ("failure" in sent) return { error: sent.failure };
    return read(sent.body, cursor, call);
  });
}

function compileReader({ items, id, cursor: rule, output, event }: PollTrigger) {
  const itemsAt = pathOf(items);
  const idAt = pathOf(id);
  const ruleAt = rule.by === "id" ? [] : pathOf(rule.path);
  const outputOf = output === undefined ? null : compileConfig(output);
  return (body: Json, cursor: Cursor | null, { params }: PollCall): Awaited<ReturnType<Poll>> => {
    const list = readPath(body, itemsAt);
    if (!Array.isArray(list)) {
      const place = items === "" ? "The answer" : `${items} of the answer`;
      return { error: { code: "UNKNOWN", message: `${place} is no list of items for ${event}` } };
    }
    const seen = list.flatMap((item: Json): Seen[] => {
      const key = readPath(item, idAt);
      if (typeof key !== "string" && typeof key !== "number") return [];
      return [{ id: key, at: rule.by === "time" ? readPath(item, ruleAt) : key, item }];
    });
    const token = rule.by === "token" ? readPath(body, ruleAt) : undefined;
    const { fresh, next } = advance(rule.by, seen, cursor, token);
    const events = fresh.map(({ id: own, at, item }): ConnectorEvent => ({
      // Whoever is told by time is told of changes too: each time is an event of its own.
      id: rule.by === "time" ? `${toText(own)}@${toText(at)}` : toText(own),
      output: outputOf ? toJson(outputOf.resolve(scopeOf({ item, params }))) : item,
    }));
    return { events, cursor: next };
  };
}

function pathOf(text: string): (string | number)[] {
  const path = text === "" ? [] : parsePath(text);
  return "message" in path ? [] : path;
}

function cursorOf(value: Json): Cursor | null {
  if (!isRecord(value)) return null;
  const { last = null, ids = [] } = value as { last?: Json; ids?: Json };
  const known = typeof last === "string" || typeof last === "number" ? last : null;
  return { last: known, ids: Array.isArray(ids) ? ids.map(toText) : [] };
}
