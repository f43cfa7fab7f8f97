import type { Json } from "../../contract/json.ts";
import type { ConnectorOperation, OperationCall } from "../../engine/connector.ts";
import { toText } from "../../engine/values/json.ts";
import { type OperationSpec, type Schema, defineOperation } from "../define-operation.ts";
import { outcomeOf } from "../service-call.ts";
import { type HubspotRequest, callApi } from "./call-api.ts";

type Input = OperationCall["input"];

type Spec = Omit<OperationSpec, "run"> & {
  request(input: Input, call: OperationCall): HubspotRequest;
  /** What the step's output is; default the answer as it is. */
  output?(result: Json, input: Input): Json;
};

/** An operation that is one request. */
export function defineRequest({ request, output = (result) => result, ...spec }: Spec): ConnectorOperation {
  return defineOperation({
    ...spec,
    async run(call) {
      const answer = await callApi(call, request(call.input, call));
      return outcomeOf(answer, (result) => output(result, call.input));
    },
  });
}

/** A part of a path that the input gives: it stays one part. */
export function segment(value: Json | undefined): string {
  const text = encodeURIComponent(toText(value ?? null));
  // Dots alone would climb.
  return /^\.{0,2}$/.test(text) ? "%20" : text;
}

export const id: Schema = { type: ["string", "integer"], description: "Id of the record in HubSpot" };
export const propertyNames: Schema = {
  type: "array",
  items: { type: "string" },
  description: "Names of the properties to return; HubSpot returns a few by default",
};
export const properties: Schema = {
  type: "object",
  additionalProperties: { type: ["string", "number", "boolean", "null"] },
  description: "Properties by their internal names, such as email or firstname",
};
export const limit: Schema = { type: "integer", minimum: 1, maximum: 100, default: 100, description: "Records a page" };
export const after: Schema = {
  type: "string",
  description: "Where the next page begins: next_after of the page before",
};
