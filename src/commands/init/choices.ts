import { readUrl } from '../../loader/connection.ts';
import { Failure, failure, interruption } from '../../model/failure.ts';
import { printable } from '../../report/safe.ts';
import type { Io } from '../io.ts';
import { openPrompt } from '../prompt.ts';

/** What the first manifests come from. */
export const starts = ['examples', 'export'] as const;

/** The CI systems that a pipeline can be written for. */
export const pipelines = ['github', 'gitlab', 'both', 'none'] as const;

/** Everything that decides what a new project contains. */
export interface Choices {
  /** The tenant's base URLs. `null`: only an embedded tenant. */
  readonly tenant: { readonly identity: string; readonly profiles: string | null } | null;
  readonly from: (typeof starts)[number];
  readonly pipelines: (typeof pipelines)[number];
}

/** The choices made by options. */
export interface Given {
  readonly identity: string | undefined;
  readonly profiles: string | undefined;
  readonly from: Choices['from'] | undefined;
  readonly pipelines: Choices['pipelines'] | undefined;
}

/** Throws a Failure for base URLs that a project cannot have. */
export function checkGiven({ identity, profiles }: Given): void {
  if (identity !== undefined) baseUrl(identity, '--identity');
  if (profiles !== undefined) baseUrl(profiles, '--profiles');
  if (profiles !== undefined && identity === undefined) {
    throw failure('usage', 'A tenant needs the base URL of its identity service.', {
      hint: 'Add it with --identity.',
    });
  }
}

/** The choices with defaults for what the options leave open. */
export function chooseDefaults(given: Given): Choices {
  const { identity, profiles = null, from = 'examples', pipelines = 'both' } = given;
  return { tenant: identity === undefined ? null : { identity, profiles }, from, pipelines };
}

/** Asks on stderr for what the options leave open. Throws a Failure (exit 130) at the end of the input. */
export async function askForChoices(given: Given, io: Io): Promise<Choices> {
  const prompt = openPrompt(io);
  const ask: Ask = async (question, read) => {
    for (;;) {
      const answer = await prompt.ask(question);
      if (answer === null) throw interruption('Interrupted. Nothing was written.');
      try {
        return read(answer);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        io.stderr.write(`${printable(error.message)}\n`);
      }
    }
  };
  try {
    return {
      tenant: await askForTenant(given, ask),
      from:
        given.from ?? (await ask('Start with the examples or with an export? [examples] ', oneOf(starts))),
      pipelines:
        given.pipelines ??
        (await ask('A pipeline for github, gitlab, both or none? [both] ', oneOf(pipelines, 'both'))),
    };
  } finally {
    prompt.close();
  }
}

/** Asks a question until `read` throws no Failure, and returns what it made of the answer. */
type Ask = <T>(question: string, read: (answer: string) => T) => Promise<T>;

async function askForTenant({ identity, profiles }: Given, ask: Ask): Promise<Choices['tenant']> {
  if (identity !== undefined) return { identity, profiles: profiles ?? null };
  const kinds = ['sandbox', 'tenant'] as const;
  const kind = await ask('An embedded sandbox for trials, or a tenant? [sandbox] ', oneOf(kinds));
  if (kind === 'sandbox') return null;
  return {
    identity: await ask('Base URL of the identity service: ', (answer) => baseUrl(answer)),
    profiles: await ask('Base URL of the profile-management service (empty: none): ', (answer) =>
      answer === '' ? null : baseUrl(answer),
    ),
  };
}

/** Reads one of the words, or the beginning of only one. An empty answer gives the default. */
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

/** Checks the base URL of a service. The Failure does not contain the text, which may hold a password. */
function baseUrl(text: string, name = 'The address'): string {
  const read = readUrl(text);
  if ('url' in read) return text;
  throw failure('invalid-url', `${name} cannot be used: ${read.problem}.`, {
    hint: 'For example: https://acme.api.example.com',
  });
}
