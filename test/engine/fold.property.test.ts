import fc from "fast-check";
import { expect, test } from "vitest";
import type { FoldEvent } from "../../src/engine/graph/fold.ts";
import { checkDefinition } from "../../src/engine/checks/check-definition.ts";
import { type Graph, compileGraph } from "../../src/engine/graph/graph.ts";
import { iterationOf } from "../../src/engine/graph/scope-state.ts";
import { nodes } from "../../src/nodes/index.ts";
import { randomWorkflow, seededRandom } from "../support/random-workflow.ts";
import { key, recompute } from "../support/recompute.ts";
import { simulateRun } from "../support/simulate-run.ts";

/** 500 in the suite; `STEPGATE_SEEDS=10000` is the long form (scripts/long-tests.ts). */
const numRuns = Number(process.env["STEPGATE_SEEDS"] ?? 500);
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

function compile(seed: number, halting = false) {
  const { definition, input } = randomWorkflow(seed, halting);
  return { graph: compileGraph(definition, nodes), definition, input };
}

/** A journal without its order: what happened to each step. */
function facts(events: readonly FoldEvent[]): string[] {
  return events.map((event) => JSON.stringify(event)).toSorted();
}

test("random workflows are valid, so that the properties below speak of real ones", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { definition } = randomWorkflow(seed);
      const errors = checkDefinition(definition, nodes).filter((issue) => issue.severity === "error");
      expect(errors).toEqual([]);
    }),
    { numRuns },
  );
});

test("every order in which events can arrive gives the same result", () => {
  fc.assert(
    fc.property(seeds, seeds, seeds, (seed, orderA, orderB) => {
      const { graph, input } = compile(seed);
      const a = simulateRun(graph, input, seededRandom(orderA));
      const b = simulateRun(graph, input, seededRandom(orderB));
      expect(JSON.stringify(b.end)).toBe(JSON.stringify(a.end));
      expect(facts(b.events)).toEqual(facts(a.events));
    }),
    { numRuns },
  );
});

test("a crash after any event, then resume, gives byte-equal output and never runs a finished step again", () => {
  fc.assert(
    fc.property(seeds, seeds, seeds, (seed, order, resumeOrder) => {
      const { graph, input } = compile(seed);
      const whole = simulateRun(graph, input, seededRandom(order));
      for (let crash = 0; crash <= whole.events.length; crash += 1) {
        const resumed = simulateRun(graph, input, seededRandom(resumeOrder), whole.events.slice(0, crash));
        expect(JSON.stringify(resumed.end)).toBe(JSON.stringify(whole.end));
        expect(facts(resumed.events)).toEqual(facts(whole.events));
      }
    }),
    { numRuns: Math.ceil(numRuns / 10) },
  );
});

test("after each event the fold knows the same decisions as a recomputation from the whole journal", () => {
  fc.assert(
    fc.property(seeds, seeds, (seed, order) => {
      const { graph, input } = compile(seed);
      simulateRun(graph, input, seededRandom(order), [], (fold, events) => {
        const decided = [...fold.decisions].map(
          ([step, decision]) => `${decision.kind} ${key(step.node.id, iterationOf(step) ?? [])}`,
        );
        expect(decided.toSorted()).toEqual(recompute(graph, events));
      });
    }),
    { numRuns },
  );
});

test("however a run fails, no step is left open, none starts after the failure, and a loop fails after its body", () => {
  fc.assert(
    fc.property(seeds, seeds, (seed, order) => {
      const { graph, input } = compile(seed, true);
      const { events, end } = simulateRun(graph, input, seededRandom(order));
      const open = new Set<string>();
      for (const event of events) {
        const name = key(event.stepId, event.iteration ?? []);
        if (event.type === "step_started") open.add(name);
        else open.delete(name);
        const inside = [...open].filter((other) => isInside(graph, other, event));
        if (event.type !== "step_started") expect(inside).toEqual([]);
      }
      expect([...open]).toEqual([]);
      const failures = events.filter((event) => event.type === "step_failed");
      if (end.status === "failed") expect(failures.map((event) => event.error?.message)).toContain(end.error.message);
      const halted = events.findIndex((event) => event.type === "step_failed" && event.iteration === null);
      expect(end.status).toBe(halted < 0 ? "succeeded" : "failed");
      const after = halted < 0 ? [] : events.slice(halted).filter((event) => event.type !== "step_failed");
      expect(after).toEqual([]);
    }),
    { numRuns },
  );
});

/** Whether the open step lies in the body of the loop whose event this is. */
function isInside(graph: Graph, open: string, { stepId, iteration }: FoldEvent): boolean {
  const loop = graph.byId.get(stepId);
  const node = graph.byId.get(open.slice(0, open.indexOf("[")));
  if (!loop?.body || node?.scope !== loop.body) return false;
  const prefix = (iteration ?? []).map((index) => `${index},`).join("");
  return open.slice(open.indexOf("[") + 1).startsWith(prefix);
}
