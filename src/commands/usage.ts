import yargs from 'yargs';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure, failure } from '../model/failure.ts';
import { didYouMean, joinWords } from '../model/words.ts';
import type { Command } from './command.ts';

/** Arguments that a command does not have. */
export class UnknownArguments extends Error {
  /** As the parser names them: options without dashes, some a second time in camel case. */
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(`Unknown arguments: ${names.join(', ')}`);
    this.names = names;
  }
}

const listOfCommands = '`tenantctl --help` lists the commands.';

/** The Failure for a command that does not exist, with the one that was probably meant. */
export function unknownCommand(name: string, all: readonly string[]): Failure {
  const hint = [didYouMean(name, all), listOfCommands].filter(Boolean).join(' ');
  return failure('usage', `There is no command \`${name.slice(0, 80)}\`.`, { hint });
}

/** The names in a message of the parser about unknown arguments; `null` for any other message. */
export function findUnknown(message: string): readonly string[] | null {
  const [, names] = /^Unknown arguments?: (.*)$/s.exec(message) ?? [];
  return names?.split(', ') ?? null;
}

/** The Failure for unknown arguments, each as it was written, with the option that was probably meant. */
export async function describeUnknown(
  { names }: UnknownArguments,
  {
    name,
    command,
    argv,
  }: { readonly name: string; readonly command: Command; readonly argv: readonly string[] },
): Promise<Failure> {
  const options = (await command.completions(yargs().exitProcess(false), ['--'])).map(withoutDashes);
  // The parser calls `--no-colour` `colour`.
  const isWritten = (name: string) => (word: string) => [name, `no-${name}`].includes(withoutDashes(word));
  const written = names.flatMap((name) => argv.find(isWritten(name)) ?? []);
  const unknown = written.length > 0 ? written : names;
  return new Failure(
    unknown.map((word): Diagnostic => {
      const isOption = word.startsWith('-');
      const help = `\`tenantctl ${name} --help\` lists the options.`;
      if (!isOption) {
        const hint = `An option begins with --. Environments are named with --env, several joined by commas. ${help}`;
        return { code: 'usage', severity: 'error', message: `Unknown argument: ${word}`, hint };
      }
      const [, no = '', option = ''] = /^(no-)?(.*)$/s.exec(withoutDashes(word)) ?? [];
      const near = nearOption(option, options);
      const message = `There is no option ${word.split('=')[0]}.`;
      const hint = near === null ? help : `Did you mean \`--${no}${near}\`? ${help}`;
      return { code: 'usage', severity: 'error', message, hint };
    }),
  );
}

/** The option that was probably meant: one that the word begins with, `env` for `environment`, or a similar one. */
function nearOption(word: string, all: readonly string[]): string | null {
  // Every letter is near every other.
  const options = all.filter((option) => option.length > 1);
  const begun = options.find((option) => option.length > 2 && word.startsWith(option));
  return begun ?? didYouMean(word, options)?.match(/`(.*)`/)?.[1] ?? null;
}

/**
 * The Failure for what the parser refuses, in plain words.
 *
 * @param usage the command and its positional arguments
 */
export function describeUsage(message: string, usage: string): Failure {
  const [name = ''] = usage.split(' ');
  const help =
    name === 'COMMAND' ? listOfCommands : `\`tenantctl ${name} --help\` shows its arguments and options.`;
  const found = usageErrors.flatMap(({ pattern, say }) => {
    const match = pattern.exec(message);
    return match ? [say(match, usage)] : [];
  });
  const { words, hint = '' } = found[0] ?? { words: message };
  return failure('usage', words, { hint: `${hint} ${help}`.trim() });
}

interface UsageError {
  readonly pattern: RegExp;
  say(match: RegExpExecArray, usage: string): { readonly words: string; readonly hint?: string };
}

/** What the parser says, and what to say instead. */
const usageErrors: readonly UsageError[] = [
  {
    pattern: /^Not enough non-option arguments/,
    say: (_match, usage) => ({ words: `An argument is missing: \`tenantctl ${usage.trim()}\`.` }),
  },
  {
    pattern: /^Not enough arguments following: (\S+)/,
    say: ([, name = '']) => ({ words: `The option ${nameOf(name, '')} needs a value.` }),
  },
  {
    pattern: /^Invalid values:\s+Argument: (\S+), Given: (.*), Choices: (.*)$/s,
    say: ([, name = '', given, choices = ''], usage) => ({
      words: `${nameOf(name, usage)} cannot be ${given}.`,
      hint: `Write ${joinWords('or', choices.replaceAll('"', '').split(', '))}.`,
    }),
  },
];

/**
 * An argument as it is written: an option with its dashes, a positional argument as the help calls it.
 *
 * @param usage the positional arguments, as yargs writes them: `<file..>`
 */
export function nameOf(name: string, usage: string): string {
  if (positionalsIn(usage).some((positional) => positional.replace('..', '') === name)) return name;
  return `${name.length === 1 ? '-' : '--'}${name}`;
}

/** The names of the positional arguments in a usage. Those that take several end with two dots. */
export function positionalsIn(usage: string): readonly string[] {
  return [...usage.matchAll(/[<[]([\w-]+(?:\.\.)?)[>\]]/g)].map(([, name = '']) => name);
}

/** `only` for `--only`, `--only=x` and `only`. Some shells get a description after a colon. */
function withoutDashes(word: string): string {
  return word.replace(/^-+/, '').split(/[=:\t]/)[0] ?? '';
}
