const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

function coarse(seconds: number): string {
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ["s", 1];
  return `${Math.floor(seconds / size)}${unit}`;
}

/** `38s ago`, `in 2h`: one unit, rounded down. */
export function showRelative(iso: string, now: Date): string {
  const seconds = (now.getTime() - Date.parse(iso)) / 1000;
  return seconds >= 0 ? `${coarse(seconds)} ago` : `in ${coarse(-seconds)}`;
}

/** `840 ms`, `1.2 s`, `5m 3s`. */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)}m ${Math.floor((ms % 60_000) / 1000)}s`;
}

/** `14:05:09.120` in the terminal's time zone. */
export function showClock(iso: string): string {
  const at = new Date(iso);
  return `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}.${pad(at.getMilliseconds(), 3)}`;
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, "0");
}
