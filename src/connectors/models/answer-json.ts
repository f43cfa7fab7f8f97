import { parseJson } from "../../engine/values/json.ts";

/** An answer's JSON. An SDK hands over text when a server forgets to say that it sends JSON. */
export function answerJson(answer: unknown): unknown {
  return typeof answer === "string" ? parseJson(answer) : answer;
}
