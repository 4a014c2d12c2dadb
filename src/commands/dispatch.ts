import yargs, { type Argv } from 'yargs';
import { ExitCode } from '../model/exit.ts';
import { failure } from '../model/failure.ts';
import { commonOptions, type Run } from './command.ts';
import { commands } from './index.ts';
import { type Io, widthOf } from './io.ts';
import { version } from './version.ts';

/** Parses the arguments and runs the command that they name. Throws the Failure that stops it. */
export async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  const at = await placeOfCommand(argv);
  const name = argv[at] ?? '';
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  // Help, say, runs no command.
  let run: Run = async () => ExitCode.done;
  const called = (found: Run) => {
    run = found;
  };
  const parser = entry
    ? (await entry.load()).command.addTo(baseParser(io).check(refuseUnread), entry.positionals ?? '', called)
    : listing(baseParser(io));
  await parser.parseAsync(entry ? argv.toSpliced(at, 1) : [...argv], {}, (error, _args, output) => {
    if (output && !error) io.stdout.write(`${output}\n`);
  });
  return run(io);
}

/** Where the first word is that is no option and no option's value: an environment may be called like a command. */
async function placeOfCommand(argv: readonly string[]): Promise<number> {
  if (!argv[0]?.startsWith('-')) return 0;
  const { _: words } = await commonOptions(yargs())
    .help(false)
    .version(false)
    .exitProcess(false)
    .parserConfiguration({ 'halt-at-non-option': true })
    .fail(() => {})
    .parseAsync([...argv]);
  return argv.length - words.length;
}

/** Knows the commands for help, and for the guess which of them was meant. */
function listing(parser: Argv): Argv {
  return Object.entries(commands)
    .reduce(
      (cli, [name, { positionals = '', describe }]) =>
        cli.command(`${name} ${positionals}`.trimEnd(), describe),
      parser,
    )
    .usage('$0 COMMAND [options]\n\nKeeps an identity-governance tenant equal to YAML manifests in git.')
    .demandCommand(1, 'Name a command.')
    .recommendCommands()
    .epilogue('Exit codes: 0 done, 1 could not run, 2 changes, 3 incomplete, 4 refused, 130 interrupted.');
}

function baseParser(io: Io): Argv {
  return yargs()
    .scriptName('tenantctl')
    .version(version)
    .help()
    .alias('help', 'h')
    .strict()
    .exitProcess(false)
    .wrap(Math.min(110, widthOf(io.stdout)))
    .check(refuseRepeated)
    .fail((message, error) => {
      // What the parser itself throws is about the arguments: an option without its value.
      if (error && error.name !== 'YError') throw error;
      throw failure('usage', message, { hint: '`tenantctl --help` lists commands and options.' });
    });
}

/** Two values for an option that takes one: which of them was meant is anybody's guess. */
function refuseRepeated(
  args: Readonly<Record<string, unknown>>,
  options: { array?: readonly string[] },
): true {
  const lists = new Set(['_', '--', ...(options.array ?? [])]);
  // `dry-run` stands in the arguments as `dryRun` too.
  const names = Object.keys(args).filter((name) => !/[A-Z]/.test(name));
  const repeated = names.find((name) => Array.isArray(args[name]) && !lists.has(name));
  if (repeated === undefined) return true;
  throw failure('usage', `The option --${repeated} is given more than once.`, { hint: 'Give it once.' });
}

/** What stands behind `--` gets past the parser; whoever names a plan file there means it to be applied. */
function refuseUnread({ _: words }: { readonly _: readonly unknown[] }): true {
  if (words.length === 0) return true;
  throw failure('usage', `What stands behind -- is not read: ${words.join(' ')}`, {
    hint: 'Leave the -- out.',
  });
}
