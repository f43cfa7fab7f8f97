import * as z from "zod";
import { runDiff } from "../../contract/run-diff.ts";
import { diffRuns as compareRuns } from "../../engine/graph/diff-runs.ts";
import { defineOperation } from "../operation.ts";
import { readDetail } from "./read-detail.ts";
import { requireRun } from "./require-run.ts";

const runId = z.string().meta({ description: "The run's id", format: "uuid" });

export const diffRuns = defineOperation({
  name: "diffRuns",
  tool: null,
  title: "Compare two runs",
  description:
    "Tells node by node what differs between two runs, such as a run and its replay: `a` is the run of the path, `b` the " +
    "one of `with`. Compares what is stored, so values that were redacted alike count as the same.",
  route: ["GET", "/runs/:run_id/diff", 200],
  scope: "runs:read",
  input: z.object({ run_id: runId, with: runId.describe("The other run's id") }),
  output: runDiff,
  async handle({ services, caller }, input) {
    const [a, b] = await Promise.all(
      [input.run_id, input.with].map(async (id) =>
        readDetail(services, await requireRun(services, caller.workspaceId, id), Number.POSITIVE_INFINITY),
      ),
    );
    if (!a || !b) throw new Error("Two runs were asked for");
    return compareRuns(a, b);
  },
});
