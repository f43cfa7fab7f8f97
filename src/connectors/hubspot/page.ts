import type { Json } from "../../contract/json.ts";
import { isRecord, toJson } from "../../engine/values/json.ts";

export type Page = { results: Json; next_after: Json; total?: Json };

/** A page of records: `next_after` is null at the end. */
export function pageOf(result: Json): Page {
  const answer = isRecord(result) ? result : {};
  const next = isRecord(answer["paging"]) && isRecord(answer["paging"]["next"]) ? answer["paging"]["next"] : null;
  return {
    results: toJson(answer["results"] ?? []),
    next_after: toJson(next?.["after"] ?? null),
    ...(answer["total"] !== undefined && { total: toJson(answer["total"]) }),
  };
}
