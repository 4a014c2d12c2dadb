import { resolve } from 'node:path';
import yargs from 'yargs';
import { kinds } from '../../kinds/index.ts';
import type { CommandEntry, Commands } from '../command.ts';
import type { Io } from '../io.ts';
import { type Declared, readDeclared } from './declared.ts';
import { shells } from './scripts.ts';

type Values = (declared: () => Declared) => readonly string[];

const kindNames: Values = () => kinds.map(({ name }) => name);
const addresses: Values = (declared) => {
  const all = declared().objects;
  return [...new Set(all.map(({ kind }) => `${kind}/**`)), ...all.map(({ address }) => address)];
};
const of = (kind: string, part: 'address' | 'name'): Values => {
  return (declared) => declared().objects.flatMap((object) => (object.kind === kind ? [object[part]] : []));
};
const environments: Values = (declared) => declared().environments;

/** Options whose values only the project knows, or only some of them; `many`: values follow up to the next option. */
const optionValues: Readonly<Record<string, { readonly values: Values; readonly many?: true }>> = {
  '--env': { values: environments },
  '-e': { values: environments },
  '--only': { values: addresses, many: true },
  '--except': { values: addresses, many: true },
  '--rotate': { values: addresses, many: true },
  '--kinds': { values: kindNames, many: true },
  '--allow-delete-all': { values: kindNames, many: true },
};

const positionals: Readonly<Record<string, Values>> = {
  completion: () => shells,
  schema: () => [...kinds.map(({ name }) => name), 'manifest', 'project', 'plan', 'result'],
  search: of('ProfileSearch', 'name'),
  'send-test': of('NotificationTemplate', 'address'),
};

/**
 * What may stand in the place of the last of `words`, the command line after the program's name. Nothing where that is
 * not known, or the project cannot be read: whoever is typing has no use for an error.
 */
export async function complete(
  words: readonly string[],
  commands: Commands,
  io: Io,
): Promise<readonly string[]> {
  // bash makes three words of `--env=production`.
  const typed = words.filter((word, at) => word !== '=' || at === words.length - 1);
  const last = typed.at(-1) ?? '';
  const [, option, value] = /^(--[a-z-]+)=(.*)$/.exec(last) ?? [];
  const before = option === undefined ? typed.slice(0, -1) : [...typed.slice(0, -1), option];
  const current = last === '=' ? '' : (value ?? last);
  const prefix = option === undefined ? '' : `${option}=`;
  try {
    const found = await candidates({ before, current, commands, io });
    return found.filter((word) => word.startsWith(current)).map((word) => prefix + word);
  } catch {
    return [];
  }
}

interface Line {
  /** The words before the one to be completed. */
  readonly before: readonly string[];
  readonly current: string;
  readonly commands: Commands;
  readonly io: Io;
}

async function candidates({ before, current, commands, io }: Line): Promise<readonly string[]> {
  const name = before.find((word, at) => Object.hasOwn(commands, word) && !isValue(before, at));
  let known: Declared | null = null;
  const declared = () => {
    known ??= readDeclared(resolve(io.cwd, configIn(before)));
    return known;
  };
  const at = before.findLastIndex((word) => word.startsWith('-'));
  const option = before[at] ?? '';
  const special = Object.hasOwn(optionValues, option) ? optionValues[option] : undefined;
  const isNext = at === before.length - 1;
  const isOption = current.startsWith('-');
  if (!isOption && special && (isNext || special.many)) return special.values(declared);
  if (name === undefined) {
    // A file, which the shell completes.
    if (isValue(before, before.length)) return [];
    return isOption ? ['--help', '--version'] : Object.keys(commands);
  }
  if (isOption) return ask(['--'], commands[name]);
  const offered = isNext && at >= 0 ? await ask([option, ''], commands[name]) : [];
  const choices = offered.filter((word) => !word.startsWith('-'));
  if (choices.length > 0) return choices;
  const isFirst = before.filter((word) => !word.startsWith('-')).length === 1;
  return (isFirst && Object.hasOwn(positionals, name) ? positionals[name]?.(declared) : undefined) ?? [];
}

/** Whether the word is the value of an option that any command has: an environment may be called like a command. */
function isValue(words: readonly string[], at: number): boolean {
  return ['-e', '--env', '-c', '--config'].includes(words[at - 1] ?? '');
}

/** Options that are on unless somebody says otherwise. */
const negated = ['--color', '--progress'];

/** What the parser itself knows: options and choices, for some shells with a description behind them. */
async function ask(line: readonly string[], entry: CommandEntry | undefined): Promise<readonly string[]> {
  const { command } = (await entry?.load()) ?? {};
  const found = (await command?.completions(yargs().exitProcess(false), line)) ?? [];
  return found
    .map((word) => (word.startsWith('-') ? (word.split(/[:\t]/)[0] ?? word) : word))
    .map((word) => (negated.includes(word) ? word.replace('--', '--no-') : word));
}

function configIn(words: readonly string[]): string {
  const at = words.findIndex((word) => word === '--config' || word === '-c');
  return (at >= 0 ? words[at + 1] : undefined) ?? 'tenantctl.yaml';
}
