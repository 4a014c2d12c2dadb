import { validators } from '../generated/validators.js';
import { isArray, isObject, type Json, type JsonObject, mapJson, own, textOf } from '../model/json.ts';
import { secretMarker } from '../model/marker.ts';
import { type Pointer, pointer, valueAt } from '../model/pointer.ts';
import type { Environment } from '../model/project.ts';
import { buildEnvironment } from './connection.ts';
import type { Place } from './file.ts';
import { type Found, findNode, nodeRange } from './position.ts';
import { checkSchema } from './schema.ts';
import { type TagContext, tagReader } from './tags.ts';
import { type ReadTag, readTree, unresolved, type YamlDocument } from './tree.ts';

/** Where an environment is written: a member of the project file, or a file of its own. */
export interface EnvironmentText {
  readonly name: string;
  readonly document: YamlDocument;
  /** The environment inside the document: `''` where the document is the environment. */
  readonly at: Pointer;
}

/** A change to declared resources in one environment. */
export interface Overlay {
  readonly target: string;
  readonly merge: JsonObject;
  /** Where `target` stands. */
  readonly place: Place;
  /** Where a pointer into `merge` stands. */
  find(at: Pointer): Found;
}

/** What was made of an environment; `null` for what could not be, whose problems have been told. */
export interface ReadEnvironment {
  readonly environment: Environment | null;
  readonly variables: JsonObject | null;
  readonly overlays: readonly Overlay[];
}

/** Lines with credentials are not shown. */
export const credentialPlaces = /\/auth(\/|$)/;

/** Resolves the tags of one environment and checks and builds it; tags of other environments are not looked at. */
export function readEnvironment(text: EnvironmentText, context: TagContext, root: string): ReadEnvironment {
  const { problems } = context;
  const variables = readVariables(text, context);
  const value = readValues(text, { ...context, variables });
  if (!isObject(value)) return { environment: null, variables, overlays: [] };
  const whole = { ...value, ...(variables && { variables }) };
  const find = (at: Pointer) => findNode(text.document, `${text.at}${at}`);
  const isValid = checkEnvironment(text, whole, problems);
  if (hasOpenPart(whole) && !problems.hasErrors) {
    problems.add('foreign-tag', 'An alias brings in a tag of another environment', find('').place, {
      hint: 'Write the value with its tag here.',
    });
  }
  const overlays = isValid ? readOverlays(whole, find) : [];
  const environment = isValid ? buildEnvironment(text.name, whole, { ...context, root, find }) : null;
  return { environment, variables, overlays };
}

/** Checks an environment, tags read or left open, against the schema of the project file. */
export function checkEnvironment(
  text: EnvironmentText,
  value: Json,
  problems: TagContext['problems'],
): boolean {
  const project = { version: 1, environments: { [text.name]: value } };
  const prefix = pointer('environments', text.name);
  return checkSchema(
    validators.project,
    { value: project, tagged: true },
    {
      problems,
      unshown: credentialPlaces,
      find: (at) => findNode(text.document, `${text.at}${at.slice(prefix.length)}`),
    },
  );
}

function readVariables({ document, at }: EnvironmentText, context: TagContext): JsonObject | null {
  const isVariable = within(document, [`${at}/variables`]);
  const resolve = tagReader(context);
  const { value } = readTree(
    document,
    only(isVariable, (tag, argument, place) => {
      if (tag !== '!var' && tag !== '!format') return resolve(tag, argument, place);
      context.problems.add('variable-in-variable', 'A variable cannot be made of other variables', place);
      return unresolved;
    }),
    context.problems,
  );
  const variables = valueAt(value, `${at}/variables`) ?? {};
  return isObject(variables) ? variables : null;
}

function readValues({ document, at }: EnvironmentText, context: TagContext): Json | undefined {
  const isInside = within(document, [at]);
  const isVariable = within(document, [`${at}/variables`]);
  const isCredential = within(document, [`${at}/identity/auth`, `${at}/profiles/auth`]);
  const resolve = tagReader(context);
  const { value } = readTree(
    document,
    only(
      (place) => isInside(place) && !isVariable(place),
      (tag, argument, place) =>
        isCredential(place) && ['!env', '!secret'].includes(tag) && typeof argument === 'string'
          ? secretMarker(argument)
          : resolve(tag, argument, place),
    ),
    context.problems,
  );
  return valueAt(value, at);
}

/** Reads the tags of some places; those elsewhere stay open. */
function only(isWanted: (place: Place) => boolean, readTag: ReadTag): ReadTag {
  return (tag, argument, place) => (isWanted(place) ? readTag(tag, argument, place) : unresolved);
}

/** Whether a place lies in the text of one of the values. */
function within(document: YamlDocument, pointers: readonly Pointer[]): (place: Place) => boolean {
  const ranges = pointers.map((at) => nodeRange(document, at)).filter((range) => range !== null);
  return ({ offset }) => ranges.some(([start, end]) => offset >= start && offset <= end);
}

function hasOpenPart(value: JsonObject): boolean {
  let open = false;
  mapJson(value, (item) => {
    open ||= item === unresolved;
    return item;
  });
  return open;
}

function readOverlays(environment: JsonObject, find: (at: Pointer) => Found): Overlay[] {
  const overlays = own(environment, 'overlays');
  return (isArray(overlays) ? overlays : []).filter(isObject).map((overlay, index) => {
    const merge = own(overlay, 'merge');
    return {
      target: textOf(overlay, 'target') ?? '',
      merge: isObject(merge) ? merge : {},
      place: find(pointer('overlays', index, 'target')).place,
      find: (at) => find(`${pointer('overlays', index, 'merge')}${at}`),
    };
  });
}
