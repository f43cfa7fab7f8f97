import type { MockAnswer } from "../../contract/workflow-test.ts";
import type { HttpAnswer } from "../../contract/webhook.ts";
import type { NodeTypeName } from "../../contract/workflow.ts";
import { refuseCall } from "../../engine/calls/connector-caller.ts";
import type { ConnectorCalls, ConnectorRegistry } from "../../engine/connector.ts";
import type { BoundNode, NodeContext, NodeType, StepOutcome } from "../../engine/node.ts";
import { fail } from "../../engine/node.ts";

/** Nodes that reach outside: they need an answer. */
const outside: ReadonlySet<NodeTypeName> = new Set(["connector", "llm", "rag_retrieve"]);

/** Nodes that may be given an answer; the others are what a test is there to run. */
export const mockable: ReadonlySet<string> = new Set([...outside, "code"]);

/** What the nodes of one run are answered, and what they did. */
export class Tape {
  readonly #mocks: ReadonlyMap<string, readonly MockAnswer[]>;
  readonly #taken = new Map<string, number>();
  /** Nodes that wanted to reach outside and have no answer. */
  readonly missing = new Set<string>();
  /** The last answer to a webhook's caller. */
  response: HttpAnswer | null = null;
  #running = 0;
  #idle = Promise.withResolvers<void>();

  constructor(mocks: ReadonlyMap<string, readonly MockAnswer[]>) {
    this.#mocks = mocks;
  }

  has(nodeId: string): boolean {
    return this.#mocks.has(nodeId);
  }

  /** Its next answer; the last one is given again and again. */
  take(nodeId: string): MockAnswer | null {
    const answers = this.#mocks.get(nodeId) ?? [];
    const at = this.#taken.get(nodeId) ?? 0;
    this.#taken.set(nodeId, at + 1);
    return answers[Math.min(at, answers.length - 1)] ?? null;
  }

  get isBusy(): boolean {
    return this.#running > 0;
  }

  /** Settles when no step runs in real time any more. */
  async idle(): Promise<void> {
    if (this.isBusy) await this.#idle.promise;
  }

  /** Counts an attempt that takes real time, such as a script's. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) {
        this.#idle.resolve();
        this.#idle = Promise.withResolvers();
      }
    }
  }
}

/**
 * The catalogue with every way outside replaced by the answers of a tape. They stand below validation (contract 19): the
 * node runs up to its first call, and what it refuses by then, or its operation's schema refuses, fails as it would.
 */
export function mockCatalogue(
  catalogue: readonly NodeType[],
  tape: Tape,
  connectors: () => ConnectorRegistry,
): NodeType[] {
  return catalogue.map((type) => ({
    ...type,
    bind(config) {
      const bound = type.bind(config);
      return { ...bound, run: (context) => runStep(type.type, bound, context, { tape, connectors }) };
    },
  }));
}

type Stand = { tape: Tape; connectors: () => ConnectorRegistry };
type Outcome = StepOutcome | Promise<StepOutcome>;

function runStep(type: NodeTypeName, bound: BoundNode, context: NodeContext<unknown>, stand: Stand): Outcome {
  const { tape } = stand;
  if (outside.has(type)) return tape.during(async () => answerCall(bound, context, stand));
  if (type === "respond_to_webhook") return answerCaller(bound, context, tape);
  const answer = tape.has(context.step.id) ? tape.take(context.step.id) : null;
  if (answer) return outcomeOf(answer);
  const outcome = bound.run(context);
  return outcome instanceof Promise ? tape.during(async () => outcome) : outcome;
}

async function answerCall(
  bound: BoundNode,
  context: NodeContext<unknown>,
  { tape, connectors }: Stand,
): Promise<StepOutcome> {
  const reached = Promise.withResolvers<never>();
  let hasReached = false;
  const reach = async (): Promise<never> => {
    hasReached = true;
    reached.reject(new Error("The call is answered by the test"));
    return reached.promise;
  };
  reached.promise.catch(() => undefined);
  const calls: ConnectorCalls = {
    run: async (request) => (await refuseCall(connectors(), 1, request)) ?? reach(),
    open: reach,
    fetchThrough: () => reach,
    throughBreaker: reach,
  };
  const outcome = await Promise.race([bound.run(withCalls(context, calls)), reached.promise]).catch(
    (thrown: unknown) => {
      if (hasReached) return null;
      throw thrown;
    },
  );
  if (outcome && !hasReached) return outcome;
  const { id } = context.step;
  const answer = tape.take(id);
  if (answer) return outcomeOf(answer);
  tape.missing.add(id);
  return fail("NOT_MOCKED", `${id} reaches outside and the test has no answer for it: give one under mocks.${id}`);
}

/** As if a webhook's caller waited for the answer. */
function answerCaller(bound: BoundNode, context: NodeContext<unknown>, tape: Tape): Outcome {
  const run = { id: context.run.id, source: context.run.source, awaitsResponse: tape.response === null };
  const outcome = bound.run(derive(context, { run: { value: run } }));
  if (outcome instanceof Promise || outcome.kind !== "respond") return outcome;
  tape.response = outcome.answer;
  return { kind: "done", output: outcome.output };
}

function withCalls(context: NodeContext<unknown>, calls: ConnectorCalls): NodeContext<unknown> {
  return derive(context, { calls: { value: calls } });
}

/** A context with some members of its own. */
function derive(context: NodeContext<unknown>, members: PropertyDescriptorMap): NodeContext<unknown> {
  return Object.create(context, members) as NodeContext<unknown>;
}

function outcomeOf(answer: MockAnswer): StepOutcome {
  if ("output" in answer) return { kind: "done", output: answer.output };
  const { code, message = `The test has it fail with ${code}`, retryable, retryAfterMs, details } = answer.error;
  return fail(code, message, {
    ...(retryable !== undefined && { retryable }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(details !== undefined && { details }),
  });
}
