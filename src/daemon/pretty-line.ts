import { stripVTControlCharacters } from "node:util";
import { isRecord } from "../engine/values/json.ts";

/** A log line for people: time, level, message, the other fields, and below them an error's stack. Ends with a line end. */
export function prettyLine(line: unknown): string {
  const { time, level, msg, err, ...fields } = isRecord(line) ? line : {};
  const stack = isRecord(err) ? (err["stack"] ?? err["message"]) : undefined;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const head = [clock(time), String(level).toUpperCase().padEnd(5), safe(msg), ...rest.map(safe)]
    .filter(Boolean)
    .join(" ");
  const below = typeof stack === "string" ? stack.split("\n").map((part) => `\n    ${safe(part.trimEnd())}`) : [];
  return `${head}${below.join("")}\n`;
}

function clock(time: unknown): string {
  return typeof time === "string" ? time.slice(11, 23) : "";
}

/** Text that can't steer a terminal. */
function safe(text: unknown): string {
  return typeof text === "string" ? stripVTControlCharacters(text).replaceAll(/\p{Cc}/gu, " ") : "";
}
