import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { presetsOfHosts, type Survey, surveyTenant } from '../../engine/survey.ts';
import type { Kind } from '../../kinds/kind.ts';
import { readBaseUrl } from '../../loader/connection.ts';
import { loadEnvironmentNames, loadUnwritten, valuesIn } from '../../loader/index.ts';
import { dotEnvName } from '../../loader/inputs.ts';
import { requireInside } from '../../loader/paths.ts';
import { isPlainName } from '../../loader/selection.ts';
import { isRefusedKey } from '../../loader/tree.ts';
import { Failure, fail, interruption, systemCode, unwritableFile } from '../../model/failure.ts';
import { looksLikeCredential } from '../../model/sensitive.ts';
import { oneLine, printable } from '../../report/safe.ts';
import { describeSetting } from '../check.ts';
import { readIfThere } from '../files.ts';
import { type Io, isInteractive, openPrompt, printNote } from '../io.ts';
import { printDiagnostics } from '../output.ts';
import { withProgress } from '../progress.ts';
import { namesUsed } from './pipelines.ts';
import {
  type Choices,
  environmentName,
  type NewTenant,
  type Note,
  pipelines,
  projectText,
  usualNames,
} from './project-file.ts';

/** The choices made by options. */
interface TenantArgs {
  /** A base URL, or several as `NAME=URL`. */
  readonly identity: readonly string[];
  readonly profiles: readonly string[];
  readonly from: Choices['from'] | undefined;
  readonly pipelines: Choices['pipelines'] | undefined;
}

type GivenTenant = Pick<NewTenant, 'name' | 'identity' | 'profiles'>;
type Credentials = Pick<NewTenant, 'clientId' | 'clientSecret'>;

const namesHint = 'For example: --identity test=https://… --identity production=https://…';

/** The tenants that options name. Throws a Failure for what a project cannot have. */
export function givenTenants({ identity, profiles }: TenantArgs): readonly GivenTenant[] {
  const services = identity.map((text) => namedUrl(text, '--identity'));
  const others = profiles.map((text) => namedUrl(text, '--profiles'));
  const isOne = services.length === 1;
  const names = services.map(({ name }) => name ?? (isOne ? environmentName : ''));
  if (services.length === 0 && others.length > 0) {
    throw fail('usage', 'A tenant needs the base URL of its identity service.', {
      hint: 'Add it with --identity.',
    });
  }
  if (new Set(names).size < names.length || names.includes(''))
    throw fail('usage', 'With several tenants, each needs a name.', { hint: namesHint });
  const refused = names.find((name) => isRefusedKey(name));
  if (refused !== undefined)
    throw fail('usage', `An environment cannot be named ${refused}.`, { hint: namesHint });
  const stray = others.find(({ name }) => !names.includes(name ?? (isOne ? (names[0] ?? '') : '')));
  if (stray) {
    const message = `--profiles ${stray.name ?? ''} has no --identity of that name.`;
    throw fail('usage', message, { hint: namesHint });
  }
  return services.map(({ url }, at) => {
    const name = names[at] ?? '';
    const own = others.find((other) => other.name === name || (isOne && other.name === null));
    return { name, identity: url, profiles: own?.url ?? null };
  });
}

/** Reads `URL` or `NAME=URL`. */
function namedUrl(text: string, option: string): { readonly name: string | null; readonly url: string } {
  const [, name, url] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63})=(.*)$/s.exec(text) ?? [];
  return { name: name ?? null, url: baseUrl(url ?? text, option) };
}

/** Checks the base URL of a service. The Failure does not contain the text, which may hold a password. */
function baseUrl(text: string, name = 'The address'): string {
  const read = readBaseUrl(text);
  if ('url' in read) return text;
  throw fail('invalid-url', `${name} cannot be used: ${read.problem}.`, {
    hint: 'For example: https://acme.api.example.com',
  });
}

interface Setup {
  readonly choices: Choices;
  /** The environment, and the credentials that somebody typed. */
  readonly env: NodeJS.ProcessEnv;
  /** The names of typed credentials to keep in `.env`. */
  readonly keep: readonly string[];
}

interface Asking {
  /** Asks a question until `read` accepts the answer, and returns its value. */
  readonly ask: <T>(question: string, read: (answer: string) => T) => Promise<T>;
  /** `null`: no questions; every answer is the default. */
  readonly prompt: ReturnType<typeof openPrompt> | null;
  readonly root: string;
  readonly io: Io;
  /** The environment, with what was typed so far. */
  env: NodeJS.ProcessEnv;
  readonly keep: string[];
}

/**
 * Decides what a project contains: by options, and if somebody can answer, by questions on stderr. A tenant whose credentials are
 * known is read. Throws a Failure (exit 130) at the end of the input.
 */
export async function makeSetup(
  given: TenantArgs & { readonly yes: boolean },
  { root, isNew }: { readonly root: string; readonly isNew: boolean },
  io: Io,
): Promise<Setup> {
  const prompt = given.yes || !isInteractive(io) ? null : openPrompt(io);
  const ask = asker(prompt, io);
  const asking: Asking = { ask, prompt, root, io, env: io.env, keep: [] };
  try {
    const tenants = await (isNew ? askForTenants : askForAdded)(given, asking);
    const isTenant = isNew ? tenants.length > 0 : given.identity.length > tenants.length;
    const isAdding = !isNew && tenants.length > 0;
    const question = 'A pipeline for github, gitlab, both or none? [both] ';
    const choices = {
      tenants,
      // A tenant has objects of its own; the examples fit the embedded one.
      from: given.from ?? (isTenant ? 'export' : 'examples'),
      // A new tenant joins the existing pipelines.
      pipelines: given.pipelines ?? (isAdding ? 'both' : await ask(question, oneOf(pipelines, 'both'))),
    } as const;
    return { choices, env: asking.env, keep: asking.keep };
  } finally {
    prompt?.close();
  }
}

function asker(prompt: Asking['prompt'], io: Io): Asking['ask'] {
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

/** Asks for tenants, in the order in which changes go to them; none: the embedded tenant. */
async function askForTenants(given: TenantArgs, asking: Asking): Promise<readonly NewTenant[]> {
  const known = givenTenants(given);
  const { ask, prompt, io } = asking;
  const kindOfTenant = 'An embedded sandbox for trials, or a tenant? [sandbox] ';
  if (known.length === 0 && (await ask(kindOfTenant, oneOf(['sandbox', 'tenant']))) === 'sandbox') return [];

  const tenants: NewTenant[] = [];
  const add = async (tenant: Partial<GivenTenant> & Pick<GivenTenant, 'name'>, prefix?: string) => {
    const taken = tenants.map(({ clientId }) => clientId);
    tenants.push(await askForTenant(tenant, usualNames(prefix, taken), asking));
  };
  if (known.length > 1) {
    for (const tenant of known) {
      if (prompt) io.stderr.write(`${tenant.name}:\n`);
      await add(tenant, tenant.name);
    }
    return tenants;
  }
  await add(known[0] ?? { name: environmentName });
  const namesBelow = () => tenants.slice(1).map(({ name }) => name);
  for (;;) {
    const question =
      tenants.length === 1
        ? 'Another tenant, for changes that were tested in this one? Its name, such as production, or - for none: [-] '
        : 'Another one? Its name, or - for none: [-] ';
    const name = await ask(question, newName(namesBelow(), '-'));
    if (name === '-') break;
    await add({ name }, name);
  }
  const [first, ...others] = tenants;
  if (!first || others.length === 0) return tenants;
  const preset = namesBelow().includes('test') ? 'first' : 'test';
  const name = await ask(`And the name of the first one: [${preset}] `, newName(namesBelow(), preset));
  return [{ ...first, name }, ...others];
}

/** The tenants whose names are new to an existing project. Its project file has the others. */
async function askForAdded(given: TenantArgs, asking: Asking): Promise<readonly NewTenant[]> {
  const { root, io } = asking;
  const configFile = join(root, 'tenantctl.yaml');
  if (given.identity.length === 0) return [];
  const { environments } = loadEnvironmentNames({ configFile, env: io.env });
  const added = givenTenants(given).filter(
    ({ name }) => given.identity.some((text) => text.startsWith(`${name}=`)) && !environments.includes(name),
  );
  const tenants: NewTenant[] = [];
  for (const tenant of added) {
    const taken = [...namesUsed(root), ...tenants.map(({ clientId }) => clientId)];
    tenants.push(await askForTenant(tenant, usualNames(tenant.name, taken), asking));
  }
  return tenants;
}

/** Reads the name of an environment that is not there yet. */
function newName(taken: readonly string[], preset: string): (answer: string) => string {
  return (answer) => {
    const name = answer === '' ? preset : answer;
    const isName = isPlainName(name) && name.length <= 64 && !isRefusedKey(name);
    if (!taken.includes(name) && (name === preset || isName)) return name;
    throw fail('usage', 'Please give a new name of letters, digits, dots, dashes and underscores.');
  };
}

async function askForTenant(
  known: Partial<GivenTenant> & Pick<GivenTenant, 'name'>,
  names: Credentials,
  asking: Asking,
): Promise<NewTenant> {
  const { ask, prompt, io, env } = asking;
  let tenant = await askForAddresses(known, names, asking);
  for (;;) {
    const typed = await askForCredentials(tenant, asking);
    try {
      const survey = await surveyWith(tenant, asking);
      const toKeep = `Keep ${typed.join(' and ')} in .env for further runs? Git ignores it, and only you can read it. [yes] `;
      if (survey && typed.length > 0 && (await ask(toKeep, oneOf(['yes', 'no']))) === 'yes')
        asking.keep.push(...typed);
      return { ...tenant, survey };
    } catch (error) {
      if (!(error instanceof Failure) || io.signal.aborted || !prompt) throw error;
      printDiagnostics(error.diagnostics, io);
    }
    asking.env = env;
    const question = 'Answer the questions again, or continue without a check and an export? [again] ';
    if ((await ask(question, oneOf(['again', 'unchecked']))) === 'unchecked') return tenant;
    tenant = await askForAddresses({ name: tenant.name }, tenant, asking);
  }
}

/** @param before the answers to offer, if somebody is asked again */
async function askForAddresses(
  { name, identity, profiles }: Partial<GivenTenant> & Pick<GivenTenant, 'name'>,
  before: Credentials & Partial<NewTenant>,
  { ask }: Asking,
): Promise<NewTenant> {
  const askForUrl = <T>(question: string, preset: string, read: (url: string) => T) =>
    ask(`${question}:${preset === '' ? '' : ` [${preset}]`} `, (answer) => read(answer || preset));
  const askForVariable = (what: string, preset: string) =>
    ask(`Environment variable with the client ${what}: [${preset}] `, (answer) => {
      if (answer === '') return preset;
      if (/^[A-Z][A-Z0-9_]{0,63}$/.test(answer) && !looksLikeCredential(answer)) return answer;
      // The answer is not repeated: it may be the secret itself.
      throw fail(
        'usage',
        'Please give the name of a variable, in capital letters. Its value does not belong in a file of the project.',
      );
    });
  return {
    name,
    identity:
      identity ??
      (await askForUrl('Base URL of the identity service', before.identity ?? '', (url) => baseUrl(url))),
    profiles: identity
      ? (profiles ?? null)
      : await askForUrl(
          'Base URL of the profile-management service, or - for none',
          before.profiles ?? '-',
          (url) => (url === '-' ? null : baseUrl(url)),
        ),
    clientId: await askForVariable('id', before.clientId),
    clientSecret: await askForVariable('secret', before.clientSecret),
    survey: null,
  };
}

/** Asks for the credentials that are not set, which are kept in memory only. Returns the names of those that were typed. */
async function askForCredentials(
  { clientId, clientSecret }: NewTenant,
  asking: Asking,
): Promise<readonly string[]> {
  const { prompt, root, env } = asking;
  const values = valuesIn(root, { env });
  const missing = [...new Set([clientId, clientSecret])].filter((name) => values.problem(name) !== null);
  if (!prompt) return [];
  const typed: [name: string, value: string][] = [];
  for (const name of missing) {
    const question = `${name} is not set. Type its value (it is not shown), or press Enter to continue without it: `;
    const value = await prompt.askHidden(question);
    if (value === null) throw interruption('Interrupted. Nothing was written.');
    if (value === '') return [];
    typed.push([name, value]);
  }
  asking.env = { ...env, ...Object.fromEntries(typed) };
  return typed.map(([name]) => name);
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
 * Reads the tenant of a new project and says on stderr what it has. `null` if its credentials are not set. Throws a Failure if
 * they or an address are wrong, with the tenant's message.
 */
async function surveyWith(tenant: NewTenant, { root, env, io }: Asking): Promise<Survey | null> {
  const options = { env, onSecret: (text: string) => io.redactor.learn(text) };
  const values = valuesIn(root, options);
  if ([tenant.clientId, tenant.clientSecret].some((name) => values.problem(name) !== null)) return null;
  const configFile = join(root, 'tenantctl.yaml');
  const text = projectText({ tenants: [tenant], from: 'export', pipelines: 'none' });
  try {
    const project = loadUnwritten(text, { ...options, configFile, environment: tenant.name });
    const survey = await withProgress(io, (tenant) => surveyTenant(project, tenant));
    printSurvey(survey, tenant, io);
    return survey;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Nobody has seen the project file with these places yet.
    const placeless = error.diagnostics.map(({ source: _, excerpt: __, ...rest }) => rest);
    throw new Failure(placeless, error.exitCode);
  }
}

/** Says what was found, what was detected, and what the export will leave out. */
function printSurvey({ found, left, detected }: Survey, { identity, profiles }: NewTenant, io: Io): void {
  const counts = found.map(({ kind, count }) => `${count} ${nameOf(kind, count)}`);
  const lines = [
    `Signed in to ${identity}. Found: ${counts.join(', ')}.`,
    ...[...presetsOfHosts({ identity, profiles }), ...detected].map(
      (setting) => `Detected: ${describeSetting(setting)}.`,
    ),
    ...left.map(({ problem }) => problem.message),
  ];
  for (const line of lines) printNote(oneLine(line), io);
}

/** Returns `sender addresses` for SenderAddress. */
function nameOf({ name }: Kind, count: number): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  if (count === 1) return words;
  return /(?:s|ch)$/.test(words) ? `${words}es` : `${words}s`;
}

/** Saves typed credentials in a new `.env`, or says why it could not. */
export function keepTyped({ keep, env }: Setup, root: string, io: Io): Note[] {
  if (keep.length === 0) return [];
  const problem = writeDotEnv(root, Object.fromEntries(keep.map((name) => [name, env[name] ?? ''])));
  if (problem === null) return [{ path: '.env', what: 'created' }];
  printNote(`The credentials were not kept in .env: ${problem}.`, io);
  return [];
}

/**
 * Writes a new `.env` for this user alone. Returns why not: it exists, git does not ignore it, or a value does not fit its format.
 */
function writeDotEnv(root: string, values: Readonly<Record<string, string>>): string | null {
  const ignored = (readIfThere(join(root, '.gitignore')) ?? '').split('\n').map((line) => line.trim());
  // Later lines win.
  const isTakenBack = ignored
    .slice(ignored.lastIndexOf('.env') + 1)
    .some((line) => line.startsWith('!') && /env|\*/.test(line));
  if (!ignored.includes('.env') || isTakenBack) return '.gitignore does not cover it';
  const lines = Object.entries(values).map(([name, value]) => {
    const quote = ["'", '"', '`'].find((each) => !value.includes(each)) ?? '';
    return `${name}=${quote}${value}${quote}\n`;
  });
  const text = lines.join('');
  const read = parseEnv(text);
  if (Object.entries(values).some(([name, value]) => read[name] !== value))
    return 'a value does not fit its format';
  requireInside(root, dotEnvName);
  try {
    writeFileSync(join(root, dotEnvName), text, { flag: 'wx', mode: 0o600 });
    return null;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return 'it exists already';
    throw unwritableFile(join(root, dotEnvName), error);
  }
}
