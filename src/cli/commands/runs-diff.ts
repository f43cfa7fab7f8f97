import type { Difference, RunDiff, StepDiff } from "../../contract/run-diff.ts";
import { textCell, type Cell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { findRunId, runPath } from "../find-run.ts";
import { argument, flag } from "../option.ts";
import { printListing } from "../print.ts";
import { safeJson } from "../safe-text.ts";

type Row = { place: string; change: string; difference: Difference | null };

export const runsDiff = defineCommand({
  name: "diff",
  summary: "compare two runs, node by node",
  arguments: { a: argument("id of a run"), b: argument("id of another run, such as its replay") },
  options: { all: flag("list what is the same, too") },
  examples: ["runs diff RUN REPLAY", "runs diff RUN REPLAY --json"],
  async action(context, { a, b, all }) {
    const client = await context.runtime();
    const [first, second] = [await findRunId(client, a), await findRunId(client, b)];
    const diff = await client.get<RunDiff>(`${runPath(first)}/diff`, { with: second });
    await printListing(context.output, {
      json: diff,
      rows: rowsOf(diff).filter(({ change }) => all || change !== "same"),
      id: ({ place }) => place,
      columns: ["WHERE", "WHAT", "FIRST", "SECOND"],
      cells: cellsOf,
      empty: "The two runs are the same, step by step.",
    });
  },
});

function rowsOf({ differences, steps }: RunDiff): Row[] {
  const own = differences.map((difference) => ({ place: "run", change: "changed", difference }));
  return [...own, ...steps.flatMap(rowsOfStep)];
}

function rowsOfStep({ step_id, iteration, change, differences }: StepDiff): Row[] {
  const place = iteration === null ? step_id : `${step_id}[${iteration.join(",")}]`;
  if (differences.length === 0) return [{ place, change, difference: null }];
  return differences.map((difference) => ({ place, change, difference }));
}

function cellsOf({ place, change, difference }: Row): Cell[] {
  const value = (side: unknown) => textCell(side === null || side === undefined ? null : safeJson(side));
  return [textCell(place, "bold"), textCell(difference?.field ?? change), value(difference?.a), value(difference?.b)];
}
