import type { RunError } from "../../contract/run.ts";
import type { StepError } from "../node.ts";
import { SealedValueError } from "../sealed-value.ts";
import { MissingSecretError } from "../templates/named-values.ts";

/** A handler threw instead of answering: whatever it was becomes a failure that can be read. A secret can be set. */
export function thrownError(thrown: unknown): StepError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const isSecret = thrown instanceof MissingSecretError || thrown instanceof SealedValueError;
  return { code: isSecret ? "VALIDATION_ERROR" : "UNKNOWN", message: message || "The step failed without a message" };
}

/** The per-step watchdog (spec 8). */
export function stepTimeout(ms: number): StepError {
  return { code: "TIMEOUT", message: `The step exceeded its time-out of ${ms / 1000} s`, retryable: true };
}

/** The pipeline's own limit counts active time over all resumes (contract 5). */
export function pipelineTimeout(seconds: number): RunError {
  return { code: "TIMEOUT", message: `The run exceeded the pipeline time-out of ${seconds} s of active time` };
}

/** The caller of the webhook is gone, was answered before, or never waited (spec 2.10). */
export const noPendingResponse: StepError = {
  code: "UNKNOWN",
  message: "respond_to_webhook: no pending HTTP response",
};

/** A step that was open when its run or its iteration ended, by another step or from outside (contract 5). */
export const abortedError: StepError = {
  code: "UNKNOWN",
  message: "The step was aborted because its run or its iteration ended",
  details: { aborted: true },
};

/** Started before a crash, with side effects and no recorded end: only a person can know (contract 5). */
export const inDoubtError: StepError = {
  code: "UNKNOWN",
  message:
    "The daemon stopped while this step ran, and its side effect may have happened. Check the other system, then replay the run",
  details: { in_doubt: true },
};

/** Nobody decided in time, which counts as a rejection (spec 3.2). */
export const expiredError: StepError = {
  code: "APPROVAL_EXPIRED",
  message: "The approval request expired without a decision and was rejected automatically",
};

export const rejectedError: StepError = {
  code: "UNKNOWN",
  message: "The approval request was rejected",
  details: { aborted: true, rejected: true },
};

export function crashLoopError(crashes: number): RunError {
  return {
    code: "UNKNOWN",
    message: `The daemon went down ${crashes} times while it executed this run; it is not tried again`,
    details: { crash_loop: true },
  };
}

/** What later steps would read was redacted, and the originals can't be had (contract 15). */
export function originalsGone(message: string): RunError {
  return {
    code: "UNKNOWN",
    message: `${message}. The run can't go on with redacted values`,
    details: { originals_gone: true },
  };
}

export function tooManySteps(limit: number): RunError {
  return { code: "VALIDATION_ERROR", message: `The run reached the limit of ${limit} step executions` };
}

export function tooLargeOutput(limit: number): StepError {
  return { code: "VALIDATION_ERROR", message: `The step's output exceeds ${limit / 1024 / 1024} MiB of JSON` };
}
