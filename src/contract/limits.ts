import * as z from "zod";

export const tiers = ["free", "starter", "pro", "business"] as const;
export const tier = z.enum(tiers);
export type Tier = z.infer<typeof tier>;

/** Numbers of spec 8 and contract 17; those that settings may change arrive as `Limits`. */
export type Limits = {
  /** Requests of one key in 60 seconds, by tier. */
  requestsPerMinute: Record<Tier, number>;
  /** Active keys of a workspace, by tier; null is unlimited. */
  activeKeys: Record<Tier, number | null>;
  /** Pipeline executions of one user in a rolling hour. */
  runsPerHour: number;
  /** Runs of one workspace in a calendar month (UTC); null is unlimited. */
  monthlyRuns: number | null;
  stepTimeoutSeconds: number;
  /** One call of a language model (spec 2.10). */
  llmTimeoutSeconds: number;
  pipelineTimeoutSeconds: number;
  /** How long a request for approval can be decided. */
  approvalExpirySeconds: number;
  /** Failed runs in a row that pause a workflow; 0 never does. */
  autoPauseAfter: number;
  /** The shortest interval of a schedule (spec 8). */
  scheduleMinSeconds: number;
  /** Runs that execute at once. */
  maxActiveRuns: number;
  /** Accepted runs that wait for a place; beyond it creation answers OVERLOADED. */
  maxQueuedRuns: number;
  /** Step executions of one run. */
  stepsPerRun: number;
};

export const defaultLimits: Limits = {
  requestsPerMinute: { free: 60, starter: 300, pro: 1000, business: 1000 },
  activeKeys: { free: 1, starter: 3, pro: 10, business: null },
  runsPerHour: 100,
  monthlyRuns: null,
  stepTimeoutSeconds: 30,
  llmTimeoutSeconds: 60,
  pipelineTimeoutSeconds: 300,
  approvalExpirySeconds: 3600,
  autoPauseAfter: 10,
  scheduleMinSeconds: 60,
  maxActiveRuns: 256,
  maxQueuedRuns: 10_000,
  stepsPerRun: 100_000,
};

/** Bytes of a request body (contract 6). */
export const maxBodyBytes = { runtime: 1024 * 1024, mcp: 4 * 1024 * 1024, control: 32 * 1024 * 1024 } as const;

/** Levels of nesting a JSON body may have (contract 17). */
export const maxJsonDepth = 64;

/** Bytes of JSON that one step may put out (contract 5). */
export const maxOutputBytes = 4 * 1024 * 1024;

/** The longest time that a Wait waits (spec 8). */
export const maxWaitMs = 30 * 24 * 3_600_000;

/** Items one loop may have (contract 5). */
/** Runs that may stand above a run that a step starts (contract 13). */
export const maxRunDepth = 5;
export const maxLoopItems = 10_000;

/** Complexity of a definition, checked at publish (contract 2). */
export const complexity = { nodes: 200, edges: 400, bytes: 512 * 1024, loopDepth: 3 } as const;
