import yargs, { type Argv } from 'yargs';
import { ExitCode, failure } from '../model/failure.ts';
import { version } from '../model/version.ts';
import { checkArguments, parserSettings } from './check-arguments.ts';
import { commonOptions, type Run } from './command.ts';
import { commands } from './index.ts';
import { type Io, widthOf } from './io.ts';

/** Parses the arguments and runs the command that they name. Throws the Failure that stops it. */
export async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  const { name, rest } = await commandIn(argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv);
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  // Help, say, runs no command.
  let run: Run = async () => ExitCode.done;
  const called = (found: Run) => {
    run = found;
  };
  const parser = entry
    ? (await entry.load()).command.addTo(
        baseParser(io, `${name} ${entry.positionals ?? ''}`).check(checkArguments(argv)),
        entry.positionals ?? '',
        called,
      )
    : listing(baseParser(io, 'COMMAND'));
  await parser.parseAsync(entry ? [...rest] : [...argv], {}, (error, _args, output) => {
    if (output && !error) io.stdout.write(`${output}\n`);
  });
  return run(io);
}

/**
 * The command, and its arguments without it. It is the first word that is no option and no option's value, since an
 * environment may be called like a command; behind options of its own, it is the first word that is a command.
 */
async function commandIn(argv: readonly string[]): Promise<{ name: string; rest: readonly string[] }> {
  const { _: words } = argv[0]?.startsWith('-') ? await commonPart(argv) : { _: argv };
  const at =
    words.length > 0 ? argv.length - words.length : argv.findIndex((word) => Object.hasOwn(commands, word));
  if (at < 0) return { name: '', rest: argv };
  // Behind the others, an option of many values takes none of them for its own.
  const [before, after] = [argv.slice(0, at), argv.slice(at + 1)];
  const end = after.includes('--') ? after.indexOf('--') : after.length;
  return { name: argv[at] ?? '', rest: [...after.slice(0, end), ...before, ...after.slice(end)] };
}

/** What the options are up to the first word. */
function commonPart(argv: readonly string[]) {
  return commonOptions(yargs())
    .boolean(['help', 'h', 'version'])
    .help(false)
    .version(false)
    .exitProcess(false)
    .parserConfiguration({ ...parserSettings, 'halt-at-non-option': true })
    .fail(() => {})
    .parseAsync([...argv]);
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
    .demandCommand(1, 'Name a command; its options stand behind it.')
    .strictCommands()
    .recommendCommands()
    .epilogue('Exit codes: 0 done, 1 could not run, 2 changes, 3 incomplete, 4 refused, 130 interrupted.');
}

/** @param usage what the program is called with, for whoever leaves something out */
function baseParser(io: Io, usage: string): Argv {
  return yargs()
    .scriptName('tenantctl')
    .version(version)
    .help()
    .alias('help', 'h')
    .strict()
    .parserConfiguration(parserSettings)
    .exitProcess(false)
    .wrap(Math.min(110, widthOf(io.stdout)))
    .fail((message, error) => {
      // What the parser itself throws is about the arguments: an option without its value.
      if (error && error.name !== 'YError') throw error;
      const isShort = message.startsWith('Not enough non-option arguments');
      const words = isShort ? `Something is missing: \`tenantctl ${usage}\`.` : message;
      throw failure('usage', words, { hint: '`tenantctl --help` lists commands and options.' });
    });
}
