import type { Run, RunDetail, Step } from "../contract/run.ts";
import { durationCell, statusCell, textCell, timeCell, type Cell } from "./cell.ts";
import { showStep } from "./journal-line.ts";
import type { Output } from "./output.ts";
import { printSheet, printTable } from "./print.ts";
import { safeJson } from "./safe-text.ts";

type Field = readonly [label: string, cell: Cell];

/** Prints a run as its creation returned it: what one needs to find it again. */
export async function printStartedRun(output: Output, run: Run): Promise<void> {
  await printSheet(output, { json: run, id: run.run_id, fields: headFields(output, run) });
}

/** Prints a whole run: its fields, then a line for each step. */
export async function printRun(output: Output, run: RunDetail): Promise<void> {
  const fields: Field[] = [
    ...headFields(output, run),
    ["source", textCell(run.dry_run ? `${run.source} (dry run)` : run.source)],
    ...(run.resume_from_run_id === null ? [] : [["replay of", textCell(run.resume_from_run_id)] as const]),
    ...(run.parent_run_id === null ? [] : [["started by", textCell(run.parent_run_id)] as const]),
    ...run.child_runs.map(({ run_id, step, status }) => ["child", textCell(`${run_id} ${status} (${step})`)] as const),
    ["created", timeCell(run.created_at, output.now)],
    ["time", durationCell(run.duration_ms)],
    ...resultFields(run),
  ];
  await printSheet(output, { json: run, id: run.run_id, fields });
  if (output.format !== "table" && output.format !== "tsv") return;
  await printTable(
    output,
    [],
    run.steps.map((step) => stepCells(step, output)),
  );
  const hidden = run.steps_total - run.steps.length;
  if (hidden > 0) output.note(`${hidden} earlier steps are left out; see: stepgate runs journal ${run.run_id}`);
}

/** What came of a run: its input, then its error or its output. */
function resultFields({ input, output, error }: Run): Field[] {
  return [
    ["input", textCell(safeJson(input))],
    ...(error === null ? [] : [["error", textCell(`${error.code}: ${error.message}`, "red")] as const]),
    ["output", textCell(output === null ? null : safeJson(output))],
  ];
}

function headFields(output: Output, run: Run): Field[] {
  const version = { raw: String(run.action_release_version) };
  return [
    ["run", textCell(run.run_id, "bold")],
    ["action", textCell(run.action_slug)],
    ["version", version],
    ["status", statusCell(run.status, output.isUnicode)],
  ];
}

function stepCells(step: Step, { isUnicode }: Output): Cell[] {
  return [
    { raw: "step", style: "dim" },
    textCell(showStep(step)),
    textCell(step.type),
    statusCell(step.status, isUnicode),
    { raw: String(step.attempt), text: `attempt ${step.attempt}`, style: "dim" },
    durationCell(step.duration_ms),
    ...(step.error === null ? [] : [textCell(`${step.error.code}: ${step.error.message}`, "red")]),
  ];
}
