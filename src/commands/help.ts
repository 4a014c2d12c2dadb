import type { Options } from 'yargs';
import { blank, layout, type Row, row, span } from '../report/layout.ts';
import { type Command, type Commands, groups, lastOptions } from './command.ts';
import { commandGroups } from './index.ts';
import { type Io, viewOf } from './io.ts';
import { documentation } from './package-file.ts';

const program = {
  usage: '$0 COMMAND [options]\n\nKeeps an identity-governance tenant in sync with YAML manifests in git.',
  options: {
    help: { ...lastOptions.help, group: groups.own },
    version: { ...lastOptions.version, group: groups.own },
  },
  examples: {},
};
const exitCodes = 'Exit codes: 0 done, 1 could not run, 2 changes, 3 incomplete, 4 refused, 130 interrupted.';

/** The help of a command; `null`: of the program, with the commands in their groups. It ends with the address of its page. */
export function helpOf(command: Command | null, name: string, isColoured: boolean, io: Io): string {
  const { usage, options, examples } = command ?? program;
  const [first = '', about = ''] = usage.replace('$0', 'tenantctl').split('\n\n');
  const page = `Documentation: ${documentation(`docs/commands.md${command ? `#${name}` : ''}`)}`;
  const exampleRows = Object.entries(examples).flatMap(([call, what]) => [
    row(2, span(`# ${what}`, 'dim')),
    row(2, span(call.replaceAll('$0', 'tenantctl'))),
  ]);
  const parts = [
    [row(0, span(first, 'bold'))],
    lineOf(about),
    ...(command ? [] : Object.entries<Commands>(commandGroups).map(commandSection)),
    ...optionSections(options),
    section('Examples', exampleRows),
    command ? [] : lineOf(exitCodes),
    lineOf(page),
  ].filter(({ length }) => length > 0);
  const view = viewOf(io.stdout, { ...io, color: isColoured });
  const rows = parts.flatMap((part, at) => (at === 0 ? part : [blank, ...part]));
  return layout(rows, { ...view, width: Math.min(110, view.width) });
}

const lineOf = (text: string): Row[] => [{ indent: 0, hang: 0, spans: [span(text)] }];

/** Rows below a title; nothing without rows. */
const section = (title: string, rows: readonly Row[]): Row[] =>
  rows.length === 0 ? [] : [row(0, span(`${title}:`, 'bold')), ...rows];

function commandSection([title, commands]: readonly [string, Commands]): Row[] {
  const entries = Object.entries(commands).map(([name, [meaning]]) => ({ name, type: '', meaning }));
  return section(title, entryRows(entries));
}

function optionSections(options: Command['options']): Row[][] {
  return Object.values(groups).map((group) => {
    const shown = Object.entries(options).filter(([, option]) => option.group === group && !option.hidden);
    return section(group, entryRows(shown.map(([name, option]) => optionEntry(name, option))));
  });
}

/** An option with its type, and what it is for, its choices and its default. A switch and an argument show no type. */
function optionEntry(name: string, option: Options) {
  const { alias, array, choices, type = 'boolean', group, describe = '', default: preset } = option;
  const known = choices ? ` {${choices.join('|')}}` : '';
  const isNone = preset === undefined || preset === false || String(preset) === '';
  const standard = preset === true ? ` (on; --no-${name} turns it off)` : ` (default ${preset})`;
  const meaning = `${describe}${known}${isNone ? '' : standard}`;
  if (group === groups.arguments) return { name, type: '', meaning };
  const words = { boolean: '', string: ' text', number: ' number', array: ' list', count: '' };
  const shown = alias === undefined ? `    --${name}` : `-${alias}, --${name}`;
  return { name: shown, type: array ? words.array : choices ? ' word' : words[type], meaning };
}

function entryRows(entries: readonly { name: string; type: string; meaning: string }[]): Row[] {
  const width = Math.max(...entries.map(({ name, type }) => name.length + type.length));
  return entries.map(({ name, type, meaning }) => ({
    indent: 2,
    hang: width + 4,
    spans: [span(name, 'bold'), span(type.padEnd(width - name.length), 'dim'), span(`  ${meaning}`)],
  }));
}
