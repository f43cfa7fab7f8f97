import type { Json } from "../../contract/json.ts";
import type { ConnectorOperation, OperationCall } from "../../engine/connector.ts";
import { type Effects, done } from "../../engine/node.ts";
import { toText } from "../../engine/values/json.ts";
import { type HubspotRequest, callApi } from "./call-api.ts";

export type Schema = { [key: string]: Json };
export type Input = OperationCall["input"];

type Spec = {
  key: string;
  name: string;
  description: string;
  required?: readonly string[];
  properties: { readonly [name: string]: Schema };
  request(input: Input, call: OperationCall): HubspotRequest;
  /** What the step's output is; default the answer as it is. */
  output?(result: Json, input: Input): Json;
  /** Default: what the request's method says. */
  effects?: Effects;
};

/** An operation that is one request. */
export function defineOperation({ request, output, effects = "unsafe", ...spec }: Spec): ConnectorOperation {
  const { key, name, description, required = [], properties } = spec;
  return {
    key,
    name,
    description,
    inputSchema: { type: "object", additionalProperties: false, required: [...required], properties },
    outputSchema: null,
    effects: () => effects,
    async run(call) {
      const answer = await callApi(call, request(call.input, call));
      if ("error" in answer) return { kind: "fail", error: answer.error };
      return done(output ? output(answer.result, call.input) : answer.result);
    },
  };
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
