import { existsSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import picomatch from 'picomatch';
import {
  defaultLimits,
  defaultProject,
  type IdentityService,
  type Lint,
  type ProfileManagementService,
  type Environment as WrittenEnvironment,
  type Limits as WrittenLimits,
} from '../generated/schemas/project.ts';
import { validators } from '../generated/validators.js';
import { builtInKinds } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import {
  catalogOf,
  type Environment,
  globProblem,
  type Policy,
  presets,
  unknownKind,
} from '../kinds/project.ts';
import { percentDecoded } from '../model/address.ts';
import { groupBy, lazy } from '../model/basics.ts';
import { Failure, fail } from '../model/failure.ts';
import { get, isObject, itemsOf, type Json } from '../model/json.ts';
import { isFilledInLater } from '../model/marker.ts';
import { pointer, valueAt, withValueAt } from '../model/pointer.ts';
import { type ApiSettings, contractSettings, parseUrl } from '../model/tenant.ts';
import { didYouMean } from '../model/words.ts';
import { readConnection } from './connection.ts';
import { collectionTaken, holdersIn, readKinds } from './kind-files.ts';
import { readOverlays } from './overlay.ts';
import { openSingle } from './parse.ts';
import { isForeign, sideFilePath, statOf } from './paths.ts';
import { Problems, unresolved } from './problems.ts';
import { checkSchema, fittingPart } from './schema.ts';
import {
  type EnvironmentNames,
  nearEnvironment,
  selectEnvironments,
  unknownEnvironment,
} from './selection.ts';
import type { FileSource } from './source.ts';
import { noteIn, resolveNotes, tagNoter, tagReader } from './tags.ts';
import { findNode, type ReadTag, readTree } from './tree.ts';

const projectFileName = 'tenantctl.yaml';

/** Throws a Failure for a project file that does not exist. */
export function requireProjectFile(file: string): string {
  if (existsSync(file)) return file;
  throw fail('config-not-found', `There is no project file ${file}.`, {
    hint: 'Run the command in the folder of tenantctl.yaml or below it, name the file with --config, or create one with `tenantctl init`.',
  });
}

/**
 * The project file in a folder, or in the nearest folder above that has one; without one, the path for the folder's own. A file
 * above that belongs to another user is refused: in a folder such as `/tmp`, anybody could leave a project file that sends
 * credentials to their host.
 */
export function findProjectFile(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    const file = join(current, projectFileName);
    if (statOf(file)) {
      if (current === folder || !isForeign(file, folder)) return file;
      const message = `The nearest project file, ${file}, belongs to another user.`;
      const hint =
        'Run the command in the folder of your project. If this is the right file, name it with --config.';
      throw fail('foreign-project', message, { hint });
    }
    if (current === dirname(current)) return join(folder, projectFileName);
  }
}

export type ProjectFile = ReturnType<typeof readProjectFile>;

const emptyHint = 'Remove it: then `tenantctl init` makes one to begin with.';
export const environmentFiles = ['environments/*.yaml', 'environments/*.yml'];

/** Reads the project file. Problems are reported; throws a Failure if the file is unusable. */
export function readProjectFile(
  file: string,
  { root, source, problems }: { root: string; source: FileSource; problems: Problems },
) {
  const configFile = resolve(file);
  const { document, noted, environments, written } = readSettings(basename(configFile), source, problems);
  const { kinds, texts: kindTexts } = readKinds(source, problems);
  const paths = source.glob(environmentFiles);
  const inProject = Object.entries(environments).map(([name, value]) => ({
    name,
    path: document.file.path,
    value,
  }));
  const alone = paths.map((path) => ({ name: posix.parse(path).name, path }));
  const places = groupBy([...inProject, ...alone], ({ name }) => name);
  const names = places.map(([name]) => name);
  const none: { readonly lint: Lint } & Pick<EnvironmentNames, 'groups'> = { lint: {}, groups: {} };
  const project = {
    ...defaultProject,
    ...none,
    defaultEnvironment: names.length === 1 ? (names[0] ?? null) : null,
    ...written,
    root,
    configFile,
    kinds,
    kindTexts,
    source,
    document,
    /** With notes for its tags, which only environments may have. */
    noted,
    /** The files that define an environment, by its name: the project file, and files of its own. */
    files: new Map(places.map(([name, all]) => [name, all.map(({ path }) => path)])),
    place: findNode(document, '/manifests').place,
    environments: names,
    /** YAML files that are not manifests, even if a glob matches them. */
    notManifests: [basename(configFile), ...paths, ...kindTexts.keys()],
    /** What its environments name. Problems in them are not reported. */
    named: lazy(() => namesIn(inProject, paths, source)),
  };
  if (written.groups) checkGroups(project, problems);
  return project;
}

function readSettings(path: string, source: FileSource, problems: Problems) {
  const document = openSingle(source, path, problems, emptyHint);
  if (!document) throw new Failure(problems.diagnostics);
  const { file } = document;
  const noted = readTree(document, tagNoter(problems), problems).value;
  const { environments = null, ...others } = isObject(noted) ? noted : {};
  const isTagged = noteIn(environments) !== null;
  for (const { offset } of [...notesIn(others), ...(isTagged ? notesIn(environments) : [])])
    problems.add('misplaced-tag', 'Only environments may have tags.', { file, offset });
  const value = resolveNotes(noted, file, () => unresolved);
  checkProject(value, (at) => findNode(document, at), problems);
  // A wrong version has been reported.
  const written = isObject(value) ? fittingPart(validators.project, { ...value, version: 1 }) : null;
  if (!written) throw new Failure(problems.diagnostics);
  return { document, noted, environments: isObject(environments) && !isTagged ? environments : {}, written };
}

function namesIn(
  inProject: readonly { readonly name: string; readonly path: string; readonly value: Json }[],
  paths: readonly string[],
  source: FileSource,
) {
  const ignored = new Problems();
  const documents = paths.flatMap((path) => openSingle(source, path, ignored, emptyHint) ?? []);
  const alone = documents.map((each) => {
    const { path } = each.file;
    return { name: posix.parse(path).name, path, value: readTree(each, tagNoter(ignored), ignored).value };
  });
  const all = [...alone, ...inProject];
  const credentials = new Set<string>();
  const files: string[] = [];
  for (const { path, value } of all) {
    for (const { tag, argument } of notesIn(value)) {
      if (typeof argument !== 'string') continue;
      if (tag === '!secret') credentials.add(argument);
      if (tag === '!file') files.push(sideFilePath(argument, path));
    }
    for (const at of credentialPlaces) {
      const { tag, argument } = noteIn(valueAt(value, at)) ?? {};
      if (tag === '!env' && typeof argument === 'string') credentials.add(argument);
    }
    for (const at of ['/sandbox/seed', '/sandbox/data']) {
      const name = valueAt(value, at);
      if (typeof name === 'string') files.push(name);
    }
  }
  return {
    credentials,
    /** The files of `!file`, and the seed and data files of embedded tenants, from the project's folder. */
    files,
    /** The variables of `!env` and `!secret`, by environment. */
    variables: new Map(all.map(({ name, value }) => [name, variablesIn(value)])),
  };
}

/** The environment variables that tags name. Those that no pipeline could name are left out. */
export const variablesIn = (value: Json): string[] =>
  notesIn(value).flatMap(({ tag, argument }) =>
    /^!(?:env|secret)$/.test(tag) && typeof argument === 'string' && /^[A-Za-z_]\w*$/.test(argument)
      ? [argument]
      : [],
  );

function notesIn(value: Json): NonNullable<ReturnType<typeof noteIn>>[] {
  const below = itemsOf(value).flatMap(notesIn);
  const note = noteIn(value);
  return note ? [note, ...below] : below;
}

const credentialPlaces = ['identity', 'profiles'].flatMap((service) => [
  pointer(service, 'auth', 'token'),
  pointer(service, 'auth', 'clientSecret'),
  pointer(service, 'tls', 'key'),
]);

/** Reports members of groups that are neither globs nor environments: one with a `!` leaves nothing out. */
function checkGroups(project: ProjectFile, problems: Problems): void {
  // Without environments, only that is reported, not their names.
  if (project.environments.length === 0) return;
  for (const [group, members] of Object.entries(project.groups)) {
    for (const [index, member] of members.entries()) {
      const name = member.replace(/^!/, '');
      if (picomatch.scan(name).isGlob || project.environments.includes(name)) continue;
      const message = `The group \`@${group}\` names \`${name}\`, which is not an environment.`;
      const { place } = findNode(project.document, pointer('groups', group, index));
      problems.add('group-member', message, place, { hint: nearEnvironment(name, project) });
    }
  }
}

type BuildContext = Parameters<typeof readConnection>[1];

/** Reports what does not fit the schema of project files. Lines that may hold a credential are not shown. */
function checkProject(value: Json, find: BuildContext['find'], problems: Problems): boolean {
  return checkSchema(validators.project, { value, tagged: true }, find, (problem, place, { at }) => {
    problems.report(problem, place, /\/(auth|tls)(\/|$)/.test(at) ? { excerpt: false } : {});
  });
}

type TagContext = Parameters<typeof tagReader>[0];

interface Reading extends Pick<TagContext, 'inputs' | 'uses' | 'problems'> {
  /** The variable that gives its name; left out if an option, or nothing, does. */
  readonly environmentFrom?: string | undefined;
}

/** Reads an environment of a project: resolves its tags, checks it and fills in defaults. Problems are reported. */
export function readEnvironment(project: ProjectFile, name: string | undefined, reading: Reading) {
  const { inputs, problems } = reading;
  const text = chooseEnvironment(project, name, reading);
  const { source, sizeLimit } = project;
  const context = { ...reading, source, sizeLimit, environment: text?.name ?? '' };
  const variables = text && readVariables(text, context);
  const readTag = tagReader({ ...context, variables: isObject(variables) ? variables : null });
  const nothing = { environment: null, overlays: null, readTag };
  if (!text) return nothing;
  const { find } = text;
  const asProject = {
    version: 1,
    environments: { [text.name]: readValue(text, variables, { readTag, problems }) },
  };
  const prefix = pointer('environments', text.name);
  checkProject(asProject, (at) => find(at.slice(prefix.length)), problems);
  const written = get(fittingPart(validators.project, asProject)?.environments ?? {}, text.name);
  if (!written) return nothing;
  const build = { root: project.root, kinds: project.kinds, inputs, problems, find };
  return {
    environment: buildEnvironment(text.name, written, build),
    overlays: written.overlays ? readOverlays(written.overlays, build) : null,
    readTag,
  };
}

type EnvironmentText = NonNullable<ReturnType<typeof chooseEnvironment>>;

function chooseEnvironment(
  project: ProjectFile,
  wanted: string | undefined,
  { problems, environmentFrom }: Reading,
) {
  const { document, files, source, noted } = project;
  const [name] =
    wanted === undefined ? problems.attempt(null, [], () => selectEnvironments([], project)) : [wanted];
  if (name === undefined) return null;
  const [path, other] = files.get(name) ?? [];
  if (path === undefined) {
    const place = wanted === undefined ? findNode(document, '/defaultEnvironment').place : null;
    problems.addFailure(unknownEnvironment(name, project, environmentFrom), place);
    return null;
  }
  const isInProject = path === document.file.path;
  const file = isInProject
    ? document
    : openSingle(source, path, problems, 'Describe a tenant in it, or remove it.');
  const at = isInProject ? pointer('environments', name) : '';
  if (!file) return null;
  if (other !== undefined) {
    const { key } = findNode(file, at);
    const message = `The environment \`${name}\` is defined here and in ${other}.`;
    problems.add('environment-twice', message, key, { hint: 'Remove one of them.' });
    return null;
  }
  return {
    name,
    file: file.file,
    noted: isInProject ? (valueAt(noted, at) ?? null) : readTree(file, tagNoter(problems), problems).value,
    find: (inside: string) => findNode(file, `${at}${inside}`),
  };
}

function readVariables({ noted, file }: EnvironmentText, context: Omit<TagContext, 'variables'>): Json {
  const resolve = tagReader({ ...context, variables: null });
  const readTag: ReadTag = (tag, argument, place) => {
    if (tag !== '!var' && tag !== '!format') return resolve(tag, argument, place);
    context.problems.add('variable-in-variable', 'A variable cannot be made up of other variables.', place);
    return unresolved;
  };
  return resolveNotes(valueAt(noted, '/variables') ?? {}, file, readTag);
}

/** The environment with its tags resolved. Credentials stay names of secrets, which are read when they are needed. */
function readValue(
  { noted, file }: EnvironmentText,
  variables: Json,
  { readTag, problems }: { readonly readTag: ReadTag; readonly problems: Problems },
): Json {
  const readCredential: ReadTag = (tag, argument, place) =>
    readTag(tag === '!env' ? 'credential' : tag, argument, place);
  const readSetting: ReadTag = (tag, argument, place) => {
    const value = readTag(tag, argument, place);
    if (!isFilledInLater(value)) return value;
    const message = 'A secret, lookup or `!ref` cannot be a setting of an environment.';
    const hint =
      'A setting must be known from the start: write the value itself, `!env NAME` or `!var NAME`.';
    problems.add('misplaced-tag', message, place, { hint });
    return unresolved;
  };
  let value: Json = isObject(noted) ? { ...noted, variables } : noted;
  for (const at of ['/overlays', '/identity/auth', '/profiles/auth', '/identity/tls', '/profiles/tls']) {
    const part = valueAt(value, at);
    if (part === undefined || !isObject(value)) continue;
    value = withValueAt(value, at, resolveNotes(part, file, at === '/overlays' ? readTag : readCredential));
  }
  return resolveNotes(value, file, readSetting);
}

function buildEnvironment(name: string, written: WrittenEnvironment, context: BuildContext): Environment {
  const reached = readConnection(written, context);
  const { limits = {}, variables = {} } = written;
  const identity: Partial<IdentityService> = written.identity ?? {};
  const profiles: Partial<ProfileManagementService> = written.profiles ?? {};
  const { baseUrl, tokenUrl, auth, tls, preset, ...details } = { ...identity, ...profiles };
  // Built-in kinds have different collections unless their paths are changed.
  const mayCollide = identity.paths !== undefined || context.kinds !== builtInKinds;
  if (mayCollide) checkPaths(identity, context);
  const chosen = [identity.preset, profiles.preset, ...(written.sandbox?.presets ?? [])];
  const known = chosen.map((preset): Partial<ApiSettings> => (preset ? presets[preset].settings : {}));
  const settings: ApiSettings = Object.assign({ ...contractSettings }, ...known, details);
  if (mayCollide) checkCollections(written, { ...reached, settings }, context);
  return {
    name,
    kinds: catalogOf(context.kinds.all.map((kind) => kind.quirks?.on?.(settings) ?? kind)),
    ...reached,
    settings,
    limits: readLimits(limits, written.sandbox !== undefined && !written.sandbox.presets?.length),
    policy: readPolicy(written, context),
    variables,
  };
}

const otherResources = [
  'NotificationTemplateDefault',
  'NotificationTemplateContext',
  'NotificationTemplateVariables',
  'TestNotification',
];

/** Reports names that are not kinds of the identity service, whose paths would have no effect. */
function checkPaths({ paths = {} }: Partial<IdentityService>, { kinds, problems, find }: BuildContext): void {
  const known = [
    ...kinds.all.flatMap(({ name, resource }) =>
      resource.lane(contractSettings).service === 'identity' ? [name] : [],
    ),
    ...otherResources,
  ];
  for (const [name, path] of Object.entries(paths)) {
    const at = pointer('identity', 'paths', name);
    const documented = kinds.find(name)?.resource.path(contractSettings) ?? '';
    if (String(path.match(/\{.*?\}/g)) !== String(documented.match(/\{.*?\}/g))) {
      const message = `The path of ${name} must have the same parts in braces as \`${documented}\`.`;
      problems.add('invalid-value', message, find(at).place);
    }
    if (known.includes(name)) continue;
    const message = `There is no kind \`${name.slice(0, 80)}\` in the identity service of this project.`;
    const hint = didYouMean(name, known) ?? `\`identity.paths\` takes ${known.join(', ')}.`;
    problems.add('unknown-kind', message, find(at).key, { hint });
  }
}

/** Reports kinds whose path or base URL in the environment is the collection of another, at that setting. */
function checkCollections(
  { identity }: WrittenEnvironment,
  { connection, settings }: Pick<Environment, 'connection' | 'settings'>,
  { kinds, problems, find }: BuildContext,
): void {
  const pathsHere = (kind: Kind) => {
    const path = kind.resource.path(settings);
    const endpoint = connection.to === 'tenant' ? connection[kind.resource.lane(settings).service] : null;
    return [path, ...(endpoint ? [pathIn(endpoint.baseUrl) + path] : [])];
  };
  const [holderOf, holderAnywhere] = [holdersIn(kinds, pathsHere), holdersIn(kinds)];
  const reported = new Set<Kind>();
  for (const kind of kinds.all) {
    const holder = holderOf(kind);
    // Without the environment, it is reported in the file of the kind.
    if (!holder || reported.has(holder) || holderAnywhere(kind)) continue;
    reported.add(kind);
    const named = [kind.name, holder.name].find((name) => get(identity?.paths ?? {}, name) !== undefined);
    const { service } = holder.resource.lane(settings);
    const at = named === undefined ? pointer(service, 'baseUrl') : pointer('identity', 'paths', named);
    problems.report(collectionTaken(kind.resource.path(settings), holder), find(at).place);
  }
}

/** The path of a base URL, without escapes; empty for one that could not be resolved, which is reported. */
function pathIn(baseUrl: string): string {
  const path = parseUrl(baseUrl)?.pathname ?? '';
  return percentDecoded([path])?.join('') ?? path;
}

function readLimits(written: WrittenLimits, isInstant: boolean): Environment['limits'] {
  const { requests, concurrency, per, timeout, settle, answers } = {
    ...defaultLimits,
    // The embedded tenant shows a write at once, unless it imitates a product.
    ...(isInstant && { settle: '0s' }),
    ...written,
  };
  return {
    requests,
    concurrency,
    per: readAmount(per) ?? 0,
    timeout: timeout === undefined ? null : readAmount(timeout),
    settle: readAmount(settle) ?? 0,
    answers: written.answers === undefined ? null : readAmount(answers, sizes),
  };
}

function readPolicy(
  { protect = [], prune = {}, limits, readOnly = false }: WrittenEnvironment,
  { kinds, problems, find }: BuildContext,
): Policy {
  const { kinds: pruned = [], keep = [] } = prune;
  // With a typo in such a glob, the objects it should protect could be deleted.
  const protecting = protect.map((glob, at) => [pointer('protect', at), glob] as const);
  const kept = keep.map((glob, at) => [pointer('prune', 'keep', at), glob] as const);
  for (const [at, glob] of [...protecting, ...kept]) {
    const problem = globProblem(glob, kinds);
    if (problem) problems.report(problem, find(at).place);
  }
  for (const [at, name] of pruned.entries()) {
    if (kinds.find(name)) continue;
    problems.report(unknownKind(name, kinds), find(pointer('prune', 'kinds', at)).place);
  }
  return {
    protect,
    prune: { kinds: pruned, keep },
    maxDeletes: limits?.maxDeletes ?? defaultLimits.maxDeletes,
    readOnly,
  };
}

const sizes = { KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 };
const durations = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The milliseconds in a duration such as `10s`, `500ms`, `2m` or `1.5h`; `null` for any other text. */
export function readAmount(text: string, units: Readonly<Record<string, number>> = durations): number | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(text) ?? [];
  const factor = get(units, unit);
  // A timer for more than 24 days would end at once.
  const most = units === durations ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  return factor === undefined ? null : Math.min(Math.round(Number(amount) * factor), most);
}
