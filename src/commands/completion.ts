import { basename } from 'node:path';
import yargs, { type Argv } from 'yargs';
import type { Kinds } from '../kinds/catalog.ts';
import { loadNames, type ProjectNames } from '../loader/index.ts';
import { ExitCode, failure } from '../model/failure.ts';
import { parserSettings } from './check-arguments.ts';
import { type ArgsOf, type CommandEntry, type Commands, defineCommand } from './command.ts';
import type { Io } from './io.ts';
import { kindsHere, projectFileOf } from './options.ts';
import { otherSchemas } from './schemas.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

function build(yargs: Argv) {
  return yargs
    .usage(
      '$0 completion [SHELL]\n\nPrints a script for shell completion of commands, options, environments, kinds and addresses.',
    )
    .positional('shell', { choices: shells, describe: 'The shell. Default: the shell in $SHELL' })
    .parserConfiguration({ ...parserSettings, 'populate--': true })
    .example('source <($0 completion bash)', 'In ~/.bashrc')
    .example('source <($0 completion zsh)', 'In ~/.zshrc, after compinit')
    .example('$0 completion fish | source', 'In ~/.config/fish/config.fish');
}

type Args = ArgsOf<typeof build>;

/** Prints the script. With the words of a command line after `--`, prints what may follow: the scripts call it so. */
async function run({ shell, '--': words }: Args, io: Io, commands: Commands): Promise<ExitCode> {
  if (Array.isArray(words)) {
    const found = await complete(words.map(String), commands, io);
    io.stdout.write(found.map((word) => `${word}\n`).join(''));
    return ExitCode.done;
  }
  const wanted = shell ?? shells.find((name) => name === basename(io.env.SHELL ?? ''));
  if (wanted === undefined) {
    throw failure('usage', 'Which shell?', { hint: `Name it: ${shells.join(', ')}.` });
  }
  io.stdout.write(scripts[wanted]);
  return ExitCode.done;
}

/** The command that completes command lines of `commands`. */
export function createCompletion(commands: Commands) {
  return { command: defineCommand(build, (args: Args, io) => run(args, io, commands)) };
}

/** The script of each shell. Where the program prints nothing, the shell completes file names. */
const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_tenantctl() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$(printf '%q' "$word")")
  done < <(tenantctl completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _tenantctl tenantctl
`,
  zsh: `#compdef tenantctl
_tenantctl() {
  local -a found
  found=("\${(@f)$(tenantctl completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _tenantctl tenantctl
`,
  fish: `function __tenantctl
  set -l words (commandline -opc) (commandline -ct)
  tenantctl completion fish -- $words[2..-1] 2>/dev/null
end
complete -c tenantctl -a '(__tenantctl)'
`,
};

/** What is in the project. It is loaded only where it is needed. */
interface Here {
  names(): ProjectNames;
  kinds(): Kinds;
}

/** Values to complete. */
type Values = (here: Here) => readonly string[];

const kindNames: Values = (here) => here.kinds().all.map(({ name }) => name);
const environments: Values = (here) => here.names().environments;
const addresses: Values = (here) => {
  const { objects } = here.names();
  return [...new Set(objects.map(({ kind }) => `${kind.name}/**`)), ...objects.map(({ address }) => address)];
};
const searchLabels: Values = (here) =>
  here.names().objects.flatMap(({ kind, key }) => (kind.name === 'ProfileSearch' ? [key.join('/')] : []));
const templateAddresses: Values = (here) =>
  here
    .names()
    .objects.flatMap(({ kind, address }) => (kind.name === 'NotificationTemplate' ? [address] : []));

/** Options whose values the parser does not know. `many`: every word up to the next option is a value. */
const optionValues: Readonly<Record<string, { readonly values: Values; readonly many?: true }>> = {
  '--env': { values: environments },
  '-e': { values: environments },
  '--only': { values: addresses, many: true },
  '--except': { values: addresses, many: true },
  '--rotate': { values: addresses, many: true },
  '--kinds': { values: kindNames, many: true },
  '--allow-delete-all': { values: kindNames, many: true },
};

/** What stands in the places after the command's name, in their order. */
const positionals: Readonly<Record<string, Values | readonly Values[]>> = {
  completion: () => shells,
  schema: (here) => [...kindNames(here), ...otherSchemas],
  diff: [environments, environments],
  env: () => ['list'],
  kind: [() => ['draft', 'check'], (here) => kindNames(here)],
  search: searchLabels,
  'send-test': templateAddresses,
};

/**
 * The candidates for the last of `words`, the command line after the program's name. Empty where there are none and
 * where the project cannot be read: an error message would only disturb the prompt.
 */
async function complete(words: readonly string[], commands: Commands, io: Io): Promise<readonly string[]> {
  // bash makes three words of `--env=production`.
  const typed = words.filter((word, at) => word !== '=' || at === words.length - 1);
  const last = typed.at(-1) ?? '';
  const [, option, value] = /^(--[a-z-]+)=(.*)$/.exec(last) ?? [];
  const before = option === undefined ? typed.slice(0, -1) : [...typed.slice(0, -1), option];
  const current = last === '=' ? '' : (value ?? last);
  const prefix = option === undefined ? '' : `${option}=`;
  try {
    const found = await findCandidates({ before, current, commands, io });
    return found.filter((word) => word.startsWith(current)).map((word) => prefix + word);
  } catch {
    return [];
  }
}

interface Line {
  /** The words before the one to complete. */
  readonly before: readonly string[];
  readonly current: string;
  readonly commands: Commands;
  readonly io: Io;
}

async function findCandidates({ before, current, commands, io }: Line): Promise<readonly string[]> {
  const name = before.find((word, at) => Object.hasOwn(commands, word) && !isCommonValue(before, at));
  const config = configIn(before);
  const here = {
    names: () => loadNames({ configFile: projectFileOf(config, io), env: io.env }),
    kinds: () => kindsHere({ config }, io),
  };
  const at = before.findLastIndex((word) => word.startsWith('-'));
  const option = before[at] ?? '';
  const special = Object.hasOwn(optionValues, option) ? optionValues[option] : undefined;
  const isNext = at === before.length - 1;
  const isOption = current.startsWith('-');
  if (!isOption && special && (isNext || special.many)) return special.values(here);
  if (name === undefined) {
    // A project file: the shell completes it.
    if (isCommonValue(before, before.length)) return [];
    return isOption ? ['--help', '--version'] : Object.keys(commands);
  }
  if (isOption) return askParser(['--'], commands[name]);
  const offered = isNext && at >= 0 ? await askParser([option, ''], commands[name]) : [];
  const choices = offered.filter((word) => !word.startsWith('-'));
  if (choices.length > 0) return choices;
  // The shell completes the file of `kind draft`.
  if (name === 'kind' && before.includes('draft')) return [];
  const words = before.filter((word) => !word.startsWith('-')).length;
  const places = Object.hasOwn(positionals, name) ? [positionals[name] ?? []].flat() : [];
  return places[words - 1]?.(here) ?? [];
}

/** Whether a word is the value of an option that all commands have. An environment may have the name of a command. */
function isCommonValue(words: readonly string[], at: number): boolean {
  return ['-e', '--env', '-c', '--config'].includes(words[at - 1] ?? '');
}

/** Options that are on by default, so that only `--no-…` is of use. */
const onByDefault = ['--color', '--progress'];

/** The options and choices that the parser knows. For some shells it adds a description, which is cut off. */
async function askParser(
  line: readonly string[],
  entry: CommandEntry | undefined,
): Promise<readonly string[]> {
  const { command } = (await entry?.load()) ?? {};
  const found = (await command?.completions(yargs().exitProcess(false), line)) ?? [];
  return (
    found
      .map((word) => (word.startsWith('-') ? (word.split(/[:\t]/)[0] ?? word) : word))
      // The parser gives `-e` two dashes, too.
      .map((word) => word.replace(/^--(?=.$)/, '-'))
      .map((word) => (onByDefault.includes(word) ? word.replace('--', '--no-') : word))
  );
}

function configIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--config' || word === '-c');
  return at >= 0 ? words[at + 1] : undefined;
}
