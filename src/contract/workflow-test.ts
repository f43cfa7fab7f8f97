import * as z from "zod";
import { jsonObject, jsonValue } from "./json.ts";
import { runStatuses, stepStatus } from "./run.ts";
import type { Issue } from "./workflow.ts";

/** Tests of a workflow in a file of their own (contract 19): what the file says, and what came of running it. */

const mockError = z.strictObject({
  code: z.string().min(1).describe("Code of the failure, such as UPSTREAM_ERROR or RATE_LIMITED"),
  message: z.string().optional().describe("What it says"),
  retryable: z.boolean().optional().describe("Whether the step tries again as its maxRetries say"),
  retryAfterMs: z.number().min(0).optional().describe("How long the service asks to wait"),
  details: jsonObject.optional(),
});

const mockAnswer = z.union([
  z.strictObject({ output: jsonValue.describe("The step's output") }),
  z.strictObject({ error: mockError.describe("The step's failure") }),
]);
export type MockAnswer = z.infer<typeof mockAnswer>;

const decision = z.enum(["approve", "reject"]);

/** `refused`: the input did not fit its schema, so that no run was started. */
export const testStatuses = [...runStatuses, "refused"] as const;
export type TestStatus = (typeof testStatuses)[number];

const expectation = z.strictObject({
  status: z.enum(testStatuses).describe("How the run ends; refused: its input is not accepted"),
  output: jsonValue.optional().describe("The run's whole output"),
  error: z
    .union([
      z.null(),
      z.string().min(1),
      z.strictObject({ code: z.string().optional(), message: z.string().optional(), step_id: z.string().optional() }),
    ])
    .optional()
    .describe("The run's error: its code, or those of code, message and step_id that count; null: none"),
  steps: z.record(z.string(), stepStatus).optional().describe("Statuses by node id; in a loop of every iteration"),
  journal: z
    .array(z.string().min(1))
    .optional()
    .describe("The whole journal, an event each: its type, or its type and node id such as `step_completed pay`"),
  response: z
    .strictObject({ status: z.int().optional(), body: jsonValue.optional() })
    .optional()
    .describe("What a Respond to Webhook node answered"),
});

export const testCase = z.strictObject({
  name: z.string().min(1).max(200).describe("What is tested, as a sentence"),
  input: jsonObject.optional().describe("Input of a callable workflow"),
  trigger: jsonValue.optional().describe("What {{trigger.output}} is in an event-driven workflow"),
  mocks: z
    .record(z.string(), z.union([mockAnswer, z.array(mockAnswer).min(1)]))
    .optional()
    .describe("Answers by node id, for nodes that reach outside and Code nodes; of a list each call gets the next one"),
  now: z.iso.datetime({ offset: true }).optional().describe("When the run starts (2026-01-01T00:00:00Z)"),
  vars: z.record(z.string(), z.string()).optional().describe("Variables of the workspace"),
  secrets: z.record(z.string(), z.string()).optional().describe("Secrets of the workspace, made up for the test"),
  approvals: z
    .union([decision, z.record(z.string(), decision)])
    .optional()
    .describe("How requests for approval are decided: all of them, or by node id; `run` is the one before the run"),
  expect: expectation,
});
export type TestCase = z.infer<typeof testCase>;

export const testFile = z.array(testCase).min(1);

/** One thing that came out otherwise than expected; `expected` and `received` are absent where there is only a message. */
export type TestFailure = { what: string; message: string; expected?: unknown; received?: unknown };

export type TestCaseResult = {
  name: string;
  ok: boolean;
  /** Absent when the case could not be run. */
  status?: TestStatus;
  /** Real time, not the run's own. */
  duration_ms: number;
  failures: TestFailure[];
};

/** Nodes and handles that no case of a file reached. */
export type Coverage = {
  nodes: { total: number; unreached: string[] };
  /** Handles of nodes that have several, as `node.handle`. */
  handles: { total: number; unreached: string[] };
};

export type TestFileResult = {
  file: string;
  workflow: string;
  /** Problems of either file; with an error no case was run. */
  issues: (Issue & { file: string })[];
  cases: TestCaseResult[];
  /** Null when no case was run. */
  coverage: Coverage | null;
};

/** A test file and the workflow beside it, as they lie on disk. */
export type TestSource = { file: string; text: string; workflow: { file: string; text: string } };
