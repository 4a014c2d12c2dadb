import { valuesIn } from '../../loader/index.ts';
import { isPlainName } from '../../loader/selection.ts';
import { Failure, failure, interruption } from '../../model/failure.ts';
import { looksLikeCredential } from '../../model/sensitive.ts';
import { printable } from '../../report/safe.ts';
import type { Io } from '../io.ts';
import { openPrompt, type Prompt } from '../prompt.ts';
import {
  baseUrl,
  type Choices,
  chooseDefaults,
  environmentName,
  type Given,
  type GivenTenant,
  givenTenants,
  type NewTenant,
  pipelines,
  startFor,
  usualNames,
} from './choices.ts';
import { printProblems, printSurvey, surveyWith } from './survey.ts';

/** Where the project is, or will be. */
export interface ProjectFolder {
  readonly root: string;
  /** Whether there is no project file yet. */
  readonly isNew: boolean;
}

/** What was decided, and what was typed meanwhile. */
export interface Setup {
  readonly choices: Choices;
  /** The environment, and the credentials that somebody typed. */
  readonly env: NodeJS.ProcessEnv;
  /** The names of typed credentials to keep in `.env`. */
  readonly keep: readonly string[];
}

/** Asks on stderr for what the options leave open. Throws a Failure (exit 130) at the end of the input. */
export async function askForSetup(given: Given, { root, isNew }: ProjectFolder, io: Io): Promise<Setup> {
  const prompt = openPrompt(io);
  const asking = { ask: asker(prompt, io), prompt, root, io, env: io.env };
  try {
    // The project file of an existing project names its tenants.
    const found = isNew ? await askForTenants(given, asking) : [];
    const tenants = isNew ? found.map(({ tenant }) => tenant) : chooseDefaults(given).tenants;
    const choices: Choices = {
      tenants,
      from: given.from ?? startFor(tenants),
      pipelines:
        given.pipelines ??
        (await asking.ask('A pipeline for github, gitlab, both or none? [both] ', oneOf(pipelines, 'both'))),
    };
    return {
      choices,
      env: found.at(-1)?.env ?? io.env,
      keep: found.flatMap(({ keep }) => keep),
    };
  } finally {
    prompt.close();
  }
}

/** Asks a question until `read` throws no Failure, and returns what it made of the answer. */
type Ask = <T>(question: string, read: (answer: string) => T) => Promise<T>;

/** What questions are asked with. */
interface Asking {
  readonly ask: Ask;
  readonly prompt: Prompt;
  readonly root: string;
  readonly io: Io;
  /** The environment, with what was typed for earlier tenants. */
  readonly env: NodeJS.ProcessEnv;
}

function asker(prompt: Prompt, io: Io): Ask {
  return async (question, read) => {
    for (;;) {
      const answer = await prompt.ask(question);
      if (answer === null) {
        // The question is still on the line.
        io.stderr.write('\n');
        throw interruption('Interrupted. Nothing was written.');
      }
      try {
        return read(answer);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        io.stderr.write(`${printable(error.message)}\n`);
      }
    }
  };
}

interface AskedTenant extends Pick<Setup, 'env' | 'keep'> {
  readonly tenant: NewTenant;
}

/** Asks for tenants, in the order in which changes go to them; none: the embedded tenant. */
async function askForTenants(given: Given, asking: Asking): Promise<readonly AskedTenant[]> {
  const known = givenTenants(given);
  if (known.length > 1) return askForEach(known, asking);
  const kinds = ['sandbox', 'tenant'] as const;
  if (known.length === 0) {
    const kind = await asking.ask('An embedded sandbox for trials, or a tenant? [sandbox] ', oneOf(kinds));
    if (kind === 'sandbox') return [];
  }
  const first = await askForTenant(known[0] ?? { name: environmentName }, usualNames(), asking);
  const others = await askForOthers(first, asking);
  if (others.length === 0) return [first];
  const taken = others.map(({ tenant }) => tenant.name);
  const name = await asking.ask('And the name of the first one: [test] ', newName(taken, 'test'));
  return [{ ...first, tenant: { ...first.tenant, name } }, ...others];
}

async function askForEach(known: readonly GivenTenant[], asking: Asking): Promise<readonly AskedTenant[]> {
  const asked: AskedTenant[] = [];
  for (const each of known) {
    asking.io.stderr.write(`${each.name}:\n`);
    const env = asked.at(-1)?.env ?? asking.env;
    asked.push(await askForTenant(each, usualNames(each.name), { ...asking, env }));
  }
  return asked;
}

/** Asks for the tenants that get what the first one has proven. */
async function askForOthers({ env }: AskedTenant, asking: Asking): Promise<readonly AskedTenant[]> {
  const others: AskedTenant[] = [];
  for (;;) {
    const taken = others.map(({ tenant }) => tenant.name);
    const question =
      taken.length === 0
        ? 'Another tenant, which gets what was tested in this one? Its name, such as production, or - for none: [-] '
        : 'Another one? Its name, or - for none: [-] ';
    const name = await asking.ask(question, newName(taken, '-'));
    if (name === '-') return others;
    const known = { ...asking, env: others.at(-1)?.env ?? env };
    others.push(await askForTenant({ name }, usualNames(name), known));
  }
}

/** Reads the name of an environment that is not there yet. */
function newName(taken: readonly string[], preset: string): (answer: string) => string {
  return (answer) => {
    const name = answer === '' ? preset : answer;
    if (name === preset ? !taken.includes(name) : isPlainName(name) && !taken.includes(name)) return name;
    throw failure('usage', 'Please give a new name of letters, digits, dots, dashes and underscores.');
  };
}

type UsualNames = Pick<NewTenant, 'clientId' | 'clientSecret'>;

/** Asks for a tenant and its credentials until they work, or somebody goes on without. */
async function askForTenant(
  known: Partial<GivenTenant> & Pick<GivenTenant, 'name'>,
  names: UsualNames,
  asking: Asking,
): Promise<AskedTenant> {
  let tenant = await askForAddresses(known, names, asking);
  for (;;) {
    const { env, typed } = await askForCredentials(tenant, asking);
    try {
      const survey = await surveyWith(tenant, { ...asking, env });
      if (survey) printSurvey(survey, tenant, asking.io);
      const keep = survey && typed.length > 0 ? await askToKeep(typed, asking) : [];
      return { tenant: { ...tenant, survey }, env, keep };
    } catch (error) {
      if (!(error instanceof Failure) || asking.io.signal.aborted) throw error;
      printProblems(error, asking.io);
    }
    const next = ['again', 'unchecked'] as const;
    const question = 'Answer the questions again, or go on unchecked and without an export? [again] ';
    if ((await asking.ask(question, oneOf(next))) === 'unchecked')
      return { tenant, env: asking.env, keep: [] };
    tenant = await askForAddresses({ name: tenant.name }, tenant, asking);
  }
}

/** @param before the answers to offer, where somebody is asked again */
async function askForAddresses(
  { name, identity, profiles }: Partial<GivenTenant> & Pick<GivenTenant, 'name'>,
  before: UsualNames & Partial<NewTenant>,
  { ask }: Asking,
): Promise<NewTenant> {
  const showOffer = (text: string | null | undefined) => (text ? ` [${text}]` : '');
  const services =
    identity === undefined
      ? {
          identity: await ask(`Base URL of the identity service:${showOffer(before.identity)} `, (answer) =>
            baseUrl(answer || before.identity || ''),
          ),
          profiles: await ask(
            `Base URL of the profile-management service, or - for none:${showOffer(before.profiles ?? '-')} `,
            (answer) => optionalUrl(answer || before.profiles || '-'),
          ),
        }
      : { identity, profiles: profiles ?? null };
  return {
    name,
    ...services,
    clientId: await ask(
      `Environment variable with the client id: [${before.clientId}] `,
      variableName(before.clientId),
    ),
    clientSecret: await ask(
      `Environment variable with the client secret: [${before.clientSecret}] `,
      variableName(before.clientSecret),
    ),
    survey: null,
  };
}

const optionalUrl = (answer: string) => (answer === '-' ? null : baseUrl(answer));

/** Reads the name of an environment variable. The Failure does not repeat the answer, which may be the secret itself. */
function variableName(preset: string): (answer: string) => string {
  return (answer) => {
    if (answer === '') return preset;
    if (/^[A-Z][A-Z0-9_]{0,63}$/.test(answer) && !looksLikeCredential(answer)) return answer;
    throw failure(
      'usage',
      'Please give the name of a variable, in capital letters. Its value belongs in no file of the project.',
    );
  };
}

/** Asks for the credentials that are not set. They are kept in memory only. */
async function askForCredentials(
  { clientId, clientSecret }: NewTenant,
  { prompt, root, env: before }: Asking,
): Promise<{ readonly env: NodeJS.ProcessEnv; readonly typed: readonly string[] }> {
  const values = valuesIn(root, { env: before });
  let env = before;
  const typed: string[] = [];
  for (const name of new Set([clientId, clientSecret])) {
    if (values.problem(name) === null) continue;
    const question = `${name} is not set. Type its value, which is not shown, or nothing to go on without it: `;
    const value = await prompt.askHidden(question);
    if (value === null) throw interruption('Interrupted. Nothing was written.');
    if (value === '') return { env: before, typed: [] };
    env = { ...env, [name]: value };
    typed.push(name);
  }
  return { env, typed };
}

async function askToKeep(typed: readonly string[], { ask }: Asking): Promise<readonly string[]> {
  const question = `Keep ${typed.join(' and ')} in .env for further runs? Git ignores it, and only you can read it. [yes] `;
  const answers = ['yes', 'no'] as const;
  return (await ask(question, oneOf(answers))) === 'yes' ? typed : [];
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
