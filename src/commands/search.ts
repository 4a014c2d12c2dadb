import { runSearch } from '../engine/search.ts';
import { loadProject } from '../loader/index.ts';
import { ExitCode } from '../model/failure.ts';
import { get, isArray, isObject, type Json, type JsonObject } from '../model/json.ts';
import { layout, row, span, table } from '../report/layout.ts';
import type { ReportOptions } from '../report/report.ts';
import { json, printable } from '../report/safe.ts';
import { pluralize } from '../report/words.ts';
import { commonOptions, describeCommand, option } from './command.ts';
import { viewOf } from './io.ts';
import { withoutSecrets } from './output.ts';
import { withTenant } from './progress.ts';
import { projectOptions } from './project.ts';

const searchFormats = ['table', 'json', 'csv'] as const;

export const command = describeCommand({
  usage:
    '$0 search LABEL [options]\n\nRuns a profile search: the declared one, or else the one saved in the tenant.',
  options: {
    ...commonOptions,
    label: { ...option.argument('The label of the search'), demandOption: true },
    format: option.format(searchFormats),
    limit: option.number('Maximum number of profiles'),
    ids: option.flag('Show the ids in the table, too. JSON and CSV always have them'),
    order: option.text('Attribute to sort by, in ascending order, such as name'),
  },
  examples: {
    '$0 search "Active contractors"': 'Show the profiles that it finds',
    '$0 search "Active contractors" --format csv > contractors.csv': 'Write them to a file for a spreadsheet',
  },
}).run(async (args, io) => {
  const { resources, ...project } = loadProject(projectOptions(args, io));
  const found = await withTenant(project, io, (tenant) => runSearch(resources, tenant, args));
  const shown = withoutSecrets(found, io);
  io.stdout.write(renderSearch(shown, args.format, { ...viewOf(io.stdout, io), ids: args.ids }));
  return ExitCode.done;
});

type SearchFormat = (typeof searchFormats)[number];
type FoundProfiles = Awaited<ReturnType<typeof runSearch>>;

interface SearchOptions extends ReportOptions {
  /** A table has the columns with ids. */
  readonly ids?: boolean;
}

/** Found profiles in a format: a pure function of its arguments, safe to print whatever the profiles hold. */
export function renderSearch(found: FoundProfiles, format: SearchFormat, options: SearchOptions): string {
  switch (format) {
    case 'table':
      return searchTable(found, options);
    case 'json':
      return json({ formatVersion: 1, count: found.profiles.length, ...found });
    case 'csv':
      // Rows of RFC 4180, the header first.
      return cellsOf(found.profiles, true)
        .map((row) => `${row.map(csvCell).join(',')}\r\n`)
        .join('');
  }
}

const commonColumns = ['id', 'uid', 'name', 'status', 'profile_type'];
const idColumns = ['id', 'uid', 'profile_type'];

/** The header and the rows: the common columns, and one for every attribute that a profile has. */
function cellsOf(profiles: readonly JsonObject[], ids: boolean): string[][] {
  const rows = profiles.map((profile) => {
    const common = commonColumns.map((name) => [name, get(profile, name)] as const);
    const type = get(profile, 'profile_type') ?? get(profile, 'profile_type_id');
    const attributes = get(profile, 'attributes') ?? null;
    const others = Object.entries(isObject(attributes) ? attributes : {}).map(
      ([name, value]) => [commonColumns.includes(name) ? `attributes.${name}` : name, value] as const,
    );
    return new Map<string, Json | undefined>([...common, ['profile_type', type], ...others]);
  });
  const columns = new Set([...commonColumns, ...rows.flatMap((row) => [...row.keys()])]);
  const shown = [...columns].filter((name) => ids || !idColumns.includes(name));
  return [shown, ...rows.map((row) => shown.map((name) => cellText(row.get(name))))];
}

function cellText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (isArray(value)) return value.map(cellText).join('; ');
  return isObject(value) ? JSON.stringify(value) : String(value);
}

function searchTable({ profiles, more, label }: FoundProfiles, options: SearchOptions): string {
  const { rows, left } = table(cellsOf(profiles, options.ids === true), options.width);
  const count = `${pluralize(profiles.length, 'profile')}${more ? ', and more: raise --limit' : ''}`;
  const hidden =
    left === 0 ? '' : ` (no room for ${pluralize(left, 'column')}: --format csv or json has them)`;
  const end = row(0, span(`${label}: ${count}`, 'bold'), span(hidden, 'dim'));
  return layout([...(profiles.length === 0 ? [] : rows), end], options);
}

/** Spreadsheets read some texts as formulas unless they begin with an apostrophe. Numbers stay numbers. */
function csvCell(text: string): string {
  const shown = printable(text);
  const isNumber = /^-?\d+(\.\d+)?$/.test(shown);
  const isFormula = !isNumber && /^\s*[=+\-@|＝＋－＠]|^[\t\r\n]/.test(shown);
  const safe = isFormula ? `'${shown}` : shown;
  return /[",\r\n;\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
