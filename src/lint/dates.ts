/**
 * Whether `text` is a date in the form `format`: `YYYY`, `MM`, `DD` or `%Y`, `%m`, `%d` in any order. Any date will do
 * where the form is unknown or is one that cannot be read.
 */
export function isDate(text: string, format: string | null): boolean {
  const parts = format === null ? null : partsOf(format);
  if (!parts) return mayBeDate(text);
  const { pattern, order } = parts;
  const found = pattern.exec(text);
  if (!found) return false;
  const part = (name: string) => Number(found[order.indexOf(name) + 1]);
  return exists(part('y'), part('m'), part('d'));
}

function partsOf(format: string): { pattern: RegExp; order: string[] } | null {
  const order: string[] = [];
  const digits: Readonly<Record<string, string>> = { y: '(\\d{4})', m: '(\\d{1,2})', d: '(\\d{1,2})' };
  const pattern = format
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/YYYY|MM|DD|%Y|%m|%d/gi, (token) => {
      const name = token.replace('%', '').charAt(0).toLowerCase();
      order.push(name);
      return digits[name] ?? '';
    });
  const isWhole = ['d', 'm', 'y'].every((name) => order.filter((each) => each === name).length === 1);
  return isWhole && format.length <= 40 ? { pattern: new RegExp(`^${pattern}$`), order } : null;
}

/** Whether `text` can be a date in any form: false for a day that no calendar has, and for what has no year. */
export function mayBeDate(text: string): boolean {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})\b/.exec(text);
  if (iso) return exists(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const mixed = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text);
  if (mixed) {
    const [a, b, year] = [Number(mixed[1]), Number(mixed[2]), Number(mixed[3])];
    return exists(year, a, b) || exists(year, b, a);
  }
  return /\d{2}/.test(text) && !/\b(?:before|after|days?|ago)\b/i.test(text);
}

function exists(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
