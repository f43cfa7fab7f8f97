import type { Approval } from "../../../contract/approval.ts";
import { textWidth, span } from "../draw/line.ts";
import { jsonLines } from "../model/json-lines.ts";

/** What a decision is about, in so many lines of the terminal: why it is asked for, and the values that would be used. */
export function speakRequest(request: Approval, room: number, columns: number): string[] {
  const about = request.description === null ? [] : [`Asked: ${request.description}`];
  const inputs = jsonLines(request.inputs, new Map()).map(({ text }) => text);
  const said: string[] = [];
  let left = room;
  for (const line of [...about, "Inputs:", ...inputs]) {
    left -= Math.max(1, Math.ceil(textWidth(span(line).text) / columns));
    if (left < 1) return [...said, "More follows: p shows all of it, before the form is open."];
    said.push(line);
  }
  return said;
}
