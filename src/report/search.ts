import type { FoundProfiles } from '../model/documents.ts';
import { isArray, isObject, type Json, type JsonObject, own } from '../model/json.ts';
import { cut, layout, padTo, paragraph, type Row, row, span, widthOf } from './layout.ts';
import type { ReportOptions } from './options.ts';
import { json, oneLine, printable } from './safe.ts';
import { pluralize } from './words.ts';

const searchFormat = 1;

export const searchFormats = ['table', 'json', 'csv'] as const;
export type SearchFormat = (typeof searchFormats)[number];

/** Found profiles in a format: a pure function of its arguments, safe to print whatever the profiles hold. */
export function renderSearch(found: FoundProfiles, format: SearchFormat, options: ReportOptions): string {
  switch (format) {
    case 'table':
      return searchTable(found, options);
    case 'json':
      return json({ formatVersion: searchFormat, count: found.profiles.length, ...found });
    case 'csv': {
      const columns = columnsOf(found.profiles);
      const header = columns.map(({ title }) => title);
      return csv([header, ...found.profiles.map((profile) => columns.map(({ read }) => read(profile)))]);
    }
  }
}

const maxCell = 36;
const gap = '  ';

interface Column {
  readonly title: string;
  read(profile: JsonObject): string;
}

const ownColumns: readonly Column[] = [
  ...['id', 'uid', 'name', 'status'].map((title): Column => {
    return { title, read: (profile) => cellText(own(profile, title)) };
  }),
  {
    title: 'profile_type',
    read: (profile) => cellText(own(profile, 'profile_type') ?? own(profile, 'profile_type_id')),
  },
];

/** The common columns, and one for every attribute that a profile has, in the order of their first occurrence. */
function columnsOf(profiles: readonly JsonObject[]): readonly Column[] {
  const names = new Set(profiles.flatMap((profile) => Object.keys(attributesOf(profile))));
  const attributes = [...names].map((name): Column => {
    const isTaken = ownColumns.some(({ title }) => title === name);
    const title = isTaken ? `attributes.${name}` : name;
    return { title, read: (profile) => cellText(own(attributesOf(profile), name)) };
  });
  return [...ownColumns, ...attributes];
}

function attributesOf(profile: JsonObject): JsonObject {
  const attributes = own(profile, 'attributes');
  return isObject(attributes) ? attributes : {};
}

function cellText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (isArray(value)) return value.map(cellText).join('; ');
  return isObject(value) ? JSON.stringify(value) : String(value);
}

function searchTable({ profiles, more, label }: FoundProfiles, options: ReportOptions): string {
  const columns = columnsOf(profiles);
  const cells = profiles.map((profile) => columns.map(({ read }) => oneLine(read(profile))));
  const header = columns.map(({ title }) => oneLine(title));
  const { rows, left } = table([header, ...cells], options.width);
  const count = `${pluralize(profiles.length, 'profile')}${more ? ', and more: raise --limit' : ''}`;
  const hidden = left === 0 ? '' : ` (${left} columns do not fit: --format csv or json has them)`;
  const end = row(0, span(`${label}: ${count}`, 'bold'), span(hidden, 'dim'));
  return layout([...(profiles.length === 0 ? [] : rows), end], options);
}

/**
 * Rows of a table, the header first, with as many columns as fit into `width`; `left` is the number of the others.
 * Cells are single lines.
 */
function table(lines: readonly (readonly string[])[], width: number): { rows: Row[]; left: number } {
  const widths = (lines[0] ?? []).map((_, at) =>
    lines.reduce((most, line) => Math.max(most, Math.min(maxCell, widthOf(line[at] ?? ''))), 0),
  );
  const count = countFitting(widths, width);
  const rows = lines.flatMap((line, index) => {
    const cells = widths.slice(0, count).map((column, at) => {
      return padTo(cut(line[at] ?? '', column), column);
    });
    return paragraph(0, cells.join(gap).trimEnd(), ...(index === 0 ? (['bold'] as const) : []));
  });
  return { rows, left: widths.length - count };
}

function countFitting(widths: readonly number[], width: number): number {
  let used = 0;
  const count = widths.findIndex((column, at) => {
    used += column + (at === 0 ? 0 : gap.length);
    return used > width;
  });
  return count === -1 ? widths.length : Math.max(1, count);
}

/** Rows as CSV (RFC 4180), the header first. No spreadsheet reads a cell as a formula. */
function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const safe = escapeFormula(printable(text));
  return /[",\r\n;\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Spreadsheets read some texts as formulas unless they begin with an apostrophe. Numbers stay numbers. */
function escapeFormula(text: string): string {
  if (/^-?\d+(\.\d+)?$/.test(text)) return text;
  return /^\s*[=+\-@|＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}
