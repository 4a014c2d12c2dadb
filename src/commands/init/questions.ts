import { createInterface } from 'node:readline/promises';
import { ExitCode, Failure, failure } from '../../model/failure.ts';
import type { Io } from '../io.ts';
import { baseUrl, type Choices, type Given, pipelines, starts } from './choices.ts';

/** Asks on stderr what the command line leaves open. Throws a Failure (exit 130) when the answers end. */
export async function ask(given: Given, io: Io): Promise<Choices> {
  // No line editing: the terminal's own is enough, and leaves Ctrl-C to the program.
  const lines = createInterface({ input: io.stdin, terminal: false, signal: io.signal });
  const answers = lines[Symbol.asyncIterator]();
  const question: Question = async (text, read) => {
    for (;;) {
      io.stderr.write(text);
      const { value, done } = await answers.next();
      if (done === true)
        throw failure('interrupted', 'Interrupted; nothing was written.', {}, ExitCode.interrupted);
      try {
        return read(value.trim());
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        io.stderr.write(`${error.message}\n`);
      }
    }
  };
  try {
    const tenant = await askTenant(given, question);
    const from =
      given.from ?? (await question('Begin with the examples or with an export? [examples] ', oneOf(starts)));
    const wanted =
      given.pipelines ??
      (await question('A pipeline for github, gitlab, both or none? [both] ', oneOf(pipelines, 'both')));
    return { tenant, from, pipelines: wanted };
  } finally {
    lines.close();
  }
}

/** Asks until `read` throws no Failure. */
type Question = <T>(text: string, read: (answer: string) => T) => Promise<T>;

async function askTenant({ identity, profiles }: Given, question: Question): Promise<Choices['tenant']> {
  if (identity !== undefined) return { identity, profiles: profiles ?? null };
  const kinds = ['sandbox', 'tenant'] as const;
  const kind = await question('An embedded sandbox to try things on, or a tenant? [sandbox] ', oneOf(kinds));
  if (kind === 'sandbox') return null;
  return {
    identity: await question('Base URL of the identity service: ', (answer) => baseUrl(answer)),
    profiles: await question('Base URL of the profile-management service (empty: none): ', (answer) =>
      answer === '' ? null : baseUrl(answer),
    ),
  };
}

/** One of the words, or what begins only one of them; an empty answer is the preset. */
function oneOf<T extends string>(words: readonly [T, ...T[]], preset: T = words[0]): (answer: string) => T {
  return (answer) => {
    if (answer === '') return preset;
    const exact = words.find((word) => word === answer);
    const [only, ...others] = words.filter((word) => word.startsWith(answer.toLowerCase()));
    if (exact !== undefined) return exact;
    if (only !== undefined && others.length === 0) return only;
    throw failure('usage', `Please answer ${words.join(', ')}.`);
  };
}
