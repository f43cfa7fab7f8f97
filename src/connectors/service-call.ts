import type { Json } from "../contract/json.ts";
import type { OperationCall } from "../engine/connector.ts";
import { type StepError, type StepOutcome, done } from "../engine/node.ts";

/** What a call of a service needs, be it for a step, a poll or a connection's test. */
export type ServiceCall = Pick<OperationCall, "connection" | "fetch" | "signal" | "now">;

/** What a service answered, or the failure that its answer stands for. */
export type ServiceAnswer = { result: Json } | { error: StepError };

/** The outcome of a step that asked once. Its output is what was answered, or what `output` makes of that. */
export function outcomeOf(answer: ServiceAnswer, output: (result: Json) => Json = (result) => result): StepOutcome {
  return "error" in answer ? { kind: "fail", error: answer.error } : done(output(answer.result));
}

/** The address that a connection says, else the service's own; without a slash at its end. */
export function baseUrlOf({ connection }: Pick<ServiceCall, "connection">, own: string): string {
  const given = connection?.settings["baseUrl"];
  return (typeof given === "string" && given !== "" ? given : own).replace(/\/+$/, "");
}
