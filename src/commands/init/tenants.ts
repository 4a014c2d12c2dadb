import { join } from 'node:path';
import { presetsOfHosts, type Survey, surveyTenant } from '../../engine/survey.ts';
import { readBaseUrl } from '../../loader/connection.ts';
import { loadEnvironmentNames, loadUnwritten, valuesIn } from '../../loader/index.ts';
import { isPlainName } from '../../loader/selection.ts';
import { isRefusedKey } from '../../loader/tree.ts';
import { Failure, fail, interruption } from '../../model/failure.ts';
import { oneLine, printable } from '../../report/safe.ts';
import { describeSetting } from '../check.ts';
import { type Io, isInteractive, openPrompt, printNote } from '../io.ts';
import { withProgress } from '../progress.ts';
import { namesUsed } from './pipelines.ts';
import {
  type Choices,
  environmentName,
  type NewTenant,
  pipelines,
  projectText,
  usualNames,
} from './project-file.ts';

type GivenTenant = Pick<NewTenant, 'name' | 'identity' | 'profiles'>;

const namesHint = 'For example: --identity test=https://… --identity production=https://…';

/** The tenants that options name. Throws a Failure for what a project cannot have. */
export function givenTenants({
  identity,
  profiles,
}: Readonly<Record<'identity' | 'profiles', readonly string[]>>): readonly GivenTenant[] {
  const services = identity.map((text) => namedUrl(text, '--identity'));
  const others = new Map(profiles.map((text) => namedUrl(text, '--profiles')));
  const names = new Set(services.map(([name]) => name));
  if (names.size < services.length)
    throw fail('usage', 'With several tenants, each needs a name.', { hint: namesHint });
  const refused = [...names].find(isRefusedKey);
  if (refused !== undefined)
    throw fail('usage', `An environment cannot be named ${refused}.`, { hint: namesHint });
  const stray = [...others.keys()].find((name) => !names.has(name));
  if (stray !== undefined) {
    const message = `A tenant needs the base URL of its identity service: --profiles ${stray} has no --identity of that name.`;
    throw fail('usage', message, { hint: namesHint });
  }
  return services.map(([name, url]) => ({ name, identity: url, profiles: others.get(name) ?? null }));
}

/** Reads `URL` or `NAME=URL`. */
function namedUrl(text: string, option: string): readonly [name: string, url: string] {
  const [, name = environmentName, url = text] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63})=(.*)$/s.exec(text) ?? [];
  return [name, baseUrl(url, option)];
}

/** Checks the base URL of a service. The Failure does not contain the text, which may hold a password. */
function baseUrl(text: string, name = 'The address'): string {
  const read = readBaseUrl(text);
  if ('url' in read) return text;
  throw fail('invalid-url', `${name} cannot be used: ${read.problem}.`, {
    hint: 'For example: https://acme.api.example.com',
  });
}

/** Asks a question until `read` accepts the answer, and returns its value. */
type Ask = <T>(question: string, read: (answer: string) => T) => Promise<T>;

/**
 * Decides what a project contains: by options, and if somebody can answer, by questions on stderr. A tenant whose credentials are
 * set is read. Throws a Failure (exit 130) at the end of the input.
 *
 * @param known the tenants that options name
 */
export async function makeChoices(
  known: readonly GivenTenant[],
  given: { readonly [Name in 'from' | 'pipelines']: Choices[Name] | undefined } & { readonly yes: boolean },
  { root, isNew }: { readonly root: string; readonly isNew: boolean },
  io: Io,
): Promise<Choices> {
  const prompt = given.yes || !isInteractive(io) ? null : openPrompt(io);
  const ask = asker(prompt, io);
  try {
    const wanted = isNew ? await askForTenants(known, ask) : missingTenants(known, root, io);
    const tenants: NewTenant[] = [];
    for (const tenant of wanted) {
      const taken = [...namesUsed(root), ...tenants.map(({ clientId }) => clientId)];
      const names = usualNames(isNew && wanted.length === 1 ? undefined : tenant.name, taken);
      const unread = { ...tenant, ...names, survey: null };
      tenants.push({ ...unread, survey: await survey(unread, root, io) });
    }
    const isTenant = tenants.length > 0;
    const question = 'A pipeline for github, gitlab, both or none? [both] ';
    return {
      tenants,
      // A tenant has objects of its own; the examples fit the embedded one.
      from: given.from ?? (isNew && isTenant ? 'export' : 'examples'),
      // A new tenant joins the existing pipelines.
      pipelines:
        given.pipelines ?? (isTenant && !isNew ? 'both' : await ask(question, oneOf(pipelines, 'both'))),
    };
  } finally {
    prompt?.close();
  }
}

/** Without a prompt, every answer is the default. */
function asker(prompt: ReturnType<typeof openPrompt> | null, io: Io): Ask {
  return async (question, read) => {
    if (!prompt) return read('');
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

/** Asks for tenants, in the order in which changes go to them; none: the embedded tenant. Not if options name them. */
async function askForTenants(known: readonly GivenTenant[], ask: Ask): Promise<readonly GivenTenant[]> {
  if (known.length > 0) return known;
  const kindOfTenant = 'An embedded sandbox for trials, or a tenant? [sandbox] ';
  if ((await ask(kindOfTenant, oneOf(['sandbox', 'tenant']))) === 'sandbox') return [];
  const first = await askForAddresses(environmentName, ask);
  const others: GivenTenant[] = [];
  const nameOther = () => newName(others, '-');
  const next =
    'Another tenant, for changes that were tested in this one? Its name, such as production, or - for none: [-] ';
  for (let name = await ask(next, nameOther()); name !== '-'; ) {
    others.push(await askForAddresses(name, ask));
    name = await ask('Another one? Its name, or - for none: [-] ', nameOther());
  }
  if (others.length === 0) return [first];
  const preset = others.some(({ name }) => name === 'test') ? 'first' : 'test';
  const name = await ask(`And the name of the first one: [${preset}] `, newName(others, preset));
  return [{ ...first, name }, ...others];
}

/** The tenants whose names are new to an existing project. */
function missingTenants(known: readonly GivenTenant[], root: string, { env }: Io): readonly GivenTenant[] {
  if (known.length === 0) return [];
  const { environments } = loadEnvironmentNames({ configFile: join(root, 'tenantctl.yaml'), env });
  return known.filter(({ name }) => !environments.includes(name));
}

/** Reads the name of an environment that is not there yet. */
function newName(taken: readonly GivenTenant[], preset: string): (answer: string) => string {
  return (answer) => {
    const name = answer === '' ? preset : answer;
    const isName = isPlainName(name) && name.length <= 64 && !isRefusedKey(name);
    if (!taken.some((tenant) => tenant.name === name) && (name === preset || isName)) return name;
    throw fail('usage', 'Please give a new name of letters, digits, dots, dashes and underscores.');
  };
}

async function askForAddresses(name: string, ask: Ask): Promise<GivenTenant> {
  const identity = await ask('Base URL of the identity service: ', (answer) => baseUrl(answer));
  const profiles = await ask('Base URL of the profile-management service, or - for none: [-] ', (answer) =>
    answer === '' || answer === '-' ? null : baseUrl(answer),
  );
  return { name, identity, profiles };
}

/** Reads one of the words, or the beginning of only one. An empty answer gives the default. */
function oneOf<const T extends string>(
  words: readonly [T, ...T[]],
  preset: T = words[0],
): (answer: string) => T {
  return (answer) => {
    if (answer === '') return preset;
    const [only, ...others] = words.filter((word) => word.startsWith(answer.toLowerCase()));
    if (only !== undefined && others.length === 0) return only;
    throw fail('usage', `Please answer ${words.join(', ')}.`);
  };
}

/**
 * Reads the tenant of a new project and says on stderr what it has, which settings it needs, and what the export will leave out.
 * `null` if its credentials are not set. Throws a Failure if they or an address are wrong, with the tenant's message.
 */
async function survey(tenant: NewTenant, root: string, io: Io): Promise<Survey | null> {
  const options = { env: io.env, onSecret: (text: string) => io.redactor.learn(text) };
  const values = valuesIn(root, options);
  if ([tenant.clientId, tenant.clientSecret].some((name) => values.problem(name) !== null)) return null;
  const configFile = join(root, 'tenantctl.yaml');
  const text = projectText({ tenants: [tenant], from: 'export', pipelines: 'none' });
  try {
    const project = loadUnwritten(text, { ...options, configFile, environment: tenant.name });
    const survey = await withProgress(io, (tenant) => surveyTenant(project, tenant));
    const { found, left, detected } = survey;
    const lines = [
      `Signed in to ${tenant.identity}. Found: ${found.map(({ kind, count }) => `${count} ${kind.name}`).join(', ')}.`,
      ...[...presetsOfHosts(tenant), ...detected].map((each) => `Detected: ${describeSetting(each)}.`),
      ...left.map(({ problem }) => problem.message),
    ];
    for (const line of lines) printNote(oneLine(line), io);
    return survey;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Nobody has seen the project file with these places yet.
    const placeless = error.diagnostics.map(({ source: _, excerpt: __, ...rest }) => rest);
    throw new Failure(placeless, error.exitCode);
  }
}
