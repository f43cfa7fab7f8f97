import type { Services } from "../../engine/services.ts";
import type { RunRecord } from "../../store/store.ts";

/** The runs of one workflow that bounds how many of them are under way at once (contract 5). */
export type WorkflowLine<Job> = {
  limit: number;
  /** Runs that have begun and are not over, parked ones too. */
  readonly active: Set<string>;
  /** Accepted runs for which there is no room. */
  readonly waiting: Job[];
};

/** The lines of all workflows with a bound. A workflow's line is made when its first run comes. */
export class WorkflowLines<Job extends { id: string }> {
  readonly #services: Pick<Services, "store" | "versions">;
  readonly #lines = new Map<string, WorkflowLine<Job>>();

  constructor(services: Pick<Services, "store" | "versions">) {
    this.#services = services;
  }

  /** The line in which a run stands; null when its workflow has no bound. */
  async find(run: RunRecord): Promise<WorkflowLine<Job> | null> {
    const { concurrency } = await this.#services.versions.load(run.versionId);
    if (concurrency === null) return null;
    const known = this.#lines.get(run.workflowId);
    const line = known ?? { limit: concurrency, active: new Set<string>(), waiting: [] };
    line.limit = concurrency;
    if (known) return line;
    this.#lines.set(run.workflowId, line);
    for (const id of await this.#services.store.listOpenRuns(run.workspaceId, run.workflowId)) line.active.add(id);
    return line;
  }

  /** A run is over: returns the jobs for which there is room now. */
  leave(runId: string): Job[] {
    const freed: Job[] = [];
    for (const { active, waiting, limit } of this.#lines.values()) {
      active.delete(runId);
      const place = waiting.findIndex(({ id }) => id === runId);
      if (place >= 0) waiting.splice(place, 1);
      freed.push(...waiting.splice(0, Math.max(0, limit - active.size)));
    }
    return freed;
  }

  /** Whether a job stands in some line. */
  holds(runId: string): boolean {
    return [...this.#lines.values()].some(({ waiting }) => waiting.some(({ id }) => id === runId));
  }
}

/** Takes a place for a run; false when it has to stand in line. */
export function takePlace<Job extends { id: string }>(line: WorkflowLine<Job>, job: Job): boolean {
  if (!line.active.has(job.id) && line.active.size >= line.limit) {
    line.waiting.push(job);
    return false;
  }
  line.active.add(job.id);
  return true;
}
