import yargs, { type Argv } from 'yargs';
import { ExitCode } from '../model/exit.ts';
import { failure } from '../model/failure.ts';
import { commonOptions, type Run } from './command.ts';
import { commands } from './index.ts';
import { type Io, widthOf } from './io.ts';
import { version } from './version.ts';

/** Parses the arguments and runs the command that they name. Throws the Failure that stops it. */
export async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  const name = await commandIn(argv);
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  // Help, say, runs no command.
  let run: Run = async () => ExitCode.done;
  const called = (found: Run) => {
    run = found;
  };
  const parser = entry
    ? (await entry.load()).command.addTo(baseParser(io), entry.usage, entry.describe, called)
    : Object.values(commands).reduce(
        (cli, { usage, describe }) => cli.command(usage, describe),
        baseParser(io),
      );
  await parser.parseAsync([...argv], {}, (error, _args, output) => {
    if (output && !error) io.stdout.write(`${output}\n`);
  });
  return run(io);
}

/** The first word that is no option and no option's value: an environment may be called like a command. */
async function commandIn(argv: readonly string[]): Promise<string> {
  const [first = ''] = argv;
  if (!first.startsWith('-')) return first;
  const { _: words } = await commonOptions(yargs())
    .help(false)
    .version(false)
    .exitProcess(false)
    .parserConfiguration({ 'halt-at-non-option': true })
    .fail(() => {})
    .parseAsync([...argv]);
  return String(words[0] ?? '');
}

function baseParser(io: Io): Argv {
  return yargs()
    .scriptName('tenantctl')
    .usage('$0 COMMAND [options]\n\nKeeps an identity-governance tenant equal to YAML manifests in git.')
    .version(version)
    .help()
    .alias('help', 'h')
    .strict()
    .demandCommand(1, 'Name a command.')
    .recommendCommands()
    .exitProcess(false)
    .wrap(Math.min(110, widthOf(io.stdout)))
    .check(refuseRepeated)
    .epilogue('Exit codes: 0 done, 1 could not run, 2 changes, 3 incomplete, 4 refused, 130 interrupted.')
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
