import type { Store } from "../store.ts";
import type { HandOn, Write } from "./store-writes.ts";

/** The writes of connections, variables and secrets. */
export function secretMethods(write: Write, { answer, settle }: HandOn) {
  return {
    createConnection: ({ settings, requireApproval, ...rest }) => {
      const input = { ...rest, settings: JSON.stringify(settings), requireApproval: Number(requireApproval) };
      return write({ name: "createConnection", input });
    },
    updateConnection: ({ settings, ...rest }) =>
      write({ name: "updateConnection", input: { ...rest, ...(settings && { settings: JSON.stringify(settings) }) } }),
    removeConnection: answer("removeConnection"),
    touchConnection: settle("touchConnection"),
    setVariable: settle("setVariable"),
    removeVariable: answer("removeVariable"),
    setSecret: settle("setSecret"),
    removeSecret: answer("removeSecret"),
    setWebhookSecrets: settle("setWebhookSecrets"),
  } satisfies Partial<Store>;
}
