import { basename } from 'node:path';
import yargs, { type Argv } from 'yargs';
import type { Kinds } from '../kinds/catalog.ts';
import { loadNames, type ProjectNames } from '../loader/index.ts';
import { ExitCode, failure } from '../model/failure.ts';
import { parserSettings } from './arguments.ts';
import { type ArgsOf, type CommandEntry, type Commands, defineCommand, examples } from './command.ts';
import type { Io } from './io.ts';
import { otherSchemas } from './package-file.ts';
import { kindsHere, projectFileOf } from './project.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

function build(yargs: Argv) {
  return yargs
    .usage(
      '$0 completion [SHELL]\n\nPrints a script for shell completion of commands, options, environments, kinds and addresses.',
    )
    .positional('shell', { choices: shells, describe: 'The shell. Default: the shell in $SHELL' })
    .parserConfiguration({ ...parserSettings, 'populate--': true })
    .example(
      examples({
        'source <($0 completion bash)': 'In ~/.bashrc',
        'source <($0 completion zsh)': 'In ~/.zshrc, after compinit',
        '$0 completion fish | source': 'In ~/.config/fish/config.fish',
      }),
    );
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

/** Values to complete, after these words of the command line. */
type Values = (here: Here, words: readonly string[]) => readonly string[];

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
/** The kind of `kind check`. The shell completes the file of `kind draft`. */
const kindToCheck: Values = (here, words) => (words.includes('draft') ? [] : kindNames(here, words));

/** Options with one value that the parser does not know. */
const valuesOfOption = new Map([
  ['--env', environments],
  ['-e', environments],
]);

/** Options of which every word up to the next option is a value. */
const valuesOfList = new Map([
  ['--only', addresses],
  ['--except', addresses],
  ['--rotate', addresses],
  ['--kinds', kindNames],
  ['--allow-delete-all', kindNames],
]);

/** What stands in the places after the command's name, in their order. */
const positionals = new Map<string, readonly Values[]>([
  ['completion', [() => shells]],
  ['schema', [(here, words) => [...kindNames(here, words), ...otherSchemas]]],
  ['diff', [environments, environments]],
  ['env', [() => ['list']]],
  ['kind', [() => ['draft', 'check'], kindToCheck]],
  ['search', [searchLabels]],
  ['send-test', [templateAddresses]],
]);

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

async function findCandidates(line: Line): Promise<readonly string[]> {
  const { before, current, commands } = line;
  const isOption = current.startsWith('-');
  const last = before.at(-1) ?? '';
  const lastOption = before.findLast((word) => word.startsWith('-')) ?? '';
  const known = isOption ? undefined : (valuesOfOption.get(last) ?? valuesOfList.get(lastOption));
  if (known) return known(projectOf(line), before);
  const name = before.find((word, at) => Object.hasOwn(commands, word) && !isCommonValue(before, at));
  if (name === undefined) {
    // A project file: the shell completes it.
    if (isCommonValue(before, before.length)) return [];
    return isOption ? ['--help', '--version'] : Object.keys(commands);
  }
  if (isOption) return askParser(['--'], commands[name]);
  const offered = last.startsWith('-') ? await askParser([last, ''], commands[name]) : [];
  const choices = offered.filter((word) => !word.startsWith('-'));
  if (choices.length > 0) return choices;
  const words = before.filter((word) => !word.startsWith('-')).length;
  return positionals.get(name)?.[words - 1]?.(projectOf(line), before) ?? [];
}

function projectOf({ before, io }: Line): Here {
  const at = before.findIndex((word) => word === '--config' || word === '-c');
  const config = at >= 0 ? before[at + 1] : undefined;
  return {
    names: () => loadNames({ configFile: projectFileOf(config, io), env: io.env }),
    kinds: () => kindsHere({ config }, io),
  };
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
