import { failure } from '../model/failure.ts';

/** How arguments are read, wherever they are read: no option has parts, and `-esandbox` is no row of seven options. */
export const parserSettings = { 'dot-notation': false, 'short-option-groups': false } as const;

type Args = Readonly<Record<string, unknown>>;

/** What the parser knows of its options. */
interface Options {
  readonly array?: readonly string[];
  readonly boolean?: readonly string[];
}

/** A check of what the parser lets pass, though nobody can mean it so. Throws a Failure. */
export function checkArguments(argv: readonly string[]): (args: Args, options: Options) => true {
  return (args, options) => {
    // Whoever asks for help is given it.
    if (args.help || args.version) return true;
    refuseUnread(args, argv);
    refuseOddSwitches(argv, options);
    refuseRepeated(args, options);
    refuseEmpty(args);
    return true;
  };
}

/** What stands behind `--` gets past the parser; whoever names a plan file there means it to be applied. */
function refuseUnread({ _: words }: Args, argv: readonly string[]): void {
  if (!Array.isArray(words) || words.length === 0) return;
  const rest = words.join(' ');
  if (!argv.includes('--')) throw failure('usage', `Unknown argument: ${rest}`);
  throw failure('usage', `What stands behind -- is not read: ${rest}`, { hint: 'Leave the -- out.' });
}

/** `--dry-run=1` would count as off, and `--no-only` as the value `false`. */
function refuseOddSwitches(argv: readonly string[], { boolean: switches = [] }: Options): void {
  const end = argv.indexOf('--');
  for (const word of end < 0 ? argv : argv.slice(0, end)) {
    const [, written = '', value] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    // The parser takes `--dryRun` as well.
    const option = written.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (switches.includes(option) && value !== undefined && value !== 'true' && value !== 'false') {
      const hint = `Write --${option}, or --no-${option} to switch it off.`;
      throw failure('usage', `The option --${option} is on or off; it takes no value "${value}".`, { hint });
    }
    const denied = /^no-(.+)$/.exec(option)?.[1];
    if (denied !== undefined && !switches.includes(option) && !switches.includes(denied)) {
      throw failure('usage', `There is no option --${option}: only what is on or off can be denied.`);
    }
  }
}

/** Two values for an option that takes one: which of them was meant is anybody's guess. */
function refuseRepeated(args: Args, { array = [] }: Options): void {
  const lists = new Set(['_', '--', ...array]);
  // `dry-run` stands in the arguments as `dryRun` too, and `env` as `e`.
  const names = Object.keys(args).filter((name) => name.length > 1 && !/[A-Z]/.test(name));
  const repeated = names.find((name) => Array.isArray(args[name]) && !lists.has(name));
  if (repeated === undefined) return;
  throw failure('usage', `The option --${repeated} is given more than once.`, { hint: 'Give it once.' });
}

/** What a script has no value for arrives as an empty text, and would name the folder it is in. */
function refuseEmpty({ _: _words, '--': _behind, ...values }: Args): void {
  const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.includes(''));
  const empty = Object.keys(values).find((name) => isEmpty(values[name]));
  if (empty === undefined) return;
  throw failure('usage', `The value given for ${empty} is empty.`, {
    hint: 'Is a variable of the script not set?',
  });
}
