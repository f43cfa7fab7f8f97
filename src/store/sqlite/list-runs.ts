import type { Database, Statement } from "better-sqlite3";
import { runStatuses, type RunStatus } from "../../contract/run.ts";
import type { RunFilter, RunSummary } from "../store.ts";
import { sourceCodes, statusCodes } from "./codes.ts";
import { decodeSummary, runParents, summaryColumns, type RunSummaryRow } from "./run-row.ts";

type Page = { runs: RunSummary[]; total: number };
type Param = string | number;
type Query = { sql: string; params: Param[] };
/** A filter in codes; `statuses` null: any. */
type Codes = {
  workspaceId: number;
  statuses: number[] | null;
  source?: number;
  actionId?: number;
  hasIncident?: boolean;
};

/**
 * Lists runs, newest first. Each filter is a walk along one index, or along one index for each status, merged; `total`
 * comes from the counters. Only bounds on creation, which counters can't know, make it count within their window.
 */
export function prepareListRuns(db: Database): (filter: RunFilter) => Page {
  const selectRows = prepareOnce<RunSummaryRow>(db);
  const selectCount = prepareOnce<{ n: number }>(db);
  const findAction = db.prepare<[number, string], { id: number }>(
    "SELECT id FROM actions WHERE workspace_id = ? AND slug = ?",
  );

  function list(filter: RunFilter): Page {
    const action = filter.actionSlug === undefined ? undefined : findAction.get(filter.workspaceId, filter.actionSlug);
    const isEmpty = filter.statuses?.length === 0 || (filter.actionSlug !== undefined && !action);
    if (isEmpty) return { runs: [], total: 0 };
    const codes = encodeFilter(filter, action?.id);
    const isDated = filter.createdFrom !== undefined || filter.createdTo !== undefined;
    const ids = selectIds(filter, codes, isDated);
    const isCounted = isDated || codes.hasIncident !== undefined;
    const count = isCounted ? countAll(ids) : countFromCounters(codes);
    const rows = selectRows(selectPage(ids, isDated, filter));
    return { runs: rows.map(decodeSummary), total: selectCount(count)[0]?.n ?? 0 };
  }

  return db.transaction(list);
}

function selectIds(filter: RunFilter, codes: Codes, isDated: boolean): Query {
  return isDated || codes.hasIncident ? selectWalk(filter, codes) : selectMerged(codes);
}

/** Runs queries, each text prepared when it is first met. */
function prepareOnce<Row>(db: Database): (query: Query) => Row[] {
  const statements = new Map<string, Statement<Param[], Row>>();
  return ({ sql, params }) => {
    const statement = statements.get(sql) ?? db.prepare<Param[], Row>(sql);
    statements.set(sql, statement);
    return statement.all(...params);
  };
}

function encodeFilter(filter: RunFilter, actionId: number | undefined): Codes {
  const { workspaceId, statuses, source, hasIncident } = filter;
  return {
    ...(hasIncident === undefined ? {} : { hasIncident }),
    workspaceId,
    statuses: statuses ? encodeStatuses([...new Set(statuses)]) : null,
    ...(source === undefined ? {} : { source: sourceCodes.encode(source) }),
    ...(actionId === undefined ? {} : { actionId }),
  };
}

function encodeStatuses(statuses: readonly RunStatus[]): number[] {
  return statuses.map(statusCodes.encode);
}

/** Conditions that all have to hold, each with its parameter. */
function where(conditions: [sql: string, param: number | undefined][]): Query {
  const given = conditions.filter((condition): condition is [string, number] => condition[1] !== undefined);
  return { sql: given.map(([sql]) => sql).join(" AND "), params: given.map(([, param]) => param) };
}

/** One walk for each status along the index of the narrowest filter, so that nothing is sorted and little is skipped. */
function selectMerged({ workspaceId, statuses, source, actionId, hasIncident }: Codes): Query {
  const isNarrow = actionId !== undefined || source !== undefined;
  const index = actionId !== undefined ? "runs_by_action" : source !== undefined ? "runs_by_source" : "runs_by_status";
  const walked = statuses ?? (isNarrow ? encodeStatuses(runStatuses) : [undefined]);
  const walks = walked.map((status) => {
    const conditions = where([
      ["workspace_id = +?", workspaceId],
      ["action_id = +?", actionId],
      ["source = +?", source],
      ["status = +?", status],
    ]);
    const chosen = status === undefined ? "runs_by_workspace" : index;
    return {
      sql: `SELECT id FROM runs INDEXED BY ${chosen} WHERE ${conditions.sql}${ofIncident(hasIncident)}`,
      params: conditions.params,
    };
  });
  return { sql: walks.map(({ sql }) => sql).join(" UNION ALL "), params: walks.flatMap(({ params }) => params) };
}

/**
 * One walk along one index. Runs of incidents are few: they are walked, whatever else the filter asks for. Else it is that
 * of the times of creation, which holds all that a filter can ask for.
 */
function selectWalk({ createdFrom, createdTo }: RunFilter, codes: Codes): Query {
  const { workspaceId, statuses, source, actionId, hasIncident } = codes;
  const index = hasIncident ? "runs_by_incident" : "runs_by_creation";
  const conditions = where([
    ["workspace_id = +?", workspaceId],
    ["created_at >= +?", createdFrom],
    ["created_at <= +?", createdTo],
    ["source = +?", source],
    ["action_id = +?", actionId],
  ]);
  const ofStatus = statuses ? ` AND status IN (${statuses.join(", ")})` : "";
  const sql = `SELECT id, created_at FROM runs INDEXED BY ${index} WHERE ${conditions.sql}${ofStatus}${ofIncident(hasIncident)}`;
  return { sql, params: conditions.params };
}

function ofIncident(hasIncident: boolean | undefined): string {
  return hasIncident === undefined ? "" : ` AND incident_id IS ${hasIncident ? "NOT NULL" : "NULL"}`;
}

function selectPage(ids: Query, isDated: boolean, { limit, offset }: RunFilter): Query {
  const order = isDated ? "created_at DESC, id DESC" : "id DESC";
  const finalOrder = isDated ? "r.created_at DESC, r.id DESC" : "r.id DESC";
  return {
    sql: `SELECT ${summaryColumns} FROM (${ids.sql} ORDER BY ${order} LIMIT +? OFFSET +?) page
      CROSS JOIN runs r ON r.id = page.id ${runParents} ORDER BY ${finalOrder}`,
    params: [...ids.params, limit, offset],
  };
}

function countAll({ sql, params }: Query): Query {
  return { sql: `SELECT COUNT(*) AS n FROM (${sql})`, params };
}

function countFromCounters({ workspaceId, statuses, source, actionId }: Codes): Query {
  const conditions = where([
    ["workspace_id = +?", workspaceId],
    ["action_id = +?", actionId],
    ["source = +?", source],
  ]);
  const counted = (statuses ?? encodeStatuses(runStatuses)).join(", ");
  return {
    sql: `SELECT COALESCE(SUM(n), 0) AS n FROM run_counts WHERE status IN (${counted}) AND ${conditions.sql}`,
    params: conditions.params,
  };
}
