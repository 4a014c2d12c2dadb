import { printable } from './safe.ts';

/** Rows as CSV (RFC 4180), the first of them the header; no cell is a formula to a spreadsheet. */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const safe = unformulated(printable(text));
  return /[",\r\n;\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Spreadsheets take text that begins so for a formula; behind an apostrophe it is text. A number stays one. */
function unformulated(text: string): string {
  if (/^-?\d+(\.\d+)?$/.test(text)) return text;
  return /^\s*[=+\-@|＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}
