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
  const parts = [
    [row(0, span(first, 'bold'))],
    lineOf(about),
    ...(command ? [] : Object.entries<Commands>(commandGroups).map(commandRows)),
    ...Object.values(groups).map((group) => optionRows(group, options)),
    exampleRows(examples),
    command ? [] : lineOf(exitCodes),
    lineOf(page),
  ].filter(({ length }) => length > 0);
  const view = viewOf(io.stdout, { ...io, color: isColoured });
  const rows = parts.flatMap((part, at) => (at === 0 ? part : [blank, ...part]));
  return layout(rows, { ...view, width: Math.min(110, view.width) });
}

const lineOf = (text: string): Row[] => [{ indent: 0, hang: 0, spans: [span(text)] }];

const titleOf = (text: string): Row => row(0, span(`${text}:`, 'bold'));

function commandRows([title, commands]: readonly [string, Commands]): Row[] {
  const entries = Object.entries(commands).map(([name, [meaning]]) => ({ name, type: '', meaning }));
  return entryRows(title, entries);
}

function exampleRows(examples: Command['examples']): Row[] {
  const rows = Object.entries(examples).flatMap(([call, what]) => [
    row(2, span(`# ${what}`, 'dim')),
    row(2, span(call.replaceAll('$0', 'tenantctl'))),
  ]);
  return rows.length === 0 ? [] : [titleOf('Examples'), ...rows];
}

function optionRows(group: string, options: Command['options']): Row[] {
  const entries = Object.entries(options)
    .filter(([, option]) => option.group === group && !option.hidden)
    .map(([name, option]) => ({ ...signatureOf(name, option), meaning: meaningOf(name, option) }));
  return entries.length === 0 ? [] : entryRows(group, entries);
}

/** A switch and an argument show no type. */
function signatureOf(name: string, { alias, array, choices, type = 'boolean', group }: Options) {
  if (group === groups.arguments) return { name, type: '' };
  const words = { boolean: '', string: ' text', number: ' number', array: ' list', count: '' };
  return {
    name: alias === undefined ? `    --${name}` : `-${alias}, --${name}`,
    type: array ? words.array : choices ? ' word' : words[type],
  };
}

/** What an option is for, its choices and its default. */
function meaningOf(name: string, { describe = '', choices, default: preset }: Options): string {
  const known = choices ? ` {${choices.join('|')}}` : '';
  if (preset === true) return `${describe}${known} (on; --no-${name} turns it off)`;
  const isNone = preset === undefined || preset === false || String(preset) === '';
  return `${describe}${known}${isNone ? '' : ` (default ${preset})`}`;
}

function entryRows(title: string, entries: readonly { name: string; type: string; meaning: string }[]) {
  const width = Math.max(...entries.map(({ name, type }) => name.length + type.length));
  const rows = entries.map(({ name, type, meaning }) => ({
    indent: 2,
    hang: width + 4,
    spans: [span(name, 'bold'), span(type.padEnd(width - name.length), 'dim'), span(`  ${meaning}`)],
  }));
  return [titleOf(title), ...rows];
}
