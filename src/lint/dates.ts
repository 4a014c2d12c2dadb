/**
 * Whether `text` is a date in the form `format`: `YYYY`, `MM`, `DD` or `%Y`, `%m`, `%d` in any order. If the form is
 * unknown or cannot be read, a date in any form is accepted.
 */
export function isDate(text: string, format: string | null): boolean {
  const parts = format === null ? null : parseFormat(format);
  if (!parts) return mayBeDate(text);
  const { pattern, order } = parts;
  const found = pattern.exec(text);
  if (!found) return false;
  const part = (name: string) => Number(found[order.indexOf(name) + 1]);
  return isCalendarDay(part('y'), part('m'), part('d'));
}

function parseFormat(format: string): { pattern: RegExp; order: string[] } | null {
  const order: string[] = [];
  const digits: Readonly<Record<string, string>> = { y: '(\\d{4})', m: '(\\d{1,2})', d: '(\\d{1,2})' };
  const pattern = format
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/YYYY|MM|DD|%Y|%m|%d/gi, (token) => {
      const name = token.replace('%', '').charAt(0).toLowerCase();
      order.push(name);
      return digits[name] ?? '';
    });
  const isComplete = ['d', 'm', 'y'].every((name) => order.filter((each) => each === name).length === 1);
  return isComplete && format.length <= 40 ? { pattern: new RegExp(`^${pattern}$`), order } : null;
}

/** Whether `text` may be a date in some form: false for a day that does not exist, and for numbers of days. */
export function mayBeDate(text: string): boolean {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})\b/.exec(text);
  if (iso) return isCalendarDay(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const mixed = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text);
  if (mixed) {
    const [a, b, year] = [Number(mixed[1]), Number(mixed[2]), Number(mixed[3])];
    return isCalendarDay(year, a, b) || isCalendarDay(year, b, a);
  }
  return /\d{2}/.test(text) && !/\b(?:before|after|days?|ago)\b/i.test(text);
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
