import type { RunDetail } from "../contract/run.ts";
import type { ExitName } from "./exit-codes.ts";
import { showStep } from "./journal-line.ts";
import type { JunitCase, JunitSuite } from "./write-junit.ts";

/** A run as a suite: a case for the run itself, which fails where the command would, and one for each step. */
export function runSuite(run: RunDetail, exit: ExitName): JunitSuite {
  const { action_slug, run_id, status, error, duration_ms, steps } = run;
  const reason = error === null ? `The run is ${status}` : `${error.code}: ${error.message}`;
  const whole: JunitCase = {
    name: "run",
    ...(duration_ms !== null && { seconds: duration_ms / 1000 }),
    ...(exit !== "ok" && { failure: { kind: status, message: reason, text: `run ${run_id}` } }),
  };
  const cases = steps.map((step): JunitCase => {
    const hasFailed = step.status === "failed" || step.status === "timed_out";
    const message = step.error ? `${step.error.code}: ${step.error.message}` : step.status;
    const isSkipped = step.status === "skipped" || step.status === "pending_approval" || step.status === "waiting";
    return {
      name: showStep(step),
      ...(step.duration_ms !== null && { seconds: step.duration_ms / 1000 }),
      ...(hasFailed && { failure: { kind: step.status, message, text: `step ${showStep(step)} of run ${run_id}` } }),
      isSkipped,
    };
  });
  return { name: action_slug ?? run_id, cases: [whole, ...cases] };
}
