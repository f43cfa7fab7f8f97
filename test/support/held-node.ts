import { type NodeType, done } from "../../src/engine/node.ts";
import { noConfig, withNoop } from "./other-noop.ts";

/** The catalogue with a `noop` whose steps end when the test lets them: to look at a run that is under way. */
export function heldCatalogue(): { catalogue: NodeType[]; letGo(): void } {
  let { promise, resolve } = Promise.withResolvers<void>();
  const catalogue = withNoop({
    config: noConfig,
    async run({ upstream, signal }) {
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => aborted.resolve());
      await Promise.race([promise, aborted.promise]);
      return done(upstream);
    },
  });
  return {
    catalogue,
    letGo() {
      resolve();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
}
