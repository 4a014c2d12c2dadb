import yargs, { type Argv } from 'yargs';
import { type Diagnostic, ExitCode, Failure, fail, version } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { didYouMean } from '../model/words.ts';
import { commandAt } from './command.ts';
import { commands } from './index.ts';
import { type Io, type ProgramIo, redactIo } from './io.ts';

/** Runs the program with the arguments after its name, and returns its exit code. Never throws: it prints failures on stderr. */
export async function main(argv: readonly string[], programIo: ProgramIo): Promise<ExitCode> {
  const io = redactIo(programIo);
  try {
    return await dispatch(expandWords(argv), io);
  } catch (error) {
    const { reportFailure } = await import('./output.ts');
    return reportFailure(error, argv, io);
  }
}

/**
 * Adapts a command line to the parser: no words and the word `help` become `--help`; `--impact=20` becomes two options, since one
 * that may stand alone takes a value only after `=`; and `--report -` becomes one word, since the parser takes a dash for an
 * option.
 */
function expandWords(given: readonly string[]): readonly string[] {
  if (given.length === 0) return ['--help'];
  const argv = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.flatMap((word, at) => {
    if (at >= end) return [word];
    if (fileOption.test(word) && argv[at + 1] === '-') return [`${word}=-`];
    if (word === '-' && fileOption.test(argv[at - 1] ?? '')) return [];
    const [, value] = /^--impact=(?!(?:true|false)$)(.*)$/s.exec(word) ?? [];
    return value === undefined ? [word] : ['--impact', `--impact-requests=${value}`];
  });
}

const fileOption = /^--(?:out|report)$/;

async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  const at = commandAt(argv, commands);
  const name = argv[at] ?? '';
  const [positionals = '', , load] = get(commands, name) ?? [];
  const isHelp = argv.some((word) => word === '--help' || word === '-h');
  if (!load && name !== '' && !isHelp) {
    const meant = get(otherWords, name) ?? didYouMean(name, Object.keys(commands));
    const hint = [meant, '`tenantctl --help` lists the commands.'].filter(Boolean).join(' ');
    throw fail('usage', `There is no command \`${name.slice(0, 80)}\`.`, { hint });
  }
  // Nothing is run when help is printed.
  let run: (io: Io) => Promise<ExitCode> = async () => ExitCode.done;
  const base = strictParser(argv, name, positionals);
  const parser = load
    ? (await load()).command.addTo(base, positionals, (parsed) => {
        run = parsed;
      })
    : base.demandCommand(1, 'Name a command. Its options follow it.');
  const help = isHelp ? await import('./help.ts') : null;
  help?.completeHelp(parser, name);
  // Options before the name are moved behind the others. There, an option with many values cannot take the others.
  const after = argv.slice(at + 1);
  const end = after.includes('--') ? after.indexOf('--') : after.length;
  const words = load ? [...after.slice(0, end), ...argv.slice(0, at), ...after.slice(end)] : [...argv];
  await parser.parseAsync(words, {}, (error, _args, output) => {
    if (output && !error) io.stdout.write(help ? help.layoutHelp(output, argv, io) : `${output}\n`);
  });
  return run(io);
}

/** Commands of other tools, and what to use here. */
const otherWords: Readonly<Record<string, string>> = {
  destroy:
    '`tenantctl apply --prune` deletes what no manifest declares; `ensure: absent` in its manifest deletes one object.',
  delete: 'Write `ensure: absent` into the manifest of the object, then run `tenantctl plan`.',
  remove: 'Write `ensure: absent` into the manifest of the object, then run `tenantctl plan`.',
  rename: 'Change the key in the manifest, and write `lifecycle: { renamedFrom: OLD }` beside it.',
  undo: 'Use `tenantctl rollback --last`.',
  revert: 'Use `tenantctl rollback --last`.',
  promote: 'Use `tenantctl apply --proven-by RESULT`.',
  blame: 'Use `tenantctl plan --since REV`: it shows who changed what since then.',
  log: 'Use `tenantctl history`.',
  list: "Use `tenantctl get 'KIND/**'`.",
  login: 'Use `tenantctl check`.',
  rotate: 'Use `tenantctl plan --rotate ADDRESS`.',
  dump: 'Use `tenantctl export`.',
  import: 'Use `tenantctl export`.',
  pull: 'Use `tenantctl export`.',
  sync: 'Use `tenantctl plan`, then `tenantctl apply`.',
  push: 'Use `tenantctl plan`, then `tenantctl apply`.',
  lint: 'Use `tenantctl validate`.',
  fmt: 'There is no formatter: `tenantctl export --merge` keeps the style of your manifests.',
  version: 'Use `tenantctl --version`.',
  state: 'There is no state: `tenantctl plan` compares the manifests with the tenant itself.',
  refresh: 'There is no state: `tenantctl plan` compares the manifests with the tenant itself.',
  '--environment': 'Use --env.',
  '--target': 'Use --only.',
  '--kinds': "Use --only 'KIND/**'.",
  '--json': 'Use --format json.',
  '--auto-approve': 'Use --yes.',
};

/**
 * A parser with our own messages, which refuses what yargs would accept or ignore. `positionals` are those of the command `name`,
 * as yargs writes them: `<file..>` takes several.
 */
function strictParser(argv: readonly string[], name: string, positionals: string): Argv {
  const help = `\`tenantctl ${name === '' ? '' : `${name} `}--help\` lists the ${name === '' ? 'commands' : 'options'}.`;
  return (
    yargs()
      .scriptName('tenantctl')
      .version(version)
      .help()
      .alias('help', 'h')
      .exitProcess(false)
      .wrap(null)
      // Otherwise it uses the language of the terminal.
      .locale('en')
      .updateStrings({
        'Not enough arguments following: %s': 'The option --%s needs a value.',
        'Invalid values:': ' ',
        'Argument: %s, Given: %s, Choices: %s': 'The value of %s cannot be %s. Choices: %s.',
      })
      // It takes what its own objects inherit for options, such as `--constructor`: the check below refuses the words.
      .middleware((args) => {
        for (const name of Object.keys(args)) if (name in {}) delete args[name];
      }, true)
      .check((args, options) => {
        // Help is printed whatever else is given.
        if (args.help || args.version) return true;
        const found = findMistakes(args, options, argv, positionals);
        if (found.length === 0) return true;
        throw new Failure(
          found.map(({ message, hint = '' }) => ({
            code: 'usage',
            severity: 'error',
            message,
            hint: `${hint} ${help}`.trim(),
          })),
        );
      })
      .fail((message, error) => {
        // A YError is the parser's own, about an option without its value, for example.
        if (error && error.name !== 'YError') throw error;
        if (!message.startsWith('Not enough non-option'))
          throw fail('usage', message.trim().replace(/ --(?=\w )/, ' -'), { hint: help });
        const words = `An argument is missing: \`tenantctl ${`${name} ${positionals}`.trim()}\`.`;
        const hint = argv.includes('--')
          ? afterDashes
          : 'After an option with several values, an argument counts as one of them: put it before the options.';
        throw fail('usage', words, { hint: argv.length > 1 ? `${hint} ${help}` : help });
      })
  );
}

const afterDashes = 'Write arguments before `--`, not after it.';

type Args = Readonly<Record<string, unknown>>;

interface Options {
  readonly key?: Readonly<Record<string, unknown>>;
  readonly alias?: Readonly<Record<string, readonly string[]>>;
  readonly array?: readonly string[];
  readonly boolean?: readonly string[];
  readonly number?: readonly string[];
}

type Mistake = Pick<Diagnostic, 'message' | 'hint'>;

function findMistakes(args: Args, options: Options, argv: readonly string[], positionals: string) {
  const { key = {}, alias = {}, boolean = [] } = options;
  const known = [...Object.keys(key), ...Object.entries(alias).flat(2)];
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const ofWords = argv.slice(0, end).flatMap((word) => mistakeIn(word, known, boolean) ?? []);
  if (ofWords.length > 0) return ofWords;

  const { _: words, '--': _behind, ...values } = args;
  if (Array.isArray(words) && words.length > 0) {
    const usual = 'Options begin with --. Select environments with --env, several joined by commas.';
    const hint = argv.slice(end).some((word) => words.includes(word)) ? afterDashes : usual;
    return words.map((word) => ({ message: `Unknown argument: ${word || '""'}.`, hint }));
  }
  // For `-` in the place of a file, the parser has an empty value, or none. As the value of an option it is a name.
  if (argv.includes('-') && !Object.values(args).flat().includes('-')) {
    const hint = 'Save the input to a file, and name the file.';
    return [{ message: 'tenantctl does not read standard input: - is not a file.', hint }];
  }
  return mistakesIn(values, options, argv, positionals);
}

/** The ranges of whole numbers that are not `0 or more`. */
const ranges: Readonly<Record<string, readonly [least: number, most?: number]>> = {
  limit: [1],
  parallel: [1],
  'impact-requests': [1],
  port: [0, 65_535],
};

function mistakesIn(
  values: Args,
  { array = [], number = [] }: Options,
  argv: readonly string[],
  positionals: string,
): readonly Mistake[] {
  // The parser also has `dry-run` as `dryRun`, and `env` as `e`.
  const names = Object.keys(values).filter((name) => name.length > 1 && !/[A-Z]/.test(name));
  const positionalNames = [...positionals.matchAll(/([\w-]+)(\.\.)?[>\]]/g)];
  const lists = new Set([...array, ...positionalNames.flatMap(([, name, many]) => (many ? name : []))]);
  for (const name of names) {
    const value = values[name];
    // Either of two values may be meant.
    if (Array.isArray(value) && !lists.has(name))
      return [{ message: `The option --${name} is given more than once.`, hint: 'Give it once.' }];
    // An unset variable in a script gives an empty value, which as a path would be the current folder, and as a number 0. An
    // option that may stand alone, such as `--wait`, is empty if it does.
    const isAlone = argv.some((word, at) => word === `--${name}` && (argv[at + 1] ?? '-').startsWith('-'));
    const isEmpty = argv.some(
      (word, at) => word === `--${name}=` || (word === `--${name}` && argv[at + 1] === ''),
    );
    if (isEmpty || ([value].flat().includes('') && !isAlone)) {
      const shown = positionalNames.some(([, each]) => name === each) ? name : `--${name}`;
      return [{ message: `The value of ${shown} is empty.`, hint: 'Is a variable in your script unset?' }];
    }
    const [least, most = Number.MAX_SAFE_INTEGER] = ranges[name] ?? [0];
    const isInRange = Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
    if (!number.includes(name) || value === undefined || isInRange) continue;
    const shown = name === 'impact-requests' ? '--impact=N' : `--${name}`;
    const range = ranges[name]?.[1] === undefined ? `${least} or more` : `from ${least} to ${most}`;
    return [{ message: `${shown} takes a whole number, ${range}.` }];
  }
  return [];
}

function mistakeIn(word: string, known: readonly string[], switches: readonly string[]): Mistake | null {
  const isNumber = /^-(?:\d+(?:\.\d+)?|\.\d+)$/.test(word);
  const [, written, value] = isNumber || word === '-' ? [] : (/^--?([^=]*)(?:=(.*))?$/s.exec(word) ?? []);
  if (written === undefined) return null;
  // The parser accepts `--dryRun` too.
  const option = written.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const [, negated] = /^no-(.+)$/.exec(option) ?? [];
  if (switches.includes(option)) {
    if (value === undefined || value === 'true' || value === 'false') return null;
    const hint = `Write --${option}, or --no-${option} to turn it off.`;
    return { message: `The option --${option} does not take the value "${value}".`, hint };
  }
  if (known.includes(option) || (negated !== undefined && switches.includes(negated))) return null;
  const message = `There is no option ${word.split('=')[0]}.`;
  const other = get(otherWords, `--${option}`);
  if (other !== undefined) return { message, hint: other };
  // A single letter is close to every other.
  const options = known.filter(({ length }) => length > 1);
  const dashes = negated === undefined ? '--' : '--no-';
  const hint = didYouMean(
    `--${option}`,
    options.map((each) => dashes + each),
  );
  return hint === null ? { message } : { message, hint };
}
