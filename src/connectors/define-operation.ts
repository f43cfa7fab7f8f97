import type { Json } from "../contract/json.ts";
import type { ConnectorOperation } from "../engine/connector.ts";
import type { Effects } from "../engine/node.ts";

/** A JSON Schema. */
export type Schema = { [key: string]: Json };

export type OperationSpec = Pick<ConnectorOperation, "key" | "name" | "description" | "target" | "run"> & {
  /** All that the operation takes; whatever else it is given is refused. */
  properties: { readonly [name: string]: Schema };
  required?: readonly string[];
  /** The same for every input. Default `unsafe`: after a crash the call is not made again. */
  effects?: Effects;
};

/** An operation with an object as its input, and an output that is the service's to say. */
export function defineOperation({
  properties,
  required = [],
  effects = "unsafe",
  ...spec
}: OperationSpec): ConnectorOperation {
  return {
    ...spec,
    inputSchema: { type: "object", additionalProperties: false, required: [...required], properties },
    outputSchema: null,
    effects: () => effects,
  };
}
