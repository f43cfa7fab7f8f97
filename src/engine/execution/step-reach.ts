import type { Json } from "../../contract/json.ts";
import type { Effects } from "../node.ts";
import type { StepState } from "../graph/scope-state.ts";
import type { Services } from "../services.ts";

type Parts = { calls: Pick<Services["calls"], "effectsOf" | "needsApproval">; workspaceId: number };

/**
 * What a crash in the middle of a step means. A connector's operation says so of the input that the step ran with; of
 * several the worst counts.
 */
export async function effectsOfStep(step: StepState, { calls, workspaceId }: Parts): Promise<Effects> {
  const { bound } = step.node;
  if (bound.effects !== "unsafe") return bound.effects;
  const reaches = bound.reaches(step.input as { [key: string]: Json });
  const effects = await Promise.all(reaches.map(async (reach) => calls.effectsOf(workspaceId, reach)));
  return effects.length > 0 && !effects.includes("unsafe") ? "idempotent" : "unsafe";
}

/**
 * Which steps wait for an approval: those whose node says so, and those that call through a connection that does, as it
 * is when the step would start (contract 13).
 */
export class StepGating {
  readonly #parts: Parts;
  readonly #onAnswer: () => void;
  readonly #onError: (error: unknown) => void;
  readonly #answers = new WeakMap<StepState, boolean>();
  readonly #asked = new Set<StepState>();

  constructor(parts: Parts, onAnswer: () => void, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#onAnswer = onAnswer;
    this.#onError = onError;
  }

  get isAsking(): boolean {
    return this.#asked.size > 0;
  }

  /** Null while the connection is being asked; `onAnswer` is called when that is known. */
  isGated(step: StepState): boolean | null {
    const { settings, bound } = step.node;
    if (settings.requireApproval) return true;
    // Pure steps, which most are, reach nobody.
    if (bound.effects === "none") return false;
    const connections = bound.reaches().flatMap(({ connectionId }) => connectionId ?? []);
    if (connections.length === 0) return false;
    const answer = this.#answers.get(step);
    if (answer !== undefined) return answer;
    if (!this.#asked.has(step)) this.#ask(step, connections);
    return null;
  }

  #ask(step: StepState, connections: readonly string[]): void {
    const { calls, workspaceId } = this.#parts;
    this.#asked.add(step);
    Promise.all(connections.map(async (id) => calls.needsApproval(workspaceId, id)))
      .then((needs) => {
        this.#answers.set(step, needs.includes(true));
        this.#asked.delete(step);
        this.#onAnswer();
      })
      .catch(this.#onError);
  }
}
