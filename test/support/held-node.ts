import * as z from "zod";
import { type NodeType, defineNode, done } from "../../src/engine/node.ts";
import { nodes } from "../../src/nodes/index.ts";

/** The catalogue with a `noop` whose steps end when the test lets them: to look at a run that is under way. */
export function heldCatalogue(): { catalogue: NodeType[]; letGo(): void } {
  let { promise, resolve } = Promise.withResolvers<void>();
  const held = defineNode({
    type: "noop",
    title: "Held",
    group: "Utilities",
    summary: "",
    config: z.object({}),
    async run({ upstream, signal }) {
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => aborted.resolve());
      await Promise.race([promise, aborted.promise]);
      return done(upstream);
    },
  });
  return {
    catalogue: nodes.map((type) => (type.type === "noop" ? held : type)),
    letGo() {
      resolve();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
}
