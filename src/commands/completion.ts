import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import yargs from 'yargs';
import { pastApplies } from '../engine/results.ts';
import { loadNames } from '../loader/index.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { type Commands, commandAt, describeCommand, groups } from './command.ts';
import { codeTexts } from './explain.ts';
import type { Io } from './io.ts';
import { otherSchemas, packageFile } from './package-file.ts';
import { kindsHere, projectFileOf } from './project.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

export function createCompletion(commands: Commands) {
  const command = describeCommand({
    usage:
      '$0 completion [SHELL]\n\nPrints a script for shell completion of commands, options, environments, kinds and addresses.',
    options: {
      shell: {
        choices: shells,
        group: groups.arguments,
        describe: 'The shell. Default: the shell in $SHELL',
      },
    },
    settings: { 'populate--': true },
    examples: {
      'source <($0 completion bash)': 'In ~/.bashrc',
      'source <($0 completion zsh)': 'In ~/.zshrc, after compinit',
      '$0 completion fish | source': 'In ~/.config/fish/config.fish',
    },
  }).run(async ({ shell, '--': words }, io) => {
    // The scripts call it with the words of a command line, to complete the last one.
    if (Array.isArray(words)) {
      const found = await complete(words.map(String), commands, io);
      io.stdout.write(found.map((word) => `${word}\n`).join(''));
      return ExitCode.done;
    }
    const wanted = shell ?? shells.find((name) => name === basename(io.env.SHELL ?? ''));
    if (wanted === undefined) throw fail('usage', 'Which shell?', { hint: `Name it: ${shells.join(', ')}.` });
    // If the program prints nothing, the shell completes file names.
    io.stdout.write(readFileSync(packageFile(`examples/completion/tenantctl.${wanted}`), 'utf8'));
    return ExitCode.done;
  });
  return { command };
}

/** Returns the functions that find the values of options and arguments in the project of a command line. */
function valuesIn(words: readonly string[], io: Io) {
  const at = words.findIndex((word) => word === '--config' || word === '-c');
  const config = at >= 0 ? words[at + 1] : undefined;
  const names = () => loadNames({ configFile: projectFileOf(config, io), env: io.env });
  const kinds = () => kindsHere({ config }, io).all.map(({ name }) => name);
  const environments = () => names().environments;
  const objectsOf = (name: string) => names().objects.filter(({ kind }) => kind.name === name);
  const addresses = () => [
    ...new Set(names().objects.flatMap(({ kind, address }) => [`${kind.name}/**`, address])),
  ];
  const subjects = async () => {
    if (words.includes('add')) return (await import('./kind.ts')).libraryKinds();
    return words.includes('draft') ? [] : kinds();
  };
  // The shell completes other files if there are none.
  const results = async () => {
    const root = dirname(projectFileOf(config, io));
    const applies = await pastApplies(root, environments(), { most: 20 });
    return applies.map(({ file }) => relative(io.cwd, join(root, file)));
  };
  return {
    /** For an option with one value. */
    option: { '--env': environments, '-e': environments },
    /** For an option that takes every word up to the next option. */
    list: {
      '--only': addresses,
      '--except': addresses,
      '--rotate': addresses,
      '--kinds': kinds,
      '--allow-delete-all': kinds,
      '--fault': async () => (await import('../sandbox/index.ts')).faultWords,
    },
    /** For the arguments of a command, in their order. */
    positionals: {
      completion: [() => shells],
      schema: [() => [...kinds(), ...otherSchemas]],
      diff: [environments, environments],
      env: [() => ['list']],
      get: [addresses],
      explain: [() => [...kinds(), ...codeTexts().keys()]],
      rollback: [results],
      show: [results],
      // The shell completes the file of `kind draft`.
      kind: [() => ['add', 'check', 'draft'], subjects],
      search: [() => objectsOf('ProfileSearch').map(({ key }) => key.join('/'))],
      'send-test': [() => objectsOf('NotificationTemplate').map(({ address }) => address)],
    },
  } satisfies Record<string, Record<string, unknown>>;
}

/** Candidates for the last of `words`. None if the project cannot be read: a message would disturb the prompt. */
async function complete(words: readonly string[], commands: Commands, io: Io): Promise<readonly string[]> {
  // bash makes three words of `--env=production`.
  const typed = words.filter((word, at) => word !== '=' || at === words.length - 1);
  const last = typed.at(-1) ?? '';
  const [, option, value] = /^(--[a-z-]+)=(.*)$/.exec(last) ?? [];
  const before = option === undefined ? typed.slice(0, -1) : [...typed.slice(0, -1), option];
  const current = last === '=' ? '' : (value ?? last);
  const prefix = option === undefined ? '' : `${option}=`;
  try {
    const found = await findCandidates(before, current, commands, io);
    return found.filter((word) => word.startsWith(current)).map((word) => prefix + word);
  } catch {
    return [];
  }
}

async function findCandidates(before: readonly string[], current: string, commands: Commands, io: Io) {
  const values = valuesIn(before, io);
  const isOption = current.startsWith('-');
  const last = before.at(-1) ?? '';
  const lastOption = before.findLast((word) => word.startsWith('-')) ?? '';
  const known = isOption ? undefined : (get(values.option, last) ?? get(values.list, lastOption));
  if (known) return known();
  const name = before[commandAt(before, commands)];
  if (name === undefined) {
    // A project file: the shell completes it.
    if (last === '-c' || last === '--config') return [];
    return isOption ? ['--help', '--version'] : Object.keys(commands);
  }
  if (isOption) return askParser(['--'], commands[name]);
  const offered = last.startsWith('-') ? await askParser([last, ''], commands[name]) : [];
  const choices = offered.filter((word) => !word.startsWith('-'));
  if (choices.length > 0) return choices;
  const words = before.filter((word) => !word.startsWith('-')).length;
  return get(values.positionals, name)?.[words - 1]?.() ?? [];
}

/** Options that are on by default: only `--no-…` is useful. */
const onByDefault = ['--color', '--progress'];

/** The options and choices that the parser knows. For some shells it adds a description, which is cut off. */
async function askParser(line: readonly string[], entry: Commands[string] | undefined) {
  const { command } = (await entry?.[2]()) ?? {};
  const found = (await command?.describe(yargs().exitProcess(false)).getCompletion(line)) ?? [];
  return (
    found
      .map((word) => (word.startsWith('-') ? (word.split(/[:\t]/)[0] ?? word) : word))
      // The parser gives `-e` two dashes, too.
      .map((word) => word.replace(/^--(?=.$)/, '-'))
      .map((word) => (onByDefault.includes(word) ? word.replace('--', '--no-') : word))
  );
}
