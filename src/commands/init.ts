import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { presetsOfHosts, type Survey, surveyTenant } from '../engine/survey.ts';
import { builtInKinds } from '../kinds/index.ts';
import { isOnlyReferredTo } from '../kinds/kind.ts';
import { readBaseUrl } from '../loader/connection.ts';
import { loadEnvironment, valuesIn } from '../loader/index.ts';
import { isPlainName } from '../loader/selection.ts';
import { isRefusedKey } from '../loader/tree.ts';
import { ExitCode, Failure, fail, interruption } from '../model/failure.ts';
import { shellWord } from '../report/plan.ts';
import { oneLine, printable } from '../report/safe.ts';
import { describeSetting } from './check.ts';
import { commonOptions, describeCommand, option } from './command.ts';
import {
  chooseRoute,
  deploymentName,
  readPipelineFacts,
  writePipelines,
  writtenRoute,
} from './init/pipelines.ts';
import {
  type Choices,
  environmentName,
  example,
  fill,
  type NewTenant,
  projectFiles,
  projectText,
  usualNames,
  writeFiles,
} from './init/project-file.ts';
import { type Io, isInteractive, openPrompt, printNote } from './io.ts';
import { reportFailure } from './output.ts';
import { withProgress } from './progress.ts';

const options = {
  dir: { ...option.argument('The folder of the project'), default: '.' },
  yes: option.flag('Do not ask. Use options and defaults'),
  trace: commonOptions.trace,
  identity: {
    ...option.list(
      "Base URL of the tenant's identity service. For several tenants, give it once for each, as NAME=URL, in the order in which changes go to them. Default: an embedded tenant for trials",
    ),
    nargs: 1,
  },
  profiles: {
    ...option.list(
      "Base URL of the tenant's profile-management service. For several tenants, give it once for each, as NAME=URL",
    ),
    nargs: 1,
  },
  from: {
    ...option.text(
      'Start with the examples or with an export. Default: an export of the tenant, if there is one',
    ),
    choices: ['examples', 'export'],
  },
  pipelines: {
    ...option.text('CI systems to write a pipeline for'),
    choices: ['github', 'gitlab', 'both', 'none'],
  },
  promote: {
    ...option.list(
      'Write pipelines that apply to one selection of environments (NAME or @GROUP), and then apply to a second one what the first has proven. Default with several tenants: the first, then the others',
    ),
    nargs: 2,
  },
} as const;

export const command = describeCommand({
  usage:
    '$0 init [DIR] [options]\n\nStarts a project: project file, manifests, package.json with this version, editor settings, pipelines. Keeps existing files. It only adds lines to .gitignore and itself to package.json, and updates its own schemas, and pipelines that nobody has edited.',
  options,
  examples: {
    '$0 init': 'Ask on a terminal. Without one, use an embedded tenant and the examples',
    '$0 init --identity https://acme.api.example.com':
      'Start from a tenant: find out what it needs, and export it',
    '$0 init --identity test=https://… --identity production=https://…':
      'Two tenants, and pipelines that apply to production what was tested',
    '$0 init --identity us-2=https://…':
      'Add a tenant to an existing project, as environments/us-2.yaml, and to its pipelines',
    '$0 init --promote test @production': 'Such pipelines for an existing project',
  },
}).run(async (args, io) => {
  const named = givenTenants(args);
  // `--identity a=https://… b=https://…` names one tenant and a folder: each tenant needs an option of its own.
  if (/^([^/]*=)?https?:/i.test(args.dir))
    throw fail('usage', `"${args.dir}" is a URL, but this argument is the folder of the project.`, {
      hint: 'Name a tenant with --identity https://…, or several by repeating the option: --identity test=https://… --identity production=https://…',
    });
  const root = resolve(io.cwd, args.dir);
  const isNew = !existsSync(join(root, 'tenantctl.yaml'));
  const [from, to] = args.promote;
  const asked = from === undefined || to === undefined ? null : ([from, to] as const);
  if (asked && isNew)
    throw fail('usage', '--promote takes environments of an existing project.', {
      hint: 'For a new project, name its tenants with --identity NAME=URL, in the order in which changes go to them.',
    });
  const there = isNew ? null : writtenRoute(root);
  // Reports mistakes of an existing project before a question is asked or a file is written.
  const given = args.identity.length > 0 ? null : asked;
  const known = isNew
    ? null
    : readPipelineFacts(root, io.env, given ?? there, given ? '--promote' : undefined);
  const choices = await makeChoices(named, args, { root, known }, io);
  const added = isNew ? [] : choices.tenants;
  const before = asked ?? there;
  const { route, joined } = chooseRoute(root, before, choices, known);

  const written = writeFiles(root, projectFiles(choices, root));
  // The manifests of an existing project are not added to.
  const exported = choices.from === 'export' && isNew ? await exportTenant(choices, root, io) : null;
  const facts = readPipelineFacts(root, io.env, route);
  // Adding a tenant to a project without pipelines adds no pipeline.
  const onlyExisting = added.length > 0 && args.pipelines === undefined && !asked;
  const made = writePipelines(root, choices.pipelines, facts, onlyExisting);

  const notes = [...written, ...made.notes];
  io.stdout.write(notes.map(({ path, what }) => `${what.padEnd(8)}  ${path}\n`).join(''));
  const unused = isNew ? [] : named.filter(({ name }) => !added.some((tenant) => tenant.name === name));
  for (const { name } of unused)
    io.stdout.write(
      `\nThe project has the environment ${name}. Change its base URLs in the file, or add another one with --identity NAME=URL.\n`,
    );
  const steps = nextSteps({ choices, isNew, exported, facts, before, joined, root, written, ...made }, io);
  io.stdout.write(`\nNext:\n${steps.replaceAll(/^(?=.)/gm, '  ')}`);
  return exported ?? ExitCode.done;
});

/** Exports what could be read from the last tenant, and returns the exit code; `null` if nothing was read. */
async function exportTenant({ tenants }: Choices, root: string, io: Io): Promise<ExitCode | null> {
  const tenant = tenants.at(-1);
  if (tenant?.survey === null) return null;
  const left = tenant?.survey.left.map(({ kind }) => kind) ?? [];
  const kinds = builtInKinds.all
    .filter((kind) => !left.includes(kind) && !isOnlyReferredTo(kind))
    .map(({ name }) => name);
  const { exportToNewFiles } = await import('./export.ts');
  const env = tenant ? [tenant.name] : [];
  const place = { config: join(root, 'tenantctl.yaml'), env, out: join(root, 'config') };
  try {
    const args = { ...place, kinds, only: [], except: [] };
    return await exportToNewFiles(args, { ...io, stdout: io.stderr });
  } catch (error) {
    return reportFailure(error, [], io);
  }
}

type PipelineFacts = ReturnType<typeof readPipelineFacts>;

interface InitResult extends ReturnType<typeof writePipelines> {
  readonly choices: Choices;
  readonly isNew: boolean;
  /** The exit code of the export; `null`: there was none. */
  readonly exported: ExitCode | null;
  readonly facts: PipelineFacts;
  /** The route of the pipelines before new tenants joined it. */
  readonly before: ReturnType<typeof writtenRoute>;
  /** The new tenants that pipelines apply to from now on. */
  readonly joined: readonly string[];
  readonly root: string;
  /** The files of the project without its pipelines. */
  readonly written: ReturnType<typeof writeFiles>;
}

/** The next commands, and further steps as comments. */
function nextSteps(
  { choices, isNew, exported, facts, before, joined, root, written, notes, jobs }: InitResult,
  { cwd }: Pick<Io, 'cwd'>,
): string {
  const { hasManifests, hosts, needsEnvironment, stages, isEmbedded } = facts;
  const [first, next] = stages;
  const isWritten = notes.some(({ what }) => what === 'created');
  const lacksManifests = !isNew && !hasManifests && hosts.length > 0;
  // The last of several tenants has the state to keep.
  const several = isNew ? choices.tenants.map(({ name }) => name) : (next?.environments ?? []);
  const last = several.at(-1) ?? (needsEnvironment ? first.selection : undefined);
  const isNamed = last !== undefined && (!isNew || several.length > 1);
  const added = isNew ? [] : choices.tenants;
  const ofAdded = added.flatMap(({ clientId, clientSecret }) => [clientId, clientSecret]);
  const covered = stages.flatMap((stage) => stage?.environments ?? []);
  const planned = added.map(({ name }) => name);
  if (planned.length === 0 && next) planned.push(first.selection, next.selection);
  else if (planned.length === 0 && needsEnvironment) planned.push("'*'");
  // Empty if it is the current one.
  const folder = relative(cwd, root);
  return fill(example('init/next-steps.txt'), {
    folder: folder && shellWord(folder),
    byHand: written.flatMap(({ byHand }) => byHand || []),
    needsLock: !existsSync(join(root, 'package-lock.json')),
    jobs,
    needsHosts: isWritten && hosts.length === 0,
    isGuessed: isWritten && needsEnvironment && !next,
    environment: first.selection,
    neighbours: before?.at(-1) ?? first.selection,
    // The embedded tenant needs no credentials, and the secrets of the examples are for another environment.
    unset: facts.unset.filter((name) => (added.length === 0 ? !isEmbedded : ofAdded.includes(name))),
    hasManifests,
    added: added.map(({ name, clientId, clientSecret }) => ({
      name,
      isUncovered: notes.length > 0 && !covered.includes(name),
      isCovered: notes.length > 0 && covered.includes(name),
      isJoined: joined.includes(name),
      deployment:
        next && first.environments.includes(name)
          ? deploymentName(first, 'test')
          : deploymentName(next, 'production'),
      secrets: `${clientId} and ${clientSecret}`,
    })),
    needsExport: exported !== ExitCode.done && (choices.from === 'export' || lacksManifests),
    // Without --merge, the export would declare the objects of existing manifests again, and without --all export no others.
    exportOptions: `${isNamed ? ` -e ${last}` : ''}${hasManifests ? ' --merge --all' : ''}`,
    planOptions: planned.map((selection) => ` -e ${selection}`).join(''),
  });
}

type GivenTenant = Pick<NewTenant, 'name' | 'identity' | 'profiles'>;

const namesHint = 'For example: --identity test=https://… --identity production=https://…';

function givenTenants({ identity, profiles }: Readonly<Record<'identity' | 'profiles', readonly string[]>>) {
  const services = identity.map((text) => namedUrl(text, '--identity'));
  const others = new Map(profiles.map((text) => namedUrl(text, '--profiles')));
  const names = new Set(services.map(([name]) => name));
  if (names.size < services.length)
    throw fail('usage', 'With several tenants, each needs a name of its own.', { hint: namesHint });
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
 * @param named the tenants that options name
 * @param known `null` for a new project
 */
async function makeChoices(
  named: readonly GivenTenant[],
  given: { readonly [Name in 'from' | 'pipelines']: Choices[Name] | undefined } & { readonly yes: boolean },
  { root, known }: { readonly root: string; readonly known: PipelineFacts | null },
  io: Io,
): Promise<Choices> {
  const isNew = known === null;
  const prompt = given.yes || !isInteractive(io) ? null : openPrompt(io);
  const ask = asker(prompt, io);
  try {
    const wanted =
      isNew && named.length === 0
        ? await askForTenants(ask)
        : named.filter(({ name }) => !known?.all.environments.includes(name));
    const tenants: NewTenant[] = [];
    for (const tenant of wanted) {
      const taken = [...(known?.variables ?? []), ...tenants.map(({ clientId }) => clientId)];
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
        given.pipelines ??
        (isTenant && !isNew ? 'both' : await ask(question, oneOf(options.pipelines.choices, 'both'))),
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

/** Asks for tenants, in the order in which changes go to them; none: the embedded tenant. */
async function askForTenants(ask: Ask): Promise<readonly GivenTenant[]> {
  const kindOfTenant = 'An embedded sandbox for trials, or a tenant? [sandbox] ';
  if ((await ask(kindOfTenant, oneOf(['sandbox', 'tenant']))) === 'sandbox') return [];
  const first = await askForAddresses(environmentName, ask);
  const others: GivenTenant[] = [];
  // It refuses the names that were given until the answer.
  const nameOther = newName(others, '-');
  const next =
    'Another tenant, for changes that were tested in this one? Its name, such as production, or - for none: [-] ';
  for (let name = await ask(next, nameOther); name !== '-'; ) {
    others.push(await askForAddresses(name, ask));
    name = await ask('Another one? Its name, or - for none: [-] ', nameOther);
  }
  if (others.length === 0) return [first];
  const preset = others.some(({ name }) => name === 'test') ? 'first' : 'test';
  const name = await ask(`And the name of the first one: [${preset}] `, newName(others, preset));
  return [{ ...first, name }, ...others];
}

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
  const text = projectText({ tenants: [tenant], from: 'export' });
  try {
    const project = loadEnvironment({ ...options, configFile, environment: tenant.name }, text);
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
