const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

const pattern = /^(?<amount>\d+(?:\.\d+)?)(?<unit>ms|s|m|h|d|w)$/;

/** Milliseconds of `30s`, `10m`, `1.5h`, `90d`; null for any other text. */
export function readDuration(text: string): number | null {
  const { amount, unit } = pattern.exec(text)?.groups ?? {};
  const factor = unitMs[unit ?? ""];
  return factor === undefined ? null : Math.round(Number(amount) * factor);
}
