import type { Argv } from 'yargs';
import { get } from '../model/json.ts';
import { blank, layout, type Row, row, span } from '../report/layout.ts';
import type { Commands } from './command.ts';
import { commandGroups, commands } from './index.ts';
import { type Io, viewOf } from './io.ts';
import { documentation } from './package-file.ts';

/** Ends the help with the address of its page. The help of the program lists the commands in their groups. */
export function completeHelp(parser: Argv, name: string): void {
  const isOfCommand = Object.hasOwn(commands, name);
  const page = `Documentation: ${documentation(`docs/commands.md${isOfCommand ? `#${name}` : ''}`)}`;
  if (isOfCommand) {
    parser.epilogue(page);
    return;
  }
  const lists = Object.entries<Commands>(commandGroups).map(([title, group]) => {
    const lines = Object.entries(group).map(([name, [, description]]) => `  ${name}  ${description}`);
    return [`${title}:`, ...lines].join('\n');
  });
  parser.usage(overview).epilogue([...lists, exitCodes, page].join('\n\n'));
}

const overview =
  '$0 COMMAND [options]\n\nKeeps an identity-governance tenant in sync with YAML manifests in git.';
const exitCodes = 'Exit codes: 0 done, 1 could not run, 2 changes, 3 incomplete, 4 refused, 130 interrupted.';

/**
 * Formats the parser's help, which has each option on one unwrapped line: the type in words beside the name, then the meaning,
 * the choices and the default, at the width of the terminal and in colour.
 */
export function layoutHelp(text: string, argv: readonly string[], io: Io): string {
  const [usage = '', ...rest] = text.split(/\n{2,}/);
  const parts = rest.map((paragraph): Part => {
    const [first = '', ...lines] = paragraph.split('\n');
    const [, heading = ''] = /^(Exit codes|Documentation|[A-Z][\w ]*(?=:$)):/.exec(first) ?? [];
    return { heading, lines: heading === '' || lines.length === 0 ? [first] : lines };
  });
  const rank = ({ heading }: Part) => order.findIndex((each) => each.test(heading));
  const sorted = [...parts].sort((a, b) => rank(a) - rank(b));
  const rows = [row(0, span(usage, 'bold')), ...sorted.flatMap((part) => [blank, ...rowsOf(part)])];
  const view = viewOf(io.stdout, { ...io, color: !argv.includes('--no-color') });
  return layout(rows, { ...view, width: Math.min(110, view.width) });
}

/** A paragraph, which has no heading, or the lines below one. */
interface Part {
  readonly heading: string;
  readonly lines: readonly string[];
}

/** The first groups of the help; all other options are between the arguments and the common ones. */
const order = [
  /^$/,
  /^(Work|Look|Set up)$/,
  /^Positionals$/,
  /^(?!Common options|Examples|Documentation|Exit codes)/,
  /^Common options$/,
  /^Examples$/,
  /^(Exit codes|Documentation)$/,
];

function rowsOf({ heading, lines }: Part): Row[] {
  if (heading === 'Exit codes' || heading === 'Documentation' || heading === '')
    return lines.map((line) => ({ indent: 0, hang: 0, spans: [span(line)] }));
  const title = row(0, span(`${heading === 'Positionals' ? 'Arguments' : heading}:`, 'bold'));
  if (heading === 'Examples')
    return [
      title,
      ...lines.map((line) => row(2, span(line.trim(), ...(line.includes('# ') ? (['dim'] as const) : [])))),
    ];
  const entries = lines.map(entryOf);
  const width = Math.max(...entries.map(({ name, type }) => name.length + type.length));
  const rows = entries.map(({ name, type, meaning }) => ({
    indent: 2,
    hang: width + 4,
    spans: [span(name, 'bold'), span(type.padEnd(width - name.length), 'dim'), span(`  ${meaning}`)],
  }));
  return [title, ...rows];
}

/** As they are shown behind the names of options. */
const types: Readonly<Record<string, string>> = {
  array: ' list',
  string: ' text',
  number: ' number',
  choices: ' word',
};

/** An option, an argument or a command, from the parser's line: `  -e, --env  The environments  [array] [default: []]`. */
function entryOf(line: string) {
  const [, name = '', rest = ''] = /^ {2}(\S+(?:, --\S+)?| {4}--\S+) {2,}(.*)$/.exec(line) ?? [];
  const facts = [...rest.matchAll(/ +\[((?:choices|default): (?:"[^"]*"|\[\]|[^\]"])*|[a-z]+)\]/g)];
  const words = facts.map(([, fact = '']) => fact);
  const [type = ''] = words.flatMap((word) => get(types, word.replace(/:.*/s, '')) ?? []);
  const meaning = [rest.slice(0, facts[0]?.index), ...words.flatMap((fact) => factWords(fact, name))];
  // A switch and an argument show no type.
  return { name, type: name.includes('--') ? type : '', meaning: meaning.join(' ') };
}

function factWords(fact: string, name: string): string[] {
  const [, about, value = ''] = /^(choices|default): (.*)$/.exec(fact) ?? [];
  const plain = value.replaceAll('"', '');
  if (about === 'choices') return [`{${plain.replaceAll(', ', '|')}}`];
  if (about === undefined || plain === 'false' || plain === '[]') return [];
  return [
    plain === 'true' ? `(on; ${name.trim().replace('--', '--no-')} turns it off)` : `(default ${plain})`,
  ];
}
