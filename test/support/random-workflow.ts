import type { Json } from "../../src/contract/json.ts";
import type { WorkflowDefinition, WorkflowEdge, WorkflowNode } from "../../src/contract/workflow.ts";

/** A small seeded generator: the same seed gives the same workflow on every machine (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Port = { source: string; handle: string };

/**
 * A valid callable workflow of branches, joins, loops within loops and failures that are continued; with `halting` some
 * failures are not.
 */
export function randomWorkflow(
  seed: number,
  halting = false,
): { definition: WorkflowDefinition; input: { [key: string]: Json } } {
  const builder = new Builder(seededRandom(seed), halting);
  const ports = builder.block([{ source: "action_input", handle: "default" }], 0, 3 + builder.below(6));
  const last = builder.pick(ports);
  builder.add("result", "return_output", { properties: [] }, [last]);
  const definition: WorkflowDefinition = {
    name: `random ${seed}`,
    slug: `random-${seed >>> 0}`,
    approval_policy: "never",
    nodes: [{ id: "action_input", type: "action_input", data: { properties: [] } }, ...builder.nodes],
    edges: builder.edges,
  };
  return { definition, input: { n: builder.below(5), list: [1, "two", { three: 3 }].slice(0, builder.below(4)) } };
}

class Builder {
  readonly nodes: WorkflowNode[] = [];
  readonly edges: WorkflowEdge[] = [];
  readonly #random: () => number;
  readonly #halting: boolean;

  constructor(random: () => number, halting: boolean) {
    this.#random = random;
    this.#halting = halting;
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("Nothing to pick from");
    return item;
  }

  add(id: string, type: string, data: { [key: string]: Json }, sources: readonly Port[], handles?: string[]): void {
    this.nodes.push({ id, type, data });
    for (const [index, { source, handle }] of sources.entries()) {
      const targetHandle = handles?.[index] ?? "default";
      this.edges.push({ id: `e${this.edges.length}`, source, target: id, sourceHandle: handle, targetHandle });
    }
  }

  /** Adds so many nodes downstream of the ports and returns every port that is then open to go on from. */
  block(entries: readonly Port[], depth: number, count: number): Port[] {
    const ports = [...entries];
    for (let added = 0; added < count; added += 1) ports.push(...this.#node(ports, depth));
    return ports.slice(entries.length);
  }

  #node(ports: readonly Port[], depth: number): Port[] {
    const id = `n${this.nodes.length}`;
    const kinds = ["set", "noop", "condition", "switch", "merge", "filter", "fails", ...(depth < 3 ? ["loop"] : [])];
    const kind = this.pick(kinds);
    const sources = [...new Set([this.pick(ports), this.pick(ports)])];
    if (kind === "condition") return this.#condition(id, sources);
    if (kind === "switch") return this.#switch(id, sources);
    if (kind === "loop") return this.#loop(id, sources, depth);
    this.#straight(id, kind, sources);
    return [{ source: id, handle: "default" }];
  }

  /** A node with one way out. */
  #straight(id: string, kind: string, sources: readonly Port[]): void {
    if (kind === "merge" && sources.length === 2) {
      this.add(id, "merge", { mode: "wait_for_all", inputs: 2 }, sources, ["input_0", "input_1"]);
    } else if (kind === "filter") {
      const conditions = [{ id: "c", field: "{{index}}", operator: "NUMBER_IS_GREATER_THAN", value: this.below(3) }];
      this.add(id, "filter", { items: "{{action_input.list}}", combinator: "AND", conditions }, sources);
    } else if (kind === "fails") {
      const continueOnFailure = !this.#halting || this.below(3) > 0;
      const data = { items: "no list", combinator: "AND", conditions: [exists], continueOnFailure };
      this.add(id, "filter", data, sources);
    } else if (kind === "set") {
      const assignments = [{ id: "a", key: id, value: `{{${sources[0]?.source ?? "action_input"}}}` }];
      this.add(id, "set", { assignments, includeInputFields: this.below(2) === 0 }, sources);
    } else this.add(id, "noop", {}, sources);
  }

  #condition(id: string, sources: readonly Port[]): Port[] {
    const conditions = [
      { id: "c", field: "{{action_input.n}}", operator: "NUMBER_IS_GREATER_THAN", value: this.below(5) },
    ];
    this.add(id, "condition", { combinator: "AND", conditions }, sources);
    return [port(id, "true"), port(id, "false")];
  }

  #switch(id: string, sources: readonly Port[]): Port[] {
    const branches = [0, 1].map((value) => ({ id: `b${value}`, name: `is ${value}`, value: String(value) }));
    this.add(id, "switch", { mode: "value", matchField: "{{action_input.n}}", branches, fallback: true }, sources);
    return [port(id, "branch_b0"), port(id, "branch_b1"), port(id, "fallback")];
  }

  #loop(id: string, sources: readonly Port[], depth: number): Port[] {
    const items = this.below(3) === 0 ? [] : "{{action_input.list}}";
    const continueOnFailure = this.#halting && this.below(2) === 0;
    this.add(id, "loop", { items, itemVariable: `item_${id}`, continueOnFailure }, sources);
    this.block([port(id, "loop")], depth + 1, 1 + this.below(4));
    return [port(id, "done")];
  }
}

const exists = { id: "c", field: "{{item}}", operator: "EXISTS" };

function port(source: string, handle: string): Port {
  return { source, handle };
}
