import yargs, { type Argv } from 'yargs';
import { version } from '../model/documents.ts';
import { ExitCode } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { expandWords, parserSettings, refuseMistakes, unknownCommand } from './arguments.ts';
import { commonOptions, type Run } from './command.ts';
import { commands } from './index.ts';
import { type Io, type ProgramIo, redactIo } from './io.ts';

/**
 * Runs the program and returns its exit code. Never throws: a failure is printed on stderr. Without arguments, the help
 * is printed.
 *
 * @param argv the arguments after the program's name
 */
export async function main(argv: readonly string[], programIo: ProgramIo): Promise<ExitCode> {
  const io = redactIo(programIo);
  try {
    return await dispatch(expandWords(argv), io);
  } catch (error) {
    const { reportFailure } = await import('./output.ts');
    return reportFailure(error, argv, io);
  }
}

/** Parses the arguments and runs the command that they name. */
async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  const { name, rest } = await findCommand(argv);
  const entry = get(commands, name);
  const isHelp = argv.some((word) => word === '--help' || word === '-h');
  if (!entry && name !== '' && !isHelp) throw unknownCommand(name, Object.keys(commands));
  // Nothing is run when help is printed.
  let run: Run = async () => ExitCode.done;
  const setRun = (parsed: Run) => {
    run = parsed;
  };
  const base = refuseMistakes(baseParser(), argv, name, entry?.positionals);
  const parser = entry
    ? (await entry.load()).command.addTo(base, entry.positionals, setRun)
    : base.demandCommand(1, 'Name a command. Its options follow it.');
  const help = isHelp ? await import('./help.ts') : null;
  help?.completeHelp(parser, name);
  await parser.parseAsync(entry ? [...rest] : [...argv], {}, (error, _args, output) => {
    if (output && !error) io.stdout.write(help ? help.layoutHelp(output, argv, io) : `${output}\n`);
  });
  return run(io);
}

/**
 * Finds the command's name, and the other arguments. The name is the first word that is neither an option nor the value
 * of a common option, since an environment may have the name of a command. After options of the command itself, the
 * name is the first word that is a command.
 */
async function findCommand(
  argv: readonly string[],
): Promise<{ readonly name: string; readonly rest: readonly string[] }> {
  const { _: words } = argv[0]?.startsWith('-') ? await parseCommonOptions(argv) : { _: argv };
  const at =
    words.length > 0 ? argv.length - words.length : argv.findIndex((word) => Object.hasOwn(commands, word));
  if (at < 0) return { name: '', rest: argv };
  // Options before the name are moved behind the others. There, an option with many values cannot take the others.
  const [before, after] = [argv.slice(0, at), argv.slice(at + 1)];
  const end = after.includes('--') ? after.indexOf('--') : after.length;
  return { name: argv[at] ?? '', rest: [...after.slice(0, end), ...before, ...after.slice(end)] };
}

/** Parses the options before the first word. */
function parseCommonOptions(argv: readonly string[]) {
  return commonOptions(yargs())
    .boolean(['help', 'h', 'version'])
    .help(false)
    .version(false)
    .exitProcess(false)
    .parserConfiguration({ ...parserSettings, 'halt-at-non-option': true })
    .fail(() => {})
    .parseAsync([...argv]);
}

function baseParser(): Argv {
  return yargs()
    .scriptName('tenantctl')
    .version(version)
    .help()
    .alias('help', 'h')
    .parserConfiguration(parserSettings)
    .exitProcess(false)
    .wrap(null);
}
