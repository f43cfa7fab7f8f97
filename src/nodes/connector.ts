import * as z from "zod";
import { presentInput } from "../engine/calls/operation-input.ts";
import { defineNode } from "../engine/node.ts";
import { template } from "./template-field.ts";

/** Runs one operation of a connector (contract 13). What a crash in the middle means is the operation's to say. */
export const connector = defineNode({
  type: "connector",
  title: "Connector",
  group: "Connector",
  summary: "Calls an operation of a connector, such as `http` with `request`. Output: what the operation answers.",
  config: z.strictObject({
    connector: z.string().min(1).describe("Slug of the connector"),
    operation: z.string().min(1).describe("Key of its operation"),
    connectionId: z
      .string()
      .min(1)
      .optional()
      .describe("Id of the connection whose credentials are used; some connectors work without"),
    input: z
      .record(z.string(), template("A field of the operation's input"))
      .default({})
      .describe("What the operation gets, as its schema says"),
  }),
  templates: ["/input/**"],
  effects: () => "unsafe",
  reaches: ({ connector: slug, operation, connectionId, input }) => [
    {
      connector: slug,
      connectorPointer: "/connector",
      connectionId: connectionId ?? null,
      connectionPointer: "/connectionId",
      operation: { key: operation, pointer: "/operation", input, inputPointer: "/input" },
    },
  ],
  async run({ config: { connector: slug, operation, connectionId, input }, calls }) {
    return calls.run({ connector: slug, operation, connectionId: connectionId ?? null, input: presentInput(input) });
  },
});
