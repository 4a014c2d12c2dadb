const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The milliseconds of a time such as `10s`, `500ms`, `2m`, `1.5h`; `null` for anything else. */
export function readDuration(text: string): number | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const factor = units[unit];
  return amount === undefined || factor === undefined ? null : Math.round(Number(amount) * factor);
}
