import yargs, { type Argv } from 'yargs';
import { ExitCode, Failure, fail, version } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { didYouMean } from '../model/words.ts';
import { type Command, commandAt, groups } from './command.ts';
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
  const [, load] = get(commands, name) ?? [];
  const end = endOf(argv);
  const given = argv.slice(0, end).flatMap((word) => {
    const { option, value } = optionIn(word);
    return option === undefined || value === 'false' ? [] : [option];
  });
  const command = load ? (await load()).command : null;
  // Help is printed whatever else is given.
  if (given.includes('help') || given.includes('h')) {
    const { helpOf } = await import('./help.ts');
    io.stdout.write(helpOf(command, name, !argv.includes('--no-color'), io));
    return ExitCode.done;
  }
  if (given.includes('version')) {
    io.stdout.write(`${version}\n`);
    return ExitCode.done;
  }
  if (!command) throw unknownCommand(argv[at]);

  const help = `\`tenantctl ${name} --help\` lists the options.`;
  const refuse = (mistakes: readonly Mistake[]) => {
    const problems = mistakes.map((each) => ({ ...each, hint: `${each.hint} ${help}`.trim() }));
    if (problems.length > 0) throw new Failure(problems);
  };
  const { options } = command;
  refuse(argv.slice(0, end).flatMap((word) => mistakeIn(word, options) ?? []));
  // Options before the name are moved behind the others. There, an option with many values cannot take the others.
  const after = argv.slice(at + 1);
  const words = [...after.slice(0, endOf(after)), ...argv.slice(0, at), ...after.slice(endOf(after))];
  const parser = createParser(argv, `${name} ${command.positionals}`, help);
  const { args, run } = await command.parse(parser, words);
  refuse(mistakesIn(args, options, argv));
  return run(io);
}

/** Words from here on are no options. */
const endOf = (words: readonly string[]): number =>
  words.includes('--') ? words.indexOf('--') : words.length;

function unknownCommand(name: string | undefined): Failure {
  const hint = '`tenantctl --help` lists the commands.';
  if (name === undefined) return fail('usage', 'Name a command. Its options follow it.', { hint });
  const meant = get(otherWords, name) ?? didYouMean(name, Object.keys(commands));
  const message = name === '' ? 'Unknown argument: "".' : `There is no command \`${name.slice(0, 80)}\`.`;
  return fail('usage', message, { hint: [meant, hint].filter(Boolean).join(' ') });
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

/** A parser with our own messages. `call` is the command with its arguments, as yargs writes them: `show <file..>`. */
function createParser(argv: readonly string[], call: string, help: string): Argv {
  return (
    yargs()
      .help(false)
      .version(false)
      .exitProcess(false)
      // Otherwise it uses the language of the terminal.
      .locale('en')
      .updateStrings({
        'Not enough arguments following: %s': 'The option --%s needs a value.',
        'Invalid values:': ' ',
        'Argument: %s, Given: %s, Choices: %s': 'The value of %s cannot be %s. Choices: %s.',
      })
      .fail((message, error) => {
        // A YError is the parser's own, about an option without its value, for example.
        if (error && error.name !== 'YError') throw error;
        if (!message.startsWith('Not enough non-option'))
          throw fail('usage', message.trim().replace(/ --(?=\w )/, ' -'), { hint: help });
        const hint = argv.includes('--')
          ? afterDashes
          : 'After an option with several values, an argument counts as one of them: put it before the options.';
        throw fail('usage', `An argument is missing: \`tenantctl ${call}\`.`, {
          hint: argv.length > 1 ? `${hint} ${help}` : help,
        });
      })
  );
}

const afterDashes = 'Write arguments before `--`, not after it.';

type Mistake = ReturnType<typeof mistake>;

const mistake = (message: string, hint = '') =>
  ({ code: 'usage', severity: 'error', message, hint }) as const;

/** The ranges of whole numbers that are not `0 or more`. */
const ranges: Readonly<Record<string, readonly [least: number, most?: number]>> = {
  limit: [1],
  parallel: [1],
  'impact-requests': [1],
  port: [0, 65_535],
};

/** What yargs accepts or ignores, but is a mistake. */
function mistakesIn(
  args: Readonly<Record<string, unknown>>,
  options: Command['options'],
  argv: readonly string[],
): readonly Mistake[] {
  const { _: words } = args;
  if (Array.isArray(words) && words.length > 0) {
    const usual = 'Options begin with --. Select environments with --env, several joined by commas.';
    const hint = argv.slice(endOf(argv)).some((word) => words.includes(word)) ? afterDashes : usual;
    return words.map((word) => mistake(`Unknown argument: ${word || '""'}.`, hint));
  }
  // For `-` in the place of a file, the parser has an empty value, or none. As the value of an option it is a name.
  if (argv.includes('-') && !Object.values(args).flat().includes('-')) {
    const hint = 'Save the input to a file, and name the file.';
    return [mistake('tenantctl does not read standard input: - is not a file.', hint)];
  }
  for (const [name, { array, type, group }] of Object.entries(options)) {
    const value = args[name];
    // Either of two values may be meant.
    if (Array.isArray(value) && !array)
      return [mistake(`The option --${name} is given more than once.`, 'Give it once.')];
    // An unset variable in a script gives an empty value, which as a path would be the current folder, and as a number 0. An
    // option that may stand alone, such as `--wait`, is empty if it does.
    const isAlone = argv.some((word, at) => word === `--${name}` && (argv[at + 1] ?? '-').startsWith('-'));
    const isEmpty = argv.some(
      (word, at) => word === `--${name}=` || (word === `--${name}` && argv[at + 1] === ''),
    );
    if (isEmpty || ([value].flat().includes('') && !isAlone)) {
      const shown = group === groups.arguments ? name : `--${name}`;
      return [mistake(`The value of ${shown} is empty.`, 'Is a variable in your script unset?')];
    }
    const [least, most = Number.MAX_SAFE_INTEGER] = ranges[name] ?? [0];
    const isInRange = Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
    if (type !== 'number' || value === undefined || isInRange) continue;
    const shown = name === 'impact-requests' ? '--impact=N' : `--${name}`;
    const range = ranges[name]?.[1] === undefined ? `${least} or more` : `from ${least} to ${most}`;
    return [mistake(`${shown} takes a whole number, ${range}.`)];
  }
  return [];
}

/** The option in a word, with dashes for capitals: the parser accepts `--dryRun` too. None in other words. */
function optionIn(word: string): { readonly option?: string; readonly value?: string | undefined } {
  const isNumber = /^-(?:\d+(?:\.\d+)?|\.\d+)$/.test(word);
  const [, written, value] = isNumber || word === '-' ? [] : (/^--?([^=]*)(?:=(.*))?$/s.exec(word) ?? []);
  if (written === undefined) return {};
  return { option: written.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value };
}

function mistakeIn(word: string, options: Command['options']): Mistake | null {
  const { option, value } = optionIn(word);
  if (option === undefined) return null;
  const known = Object.entries(options).flatMap(([name, { alias = [] }]) => [name, alias].flat());
  const switches = Object.keys(options).filter((name) => options[name]?.type === 'boolean');
  const [, negated] = /^no-(.+)$/.exec(option) ?? [];
  if (switches.includes(option)) {
    if (value === undefined || value === 'true' || value === 'false') return null;
    const hint = `Write --${option}, or --no-${option} to turn it off.`;
    return mistake(`The option --${option} does not take the value "${value}".`, hint);
  }
  if (known.includes(option) || (negated !== undefined && switches.includes(negated))) return null;
  const message = `There is no option ${word.split('=')[0]}.`;
  const other = get(otherWords, `--${option}`);
  if (other !== undefined) return mistake(message, other);
  // A single letter is close to every other.
  const names = known.filter(({ length }) => length > 1);
  const dashes = negated === undefined ? '--' : '--no-';
  const similar = didYouMean(
    `--${option}`,
    names.map((each) => dashes + each),
  );
  return mistake(message, similar ?? '');
}
