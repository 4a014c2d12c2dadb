import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { isCi } from '../model/ci.ts';
import { nextLine, type SourceFile } from './file.ts';
import { openFile } from './parse.ts';
import { isForeign } from './paths.ts';
import type { Problems } from './problems.ts';
import { type Inputs, secretsFrom } from './secrets.ts';
import { diskSource, largestFile } from './source.ts';

/** The name of the file with values for runs on somebody's own machine. */
export const dotEnvName = '.env';

/** The longest file that is read. A key for signing takes three or four thousand. */
const largest = 64 * 1024;

/**
 * What a project is given. `!env`, `!secret` and credentials are looked up in the variables of the environment, and in those
 * of `.env` beside the project file that the environment does not set. Nothing else in the program sees the file's
 * variables: they choose no host, proxy or option. A CI job gets none, since a pull request could bring the file with it.
 *
 * Problems with the file are reported, and it then counts as empty.
 *
 * @param root the folder of the project, absolute, links resolved
 */
export function readInputs(
  root: string,
  { env = process.env, onSecret }: InputOptions,
  problems: Problems,
): Inputs {
  const values = withDotEnv(root, env, problems);
  return { env, values, withheld: new Set(), secrets: secretsFrom(values, onSecret) };
}

/** What the caller of the program gives instead of the machine. */
export interface InputOptions {
  /** Environment variables. Default: those of the process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Called with the text of each secret when it is read first. */
  onSecret?(text: string): void;
}

function withDotEnv(root: string, env: NodeJS.ProcessEnv, problems: Problems): NodeJS.ProcessEnv {
  if (isCi(env) || !lstatSync(join(root, dotEnvName), { throwIfNoEntry: false })) return env;
  const file = openDotEnv(root, problems);
  if (!file || hasMistakes(file, problems)) return env;
  const isInFile = (name: string) => Object.hasOwn(env, `${name}_FILE`);
  const added = Object.entries(parseEnv(file.text)).filter(([name]) => !isInFile(name));
  return { ...Object.fromEntries(added), ...env };
}

/** The file; `null`, and a problem, where it cannot be read or should not be. */
function openDotEnv(root: string, problems: Problems): SourceFile | null {
  // Only this may read it.
  const source = diskSource(root, largestFile, () => false);
  const file = openFile(source, dotEnvName, problems);
  if (!file) return null;
  const place = { file, offset: 0 };
  if (file.text.length > largest) {
    const message = `${dotEnvName} is larger than ${largest / 1024} KB`;
    const hint = 'It has one line for each value that the project takes from the environment.';
    problems.add('env-file-too-large', message, place, { hint, excerpt: false });
    return null;
  }
  if (!isForeign(join(root, dotEnvName), root)) return file;
  const hint = 'Remove it, or make it a file of your own.';
  problems.add('foreign-env-file', `${dotEnvName} belongs to another user`, place, { hint, excerpt: false });
  return null;
}

/**
 * Reports the lines that Node's parser would skip or read as something else than they look like. No line is shown, since
 * it may hold a secret.
 */
function hasMistakes(file: SourceFile, problems: Problems): boolean {
  const before = problems.count;
  for (let offset = 0; offset < file.text.length; ) {
    const line = readLine(file.text, offset);
    for (const [message, hint] of mistakesIn(line))
      problems.add('env-file-syntax', message, { file, offset }, { hint, excerpt: false });
    offset = line.end;
  }
  return problems.count > before;
}

/** A line of the file, with further ones where its value in quotes has some. */
interface Line {
  readonly text: string;
  /** Where the next one begins. */
  readonly end: number;
  /** The variable that it sets; empty where it sets none. */
  readonly name: string;
  /** The quote that its value begins with; empty where there is none. */
  readonly quote: string;
  /** The line from the closing quote on, or from the value on where it has no quotes; `null` where the quote is not closed. */
  readonly rest: string | null;
}

/** A line that sets a variable, and the quote that its value begins with. */
const assignment = /^[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_][\w.-]*)[^\S\n]*=[^\S\n]*(["'`]?)/;

function readLine(text: string, at: number): Line {
  const [written = '', name = '', quote = ''] = assignment.exec(text.slice(at)) ?? [];
  const value = at + written.length;
  const close = quote === '' ? value : text.indexOf(quote, value);
  const end = nextLine(text, Math.max(at, close));
  return { text: text.slice(at, end), end, name, quote, rest: close < 0 ? null : text.slice(close, end) };
}

/** What is wrong with a line, and what to do about it. */
function mistakesIn({ text, name, quote, rest }: Line): [message: string, hint: string][] {
  const mistakes: [string, string][] = [];
  if (name === '' && !/^\s*(#|$)/.test(text))
    mistakes.push([
      'This line sets no variable',
      'Write `NAME=value`, or begin the line with # for a comment.',
    ]);
  if (rest === null)
    mistakes.push([
      `The value of ${name} begins with a quote that is not closed`,
      `Add a ${quote} at its end.`,
    ]);
  else if (name !== '' && isCutShort(rest, quote))
    mistakes.push([
      `The value of ${name} ends before the end of its line`,
      'Put it in quotes that it does not contain (\', " or `). Write a blank before the # of a comment.',
    ]);
  if (name.endsWith('_FILE'))
    mistakes.push([
      `${name} would name a file to read a value from`,
      `Write the value itself: \`${name.slice(0, -'_FILE'.length)}=…\`. Only a variable of the environment may name a file.`,
    ]);
  return mistakes;
}

/**
 * Whether Node's parser leaves out what looks like a part of the value: after a # within it, or after the closing quote,
 * which no backslash escapes.
 *
 * A value that begins with a # is empty for all programs that read the file. What needs it says so.
 *
 * @param rest the line from the closing quote on, or from the value on where it has no quotes
 */
function isCutShort(rest: string, quote: string): boolean {
  return quote === '' ? /^[^#]*[^\s#]#/.test(rest) : !/^.\s*(#|$)/.test(rest);
}
