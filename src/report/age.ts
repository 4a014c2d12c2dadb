const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `3 minutes ago`; empty for what is younger than a minute, or is no time. */
export function ageWords(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? ['', 0];
  const count = Math.floor(seconds / length);
  return unit === '' ? '' : `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

/** `2026-11-27 09:02 UTC`; what is no time stays. */
export function timeWords(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, '$1 $2 UTC');
}
