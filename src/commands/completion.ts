import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Options } from 'yargs';
import { pastApplies } from '../engine/results.ts';
import { loadNames } from '../loader/index.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { get } from '../model/json.ts';
import {
  type Commands,
  commandAt,
  commonOptions,
  describeCommand,
  groups,
  lastOptions,
  option,
} from './command.ts';
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
      shell: { ...option.argument('The shell. Default: the shell in $SHELL'), choices: shells },
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

/** Where the values of an option or argument come from, in any command or, as `diff first`, in one. */
const sources = {
  env: 'environments',
  only: 'addresses',
  except: 'addresses',
  rotate: 'addresses',
  kinds: 'kinds',
  'allow-delete-all': 'kinds',
  fault: 'faults',
  'diff first': 'environments',
  'diff second': 'environments',
  'explain subject': 'kinds and codes',
  'get address': 'addresses',
  'kind subject': 'descriptors',
  'rollback result': 'results',
  'schema kind': 'schemas',
  'search label': 'searches',
  'send-test address': 'templates',
  'show file': 'results',
} as const;

/** The values from a source, in the project of a command line. If there are none, the shell completes files. */
async function valuesFrom(source: (typeof sources)[keyof typeof sources], words: readonly string[], io: Io) {
  const at = words.findIndex((word) => word === '--config' || word === '-c');
  const config = at >= 0 ? words[at + 1] : undefined;
  const names = () => loadNames({ configFile: projectFileOf(config, io), env: io.env });
  const kinds = () => kindsHere({ config }, io).all.map(({ name }) => name);
  switch (source) {
    case 'environments':
      return names().environments;
    case 'addresses':
      return new Set(names().objects.flatMap(({ kind, address }) => [`${kind.name}/**`, address]));
    case 'kinds':
      return kinds();
    case 'kinds and codes':
      return [...kinds(), ...codeTexts().keys()];
    case 'schemas':
      return [...kinds(), ...otherSchemas];
    case 'descriptors':
      if (words.includes('add')) return (await import('./kind.ts')).libraryKinds();
      // `kind draft` takes a file.
      return words.includes('draft') ? [] : kinds();
    case 'results': {
      const root = dirname(projectFileOf(config, io));
      const applies = await pastApplies(root, names().environments, { most: 20 });
      return applies.map(({ file }) => relative(io.cwd, join(root, file)));
    }
    case 'searches':
      return names().objects.flatMap(({ kind, key }) => (kind.name === 'ProfileSearch' ? key.join('/') : []));
    case 'templates':
      return names().objects.flatMap(({ kind, address }) =>
        kind.name === 'NotificationTemplate' ? address : [],
      );
    case 'faults':
      return (await import('../sandbox/index.ts')).faultWords;
  }
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
  const command = before[commandAt(before, commands)] ?? '';
  const loaded = await get(commands, command)?.[1]();
  const table = loaded?.command.options ?? { ...commonOptions, ...lastOptions };
  const options = Object.entries<Options>(table).map(([name, option]) => ({ name, ...option }));
  if (current.startsWith('-')) return options.filter(({ hidden }) => !hidden).flatMap(wordsOf);

  const given = before.findLast((word) => word.startsWith('-')) ?? '';
  const open = options.find((option) => option.type !== 'boolean' && wordsOf(option).includes(given));
  const isOpen = open && (before.at(-1) === given || (open.array && open.nargs === undefined));
  if (!loaded && !isOpen) return Object.keys(commands);
  const at = before.filter((word) => !word.startsWith('-')).length - 1;
  const wanted = isOpen ? open : options.filter(({ group }) => group === groups.arguments)[at];
  if (!wanted) return [];
  if (wanted.choices) return wanted.choices.map(String);
  const source = get(sources, `${command} ${wanted.name}`) ?? get(sources, wanted.name);
  return source === undefined ? [] : [...(await valuesFrom(source, before, io))];
}

/** How an option is typed. Of a switch that is on by default, only `--no-…` is useful. */
function wordsOf({ name, alias, group, default: preset }: Options & { readonly name: string }): string[] {
  if (group === groups.arguments) return [];
  return [...(typeof alias === 'string' ? [`-${alias}`] : []), `--${preset === true ? 'no-' : ''}${name}`];
}
