import type { ConditionRule } from './state.ts';

const day = 24 * 60 * 60 * 1000;

/** Whether the operator compares with a date, not with a distance from today (seed 002). */
export function isDateRule(operator: string): boolean {
  return operator === 'before' || operator === 'after';
}

/** Days since 1970 of a date in the form `format` (default `YYYY-MM-DD`); null where it is none. */
export function parseDate(text: string, format: string | null): number | null {
  const order: string[] = [];
  const pattern = (format ?? 'YYYY-MM-DD')
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/YYYY|MM|DD/g, (part) => {
      order.push(part);
      return `(\\d{${part.length}})`;
    });
  const match = new RegExp(`^${pattern}$`).exec(text);
  if (match === null) return null;
  const part = (name: string): number => Number(match[order.indexOf(name) + 1]);
  const [year, month, date] = [part('YYYY'), part('MM'), part('DD')];
  const time = new Date(Date.UTC(year, month - 1, date));
  return time.getUTCMonth() === month - 1 && time.getUTCDate() === date ? time.getTime() / day : null;
}

/** `X before` or `X after` as days from today, negative for before; null where it is neither. */
export function parseDistance(
  text: string,
): { readonly days: number; readonly side: 'before' | 'after' } | null {
  const match = /^(\d{1,6}) (before|after)$/.exec(text);
  if (match === null) return null;
  return { days: Number(match[1]), side: match[2] === 'before' ? 'before' : 'after' };
}

/** Whether the date `text` satisfies a rule on a date attribute; never for text that is no date. */
export function matchesDate(rule: ConditionRule, text: string, format: string | null, now: number): boolean {
  const date = parseDate(text, format);
  if (date === null) return false;
  if (isDateRule(rule.comparison_operator)) {
    const limit = parseDate(rule.value, format);
    if (limit === null) return false;
    return rule.comparison_operator === 'before' ? date < limit : date > limit;
  }
  const wanted = parseDistance(rule.value);
  if (wanted === null) return false;
  const today = Math.floor(now / day);
  const distance = wanted.side === 'after' ? date - today : today - date;
  switch (rule.comparison_operator) {
    case '>':
      return distance > wanted.days;
    case '<':
      return distance >= 0 && distance < wanted.days;
    default:
      return distance === wanted.days;
  }
}
