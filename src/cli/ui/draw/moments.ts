const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** `38s`, `2m`, `1h`: one unit, rounded down. */
export function showAge(ms: number): string {
  const [unit, size] = units.find(([, length]) => ms >= length) ?? ["s", 1000];
  return `${Math.max(0, Math.floor(ms / size))}${unit}`;
}

/** `12ms`, `1.2s`, `5m03s`: at most 7 columns for less than an hour. */
export function showTook(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m${pad(Math.floor((ms % 60_000) / 1000))}s`;
  return `${Math.floor(ms / 3_600_000)}h${pad(Math.floor((ms % 3_600_000) / 60_000))}m`;
}

/** `58:21`, or `2h05m` from an hour on; `expired` when there is nothing left. */
export function showLeft(ms: number): string {
  if (ms <= 0) return "expired";
  if (ms >= 3_600_000) return showTook(ms);
  return `${pad(Math.floor(ms / 60_000))}:${pad(Math.floor((ms % 60_000) / 1000))}`;
}

/** `58:21 left`, or `expired`. */
export function sayLeft(ms: number): string {
  return ms <= 0 ? showLeft(ms) : `${showLeft(ms)} left`;
}

/** `14:05`, in the terminal's time zone. */
export function showMinute(iso: string): string {
  const at = new Date(iso);
  return `${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
