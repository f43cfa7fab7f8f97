import type { ConnectionStore, Store, ValueStore } from "../store.ts";
import type { Write } from "./store-writes.ts";

export type SecretWriteName = Exclude<
  keyof (ConnectionStore & ValueStore),
  "listConnections" | "listVariables" | "listSecrets" | "listWebhookSecrets"
>;

/** The writes of connections, variables and secrets. */
export function secretMethods(write: Write): Pick<Store, SecretWriteName> {
  return {
    createConnection: ({ settings, requireApproval, ...rest }) => {
      const input = { ...rest, settings: JSON.stringify(settings), requireApproval: Number(requireApproval) };
      return write({ name: "createConnection", input });
    },
    updateConnection: ({ settings, ...rest }) =>
      write({ name: "updateConnection", input: { ...rest, ...(settings && { settings: JSON.stringify(settings) }) } }),
    removeConnection: (input) => write({ name: "removeConnection", input }),
    async touchConnection(input) {
      await write({ name: "touchConnection", input });
    },
    async setVariable(input) {
      await write({ name: "setVariable", input });
    },
    removeVariable: (input) => write({ name: "removeVariable", input }),
    async setSecret(input) {
      await write({ name: "setSecret", input });
    },
    removeSecret: (input) => write({ name: "removeSecret", input }),
    async setWebhookSecrets(input) {
      await write({ name: "setWebhookSecrets", input });
    },
  };
}
