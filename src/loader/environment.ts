import {
  defaultLimits,
  type IdentityService,
  type ProfileManagementService,
  type Environment as WrittenEnvironment,
  type Limits as WrittenLimits,
} from '../generated/schemas/project.ts';
import { validators } from '../generated/validators.js';
import { type GlobProblem, globProblem, unknownKind } from '../kinds/address-glob.ts';
import { kindsOn } from '../kinds/catalog.ts';
import type { Kind } from '../kinds/kind.ts';
import { settingsOf } from '../kinds/presets.ts';
import type { Environment, Limits, Policy } from '../kinds/project.ts';
import { get, isObject, type Json, sameJson } from '../model/json.ts';
import { isFilledInLater, refOf, secretMarker } from '../model/marker.ts';
import { type Pointer, pointer, valueAt, withValueAt } from '../model/pointer.ts';
import { contractSettings } from '../model/settings.ts';
import { didYouMean } from '../model/words.ts';
import { authPlaces, emptyHint, noteDocument, type ProjectFile } from './config.ts';
import { type BuildContext, readConnection } from './connection.ts';
import { collectionTaken, documentedPaths, holderOf, type PathsOf } from './kind-files.ts';
import { noOverlays, type Overlays, readOverlays } from './overlay.ts';
import { findNode, openSingle, type YamlDocument } from './parse.ts';
import type { Problems } from './problems.ts';
import { checkSchema, fittingPart } from './schema.ts';
import { defaultOf, nearEnvironment, sayFrom } from './selection.ts';
import { resolveNotes, type TagContext, tagReader } from './tags.ts';
import { type ReadTag, unresolved } from './tree.ts';

export interface ReadEnvironment {
  readonly environment: Environment | null;
  readonly overlays: Overlays;
  readonly readTag: ReadTag;
}

export interface Reading extends Pick<TagContext, 'inputs' | 'uses' | 'problems'> {
  /** The variable that gives its name; left out where an option, or nothing, does. */
  readonly environmentFrom?: string | undefined;
}

/** Reads an environment of a project: resolves its tags, checks it and fills in defaults. Problems are reported. */
export function readEnvironment(
  project: ProjectFile,
  name: string | undefined,
  reading: Reading,
): ReadEnvironment {
  const { inputs, problems } = reading;
  const text = chooseEnvironment(project, name, reading);
  const context = { ...reading, source: project.source, environment: text?.name ?? '' };
  const variables = text && readVariables(text, context);
  const readTag = tagReader({ ...context, variables: isObject(variables) ? variables : null });
  const value = text && readValue(text, variables, { readTag, problems });
  const written = text && checkEnvironment(text, value, problems);
  if (!written) return { environment: null, overlays: noOverlays, readTag };
  const find = (at: Pointer) => findNode(text.document, `${text.at}${at}`);
  const build = { project, inputs, problems, find };
  return {
    environment: buildEnvironment(text.name, written, build),
    overlays: readOverlays(written, build),
    readTag,
  };
}

interface EnvironmentText {
  readonly name: string;
  readonly document: YamlDocument;
  /** The environment inside the document; `''` where it is the whole document. */
  readonly at: Pointer;
  readonly noted: Json;
}

function chooseEnvironment(
  project: ProjectFile,
  wanted: string | undefined,
  { problems, environmentFrom }: Reading,
): EnvironmentText | null {
  const { document, files, source, noted } = project;
  const name = wanted ?? problems.attempt(null, null, () => defaultOf(project));
  if (name === null) return null;
  const [path, other] = files.get(name) ?? [];
  if (path === undefined) {
    const place = wanted === undefined ? findNode(document, '/defaultEnvironment').place : null;
    const message = sayFrom(environmentFrom, `There is no environment \`${name}\`.`);
    problems.add('unknown-environment', message, place, { hint: nearEnvironment(name, project) });
    return null;
  }
  const isInProject = path === document.file.path;
  const file = isInProject ? document : openSingle(source, path, problems, emptyHint);
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
    document: file,
    at,
    noted: isInProject ? (valueAt(noted, at) ?? null) : noteDocument(file, problems),
  };
}

function checkEnvironment(text: EnvironmentText, value: Json, problems: Problems): WrittenEnvironment | null {
  const project = { version: 1, environments: { [text.name]: value } };
  const prefix = pointer('environments', text.name);
  const find = (at: Pointer) => findNode(text.document, `${text.at}${at.slice(prefix.length)}`);
  const tree = { value: project, tagged: true };
  if (!checkSchema(validators.project, tree, { problems, find, unshown: authPlaces })) return null;
  return get(fittingPart(validators.project, project)?.environments ?? {}, text.name) ?? null;
}

function readVariables({ noted, document }: EnvironmentText, context: Omit<TagContext, 'variables'>): Json {
  const resolve = tagReader({ ...context, variables: null });
  return resolveNotes(valueAt(noted, '/variables') ?? {}, document.file, (tag, argument, place) => {
    if (tag !== '!var' && tag !== '!format') return resolve(tag, argument, place);
    context.problems.add('variable-in-variable', 'A variable cannot be made up of other variables.', place);
    return unresolved;
  });
}

/** The environment with its tags resolved. Credentials stay names of secrets, which are read when they are needed. */
function readValue(
  { noted, document: { file } }: EnvironmentText,
  variables: Json,
  { readTag, problems }: { readonly readTag: ReadTag; readonly problems: Problems },
): Json {
  const readCredential: ReadTag = (tag, argument, place) =>
    ['!env', '!secret'].includes(tag) && typeof argument === 'string'
      ? secretMarker(argument)
      : readTag(tag, argument, place);
  const readSetting: ReadTag = (tag, argument, place) => {
    const value = readTag(tag, argument, place);
    if (!isFilledInLater(value)) return value;
    const what = refOf(value) === null ? 'A secret or lookup' : 'A `!ref`';
    problems.add('misplaced-tag', `${what} cannot be a setting of an environment.`, place, {
      hint: 'A setting must be known from the start: write the value itself, `!env NAME` or `!var NAME`.',
    });
    return unresolved;
  };
  const readers: readonly [Pointer, ReadTag][] = [
    ['/overlays', readTag],
    ['/identity/auth', readCredential],
    ['/profiles/auth', readCredential],
    ['/identity/tls', readCredential],
    ['/profiles/tls', readCredential],
    ['', readSetting],
  ];
  return readers.reduce<Json>(
    (value, [at, read]) => resolveAt(value, at, (given) => resolveNotes(given, file, read)),
    isObject(noted) ? { ...noted, variables } : noted,
  );
}

function resolveAt(value: Json, at: Pointer, resolve: (part: Json) => Json): Json {
  const part = valueAt(value, at);
  if (part === undefined) return value;
  return at === '' || !isObject(value) ? resolve(part) : withValueAt(value, at, resolve(part));
}

function buildEnvironment(name: string, written: WrittenEnvironment, context: BuildContext): Environment {
  const reached = readConnection(written, context);
  const { identity = {}, profiles = {}, limits = {}, variables = {} } = written;
  checkPaths(identity, context);
  const known = settingsOf([
    written.identity?.preset,
    written.profiles?.preset,
    ...(written.sandbox?.presets ?? []),
  ]);
  const settings = { ...contractSettings, ...known, ...detailsOf(identity), ...detailsOf(profiles) };
  checkCollections(written, { ...reached, settings }, context);
  return {
    name,
    kinds: kindsOn(settings, context.project.kinds),
    ...reached,
    settings,
    limits: readLimits(limits, written.sandbox !== undefined && !written.sandbox.presets?.length),
    policy: readPolicy(written, context),
    variables,
  };
}

function detailsOf<T extends Partial<IdentityService | ProfileManagementService>>({
  baseUrl,
  tokenUrl,
  auth,
  tls,
  preset,
  ...details
}: T) {
  return details;
}

const otherResources = [
  'NotificationTemplateDefault',
  'NotificationTemplateContext',
  'NotificationTemplateVariables',
  'TestNotification',
];

/** Reports names that are not kinds of the identity service, whose paths would have no effect. */
function checkPaths(
  { paths = {} }: Partial<IdentityService>,
  { project: { kinds }, problems, find }: BuildContext,
): void {
  const known = [
    ...kinds.all.flatMap(({ name, resource }) =>
      resource.lane(contractSettings).service === 'identity' ? [name] : [],
    ),
    ...otherResources,
  ];
  const placesIn = (path: string) => path.match(/\{.*?\}/g) ?? [];
  for (const [name, path] of Object.entries(paths)) {
    const at = pointer('identity', 'paths', name);
    const documented = kinds.find(name)?.resource.path(contractSettings) ?? '';
    if (!sameJson(placesIn(path), placesIn(documented))) {
      const message = `The path of ${name} must have the same parts in braces as \`${documented}\`.`;
      problems.add('invalid-value', message, find(at).place);
    }
    if (known.includes(name)) continue;
    const message = `There is no kind \`${name.slice(0, 80)}\` in the identity service of this project.`;
    const hint = didYouMean(name, known) ?? `\`identity.paths\` takes ${known.join(', ')}.`;
    problems.add('unknown-kind', message, find(at).key, { hint });
  }
}

/** Reports kinds that a path or base URL of the environment leads to the collection of another, at that setting. */
function checkCollections(
  { identity, profiles }: WrittenEnvironment,
  { connection, settings }: Pick<Environment, 'connection' | 'settings'>,
  { project, problems, find }: BuildContext,
): void {
  const pathsOf: PathsOf = (kind) => {
    const path = kind.resource.path(settings);
    const endpoint = connection.to === 'tenant' ? connection[kind.resource.lane(settings).service] : null;
    return [...documentedPaths(kind), path, ...(endpoint ? [pathIn(endpoint.baseUrl) + path] : [])];
  };
  const reported = new Set<Kind>();
  for (const kind of project.kinds.all) {
    const holder = holderOf(kind, project.kinds, pathsOf);
    // Without the environment, it is reported in the file of the kind.
    const isKnown = holderOf(kind, project.kinds, documentedPaths) !== undefined;
    if (!holder || isKnown || reported.has(holder)) continue;
    reported.add(kind);
    const { service } = kind.resource.lane(settings);
    const paths = identity?.paths ?? {};
    const named = [kind.name, holder.name].find((name) => get(paths, name) !== undefined);
    const isSearch =
      holder.resource.lane(settings).service === 'profiles' && profiles?.profileSearchPath !== undefined;
    const setting = isSearch ? '/profiles/profileSearchPath' : pointer(service, 'baseUrl');
    const at = named === undefined ? setting : pointer('identity', 'paths', named);
    problems.report(collectionTaken(kind.resource.path(settings), holder), find(at).place);
  }
}

/** The path of a base URL, without escapes; empty for one that could not be resolved, which is reported. */
function pathIn(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return '';
  const { pathname } = new URL(baseUrl);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

function readLimits(written: WrittenLimits, isInstant: boolean): Limits {
  const { requests, concurrency, per, timeout, settle, answers } = {
    ...defaultLimits,
    // The embedded tenant shows a write at once, unless it plays a product.
    ...(isInstant && { settle: '0s' }),
    ...written,
  };
  const milliseconds = (time: string) => readDuration(time) ?? 0;
  return {
    requests,
    concurrency,
    per: milliseconds(per),
    timeout: timeout === undefined ? null : milliseconds(timeout),
    settle: milliseconds(settle),
    answers: written.answers === undefined ? null : readAmount(answers, sizes),
  };
}

function readPolicy(
  { protect = [], prune = {}, limits, readOnly = false }: WrittenEnvironment,
  { project: { kinds }, problems, find }: BuildContext,
): Policy {
  const { kinds: pruned = [], keep = [] } = prune;
  const check = (texts: readonly string[], at: Pointer, problemOf: (text: string) => GlobProblem | null) => {
    for (const [index, text] of texts.entries()) {
      // What could not be read has been reported.
      const problem = text === unresolved ? null : problemOf(text);
      if (problem) problems.report(problem, find(at + pointer(index)).place);
    }
  };
  check(pruned, '/prune/kinds', (name) => (kinds.find(name) ? null : unknownKind(name, kinds)));
  // With a typo in such a glob, the objects it should protect could be deleted.
  check(protect, '/protect', (glob) => globProblem(glob, kinds));
  check(keep, '/prune/keep', (glob) => globProblem(glob, kinds));
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
export const readDuration = (text: string): number | null => readAmount(text, durations);

function readAmount(text: string, units: Readonly<Record<string, number>>): number | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(text) ?? [];
  const factor = get(units, unit);
  return factor === undefined ? null : Math.round(Number(amount) * factor);
}
