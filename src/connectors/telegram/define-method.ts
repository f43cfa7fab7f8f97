import type { Json } from "../../contract/json.ts";
import type { ConnectorOperation, OperationCall } from "../../engine/connector.ts";
import { done } from "../../engine/node.ts";
import { type OperationSpec, type Schema, defineOperation } from "../define-operation.ts";
import { outcomeOf } from "../service-call.ts";
import { callMethod } from "./call-method.ts";

type Input = OperationCall["input"];

export type Method = Omit<OperationSpec, "run"> & {
  /** The method's name in the Bot API. */
  method: string;
  /** What goes to the method; default the input as it is. */
  parameters?(input: Input): { [key: string]: Json | undefined };
  /** What the step's output is; default the result as it is. */
  output?(result: Json): Json;
  /** A refusal that says that what was asked for is so already, as after a crash. */
  isDone?(message: string): boolean;
};

/** An operation that is one call of one method, with its input as the parameters. */
export function defineMethod({ method, parameters, output, isDone, ...spec }: Method): ConnectorOperation {
  return defineOperation({
    ...spec,
    async run(call) {
      const answer = await callMethod(call, method, parameters?.(call.input) ?? call.input);
      return "error" in answer && isDone?.(answer.error.message) ? done(null) : outcomeOf(answer, output);
    },
  });
}

export const chatId: Schema = {
  type: ["integer", "string"],
  description: "Id of the chat, such as {{trigger.output.chat_id}}, or @username of a public channel",
};
