import { findCallError } from "../engine/calls/call-error.ts";
import type { ConnectorTrigger } from "../engine/connector.ts";

export type Poll = NonNullable<ConnectorTrigger["poll"]>["run"];

/** A poll whose calls may throw: one that failed is its answer. Other errors stay thrown. */
export function answerPoll(poll: Poll): Poll {
  return async (call) => {
    try {
      return await poll(call);
    } catch (thrown) {
      const failed = findCallError(thrown);
      if (failed) return { error: failed.failure };
      throw thrown;
    }
  };
}
