import * as z from "zod";
import { type NodeSpec, type NodeType, defineNode } from "../../src/engine/node.ts";
import { nodes } from "../../src/nodes/index.ts";

type Behaviour<Config> = Pick<NodeSpec<Config>, "config" | "templates" | "effects" | "run">;

/** The catalogue, in which a `noop` takes what a test says, and does it. */
export function withNoop<Config>(behaviour: Behaviour<Config>): NodeType[] {
  const other = defineNode({ type: "noop", title: "Other", group: "Utilities", summary: "", ...behaviour });
  return nodes.map((type) => (type.type === "noop" ? other : type));
}

/** Of a `noop` that needs no config. */
export const noConfig = z.object({});
