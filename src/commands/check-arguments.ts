import { failure } from '../model/failure.ts';
import { nameOf, positionalsIn } from './usage.ts';

/** Settings for all parsers: `--a.b` is not a nested option, and `-esandbox` is not seven short options. */
export const parserSettings = { 'dot-notation': false, 'short-option-groups': false } as const;

type Args = Readonly<Record<string, unknown>>;

/** The types of the parser's options. */
interface Options {
  readonly array?: readonly string[];
  readonly boolean?: readonly string[];
}

/**
 * A check for mistakes that the parser accepts. Throws a Failure.
 *
 * @param positionals the command's positional arguments, as yargs writes them: `<file..>` takes several
 */
export function checkArguments(
  argv: readonly string[],
  positionals: string,
): (args: Args, options: Options) => true {
  return (args, options) => {
    // Help is printed whatever else is given.
    if (args.help || args.version) return true;
    refuseExtraWords(args, argv);
    refuseSwitchValues(argv, options);
    refuseRepeated(args, { array: [...(options.array ?? []), ...variadicIn(positionals)] });
    refuseStandardInput(args, argv);
    refuseEmpty(args, argv, positionals);
    return true;
  };
}

/** The parser ignores the words after `--`. A plan file there would not be applied. */
function refuseExtraWords({ _: words }: Args, argv: readonly string[]): void {
  if (!Array.isArray(words) || words.length === 0) return;
  const rest = words.join(' ');
  if (!argv.includes('--')) throw failure('usage', `Unknown argument: ${rest}`);
  throw failure('usage', `Arguments after -- are not read: ${rest}`, { hint: 'Remove the --.' });
}

/** The parser would take `--dry-run=1` for off, and `--no-only` for the value `false`. */
function refuseSwitchValues(argv: readonly string[], { boolean: switches = [] }: Options): void {
  const end = argv.indexOf('--');
  for (const word of end < 0 ? argv : argv.slice(0, end)) {
    const [, written = '', value] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    // The parser accepts `--dryRun` too.
    const option = written.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (switches.includes(option) && value !== undefined && value !== 'true' && value !== 'false') {
      const hint = `Write --${option}, or --no-${option} to turn it off.`;
      throw failure('usage', `The option --${option} does not take the value "${value}".`, { hint });
    }
    const negated = /^no-(.+)$/.exec(option)?.[1];
    if (negated !== undefined && !switches.includes(option) && !switches.includes(negated)) {
      throw failure(
        'usage',
        `There is no option --${option}: only options without a value can be turned off with --no-.`,
      );
    }
  }
}

/** The names of the arguments, each once: the parser also has `dry-run` as `dryRun`, and `env` as `e`. */
const namesIn = (args: Args) => Object.keys(args).filter((name) => name.length > 1 && !/[A-Z]/.test(name));

const variadicIn = (positionals: string) =>
  positionalsIn(positionals).flatMap((name) => (name.endsWith('..') ? [name.slice(0, -2)] : []));

/** For an option with one value, it is unclear which of two values was meant. */
function refuseRepeated(args: Args, { array = [] }: Options): void {
  const lists = new Set(['_', '--', ...array]);
  const repeated = namesIn(args).find((name) => Array.isArray(args[name]) && !lists.has(name));
  if (repeated === undefined) return;
  throw failure('usage', `The option --${repeated} is given more than once.`, { hint: 'Give it once.' });
}

/** For `-` in the place of a file, the parser has an empty value, or none. As the value of an option it is a name. */
function refuseStandardInput(args: Args, argv: readonly string[]): void {
  const isValue = Object.values(args).flat().includes('-');
  if (!argv.includes('-') || isValue) return;
  throw failure('usage', 'Nothing is read from standard input: - is no file.', {
    hint: 'Save it to a file, and name that.',
  });
}

/**
 * An unset variable in a script gives an empty value, which as a path would be the current folder. An option that may
 * stand alone, such as `--wait`, is empty too where it does.
 */
function refuseEmpty(
  { _: _words, '--': _behind, ...values }: Args,
  argv: readonly string[],
  positionals: string,
): void {
  const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.includes(''));
  const standsAlone = (name: string) =>
    argv.some((word, at) => word === `--${name}` && (argv[at + 1] ?? '-').startsWith('-'));
  const empty = namesIn(values).find((name) => isEmpty(values[name]) && !standsAlone(name));
  if (empty === undefined) return;
  throw failure('usage', `The value of ${nameOf(empty, positionals)} is empty.`, {
    hint: 'Is a variable in the script not set?',
  });
}
