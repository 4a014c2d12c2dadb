import { validators } from '../generated/validators.js';
import type { Environment } from '../kinds/project.ts';
import { isObject, type Json } from '../model/json.ts';
import { isFilledInLater, refOf, secretMarker } from '../model/marker.ts';
import { type Pointer, pointer, valueAt, withValueAt } from '../model/pointer.ts';
import { authPlaces, emptyHint, noteDocument, type ProjectFile } from './config.ts';
import { noteOf, resolveNotes } from './declaration.ts';
import { findNode, isWithinValue, type YamlDocument } from './document.ts';
import type { Place } from './file.ts';
import { noOverlays, type Overlays, readOverlays } from './overlay.ts';
import { openSingle } from './parse.ts';
import type { Problems } from './problems.ts';
import { checkSchema } from './schema.ts';
import { defaultOf, nearEnvironment, sayFrom } from './selection.ts';
import { buildEnvironment } from './settings.ts';
import { type TagContext, tagReader } from './tags.ts';
import { type ReadTag, unresolved } from './tree.ts';

/** A read environment. The problems of what could not be read have been reported. */
export interface ReadEnvironment {
  readonly environment: Environment | null;
  readonly overlays: Overlays;
  /** Resolves tags with the variables of the environment. */
  readonly readTag: ReadTag;
}

/** What an environment is read with. */
export interface Reading extends Pick<TagContext, 'inputs' | 'uses' | 'problems'> {
  /** The variable that gives its name; left out where an option, or nothing, does. */
  readonly environmentFrom?: string | undefined;
}

/**
 * Reads one environment of a project: resolves its tags, checks it and builds it. Problems are reported.
 *
 * @param name left out: the default of the project
 */
export function readEnvironment(
  project: ProjectFile,
  name: string | undefined,
  reading: Reading,
): ReadEnvironment {
  const { inputs, problems } = reading;
  const context = { ...reading, source: project.source };
  const text = chooseEnvironment(project, name, reading);
  const variables = text && readVariables(text, context);
  const readTag = tagReader({ ...context, variables: isObject(variables) ? variables : null });
  const value = text && readValue(text, variables, { readTag, problems });
  const isValid = text !== null && checkEnvironment(text, value, problems);
  if (!isValid || !isObject(value)) return { environment: null, overlays: noOverlays, readTag };
  const find = (at: Pointer) => findNode(text.document, `${text.at}${at}`);
  const build = { project, inputs, problems, find };
  return {
    environment: buildEnvironment(text.name, value, build),
    overlays: readOverlays(value, build),
    readTag,
  };
}

/** The text of an environment: a member of the project file, or a file of its own. */
interface EnvironmentText {
  readonly name: string;
  readonly document: YamlDocument;
  /** The environment inside the document; `''` where it is the whole document. */
  readonly at: Pointer;
  /** Its value with notes for its tags. */
  readonly noted: Json;
}

/** The environment that the options or the project select; `null`, and a problem, where there is none. */
function chooseEnvironment(
  project: ProjectFile,
  wanted: string | undefined,
  { problems, environmentFrom }: Reading,
): EnvironmentText | null {
  const { document, inline, files, source } = project;
  const name = wanted ?? defaultIn(project, problems);
  if (name === null) return null;
  const [path, other] = files.get(name) ?? [];
  const at = pointer('environments', name);
  const refuseTwice = (place: Place, elsewhere: string) => {
    const message = `The environment \`${name}\` is defined here and in ${elsewhere}`;
    problems.add('environment-twice', message, place, { hint: 'Remove one of them.' });
    return null;
  };
  if (inline.includes(name)) {
    if (path !== undefined) return refuseTwice(findNode(document, at).key, path);
    return { name, document, at, noted: ownNotes(project, at, problems) };
  }
  if (path === undefined) {
    const place = wanted === undefined ? findNode(document, '/defaultEnvironment').place : null;
    const message = sayFrom(environmentFrom, `There is no environment \`${name}\``);
    problems.add('unknown-environment', message, place, { hint: nearEnvironment(name, project) });
    return null;
  }
  const file = openSingle(source, path, problems, emptyHint);
  if (!file) return null;
  if (other !== undefined) return refuseTwice(findNode(file, '').place, other);
  return { name, document: file, at: '', noted: noteDocument(file, problems) };
}

function defaultIn(project: ProjectFile, problems: Problems): string | null {
  try {
    return defaultOf(project);
  } catch (error) {
    problems.addFailure(error, null);
    return null;
  }
}

/** Checks an environment against the schema of the project file. */
function checkEnvironment(text: EnvironmentText, value: Json, problems: Problems): boolean {
  const project = { version: 1, environments: { [text.name]: value } };
  const prefix = pointer('environments', text.name);
  const find = (at: Pointer) => findNode(text.document, `${text.at}${at.slice(prefix.length)}`);
  return checkSchema(
    validators.project,
    { value: project, tagged: true },
    { problems, find, unshown: authPlaces },
  );
}

/** The value of an environment in the project file. A tag that an alias brings from another environment is refused. */
function ownNotes({ document, noted }: ProjectFile, at: Pointer, problems: Problems): Json {
  const isInside = isWithinValue(document, at);
  const { place: start } = findNode(document, at);
  return resolveNotes(valueAt(noted, at) ?? null, document.file, (tag, argument, place) => {
    // A tag stands before its value.
    if (isInside(place) || place.offset === start.offset) return noteOf(tag, argument, place.offset);
    const message = 'An alias refers to a value with a tag in another environment';
    const hint = 'Write the value with its tag here.';
    problems.add('foreign-tag', message, start, { hint });
    return unresolved;
  });
}

/** The variables of an environment, with their tags resolved. */
function readVariables({ noted, document }: EnvironmentText, context: Omit<TagContext, 'variables'>): Json {
  const resolve = tagReader({ ...context, variables: null });
  return resolveNotes(valueAt(noted, '/variables') ?? {}, document.file, (tag, argument, place) => {
    if (tag !== '!var' && tag !== '!format') return resolve(tag, argument, place);
    context.problems.add('variable-in-variable', 'A variable cannot be made of other variables', place);
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
    problems.add('misplaced-tag', `${what} cannot be a setting of an environment`, place, {
      hint: 'Settings must be known at once: write the value itself, `!env NAME` or `!var NAME`.',
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

/** The value with what `resolve` makes of its part at a place. */
function resolveAt(value: Json, at: Pointer, resolve: (part: Json) => Json): Json {
  const part = valueAt(value, at);
  if (part === undefined) return value;
  return at === '' || !isObject(value) ? resolve(part) : withValueAt(value, at, resolve(part));
}
