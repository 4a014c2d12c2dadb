import { isArray, isObject, type Json, type JsonObject, own } from '../model/json.ts';
import type { FoundProfiles } from '../model/search.ts';
import { csv } from './csv.ts';
import { json } from './json.ts';
import type { ReportOptions } from './options.ts';
import { oneLine } from './safe.ts';
import { layout, type Row, row, span } from './text/layout.ts';
import { table } from './text/table.ts';

/** The format of `search --format json`. */
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

interface Column {
  readonly title: string;
  read(profile: JsonObject): string;
}

const ownColumns: readonly Column[] = [
  { title: 'id', read: (profile) => cellText(own(profile, 'id')) },
  { title: 'uid', read: (profile) => cellText(own(profile, 'uid')) },
  { title: 'name', read: (profile) => cellText(own(profile, 'name')) },
  { title: 'status', read: (profile) => cellText(own(profile, 'status')) },
  {
    title: 'profile_type',
    read: (profile) => cellText(own(profile, 'profile_type') ?? own(profile, 'profile_type_id')),
  },
];

/** The common columns, and one for every attribute that a profile has, in the order in which they turn up. */
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
  const { rows, left } = table(header, cells, options.width);
  const count = `${profiles.length} ${profiles.length === 1 ? 'profile' : 'profiles'}${more ? ', and more: raise --limit' : ''}`;
  const hidden = left === 0 ? '' : ` (${left} columns do not fit: --format csv or json has them)`;
  const end: Row = row(0, span(`${label}: ${count}`, 'bold'), span(hidden, 'dim'));
  return layout([...(profiles.length === 0 ? [] : rows), end], options);
}
