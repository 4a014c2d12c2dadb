import type { ErrorObject, ValidateFunction } from 'ajv';
import { compileSchema, validators } from '../generated/validators.js';
import type { Kind } from '../kinds/kind.ts';
import { type Json, mapJson, own } from '../model/json.ts';
import { lookupOf, refOf, secretName } from '../model/marker.ts';
import { type Pointer, pointer, segmentsOf, setMember, valueAt } from '../model/pointer.ts';
import type { FoundNode } from './document.ts';
import type { Place } from './file.ts';
import type { Problems } from './problems.ts';
import { explainFault, type SchemaFault } from './schema-words.ts';
import { deferred, type Tree, unresolved } from './tree.ts';

/** Keywords that cannot be checked for a text that is not known yet. */
const textKeywords = ['pattern', 'enum', 'const', 'minLength', 'maxLength'];
/** Keywords that only summarize errors that are reported too. */
const summaryKeywords = ['if', 'propertyNames'];
/** Further errors are ignored: fewer than this are shown for one file. */
const maxErrors = 60;

const schemas: Readonly<Partial<Record<string, ValidateFunction>>> = validators;
const compiled = new WeakMap<Kind, ValidateFunction>();

/** The compiled schema for the manifests of a kind, which is loaded or compiled when it is first needed. */
export function schemaOf(kind: Kind): ValidateFunction {
  const validate = compiled.get(kind) ?? loadSchema(kind);
  compiled.set(kind, validate);
  return validate;
}

function loadSchema(kind: Kind): ValidateFunction {
  const known = own(schemas, kind.name);
  if (known) return known;
  if (!kind.manifestSchema) throw new Error(`There is no schema for ${kind.name}.`);
  return compileSchema(kind.manifestSchema());
}

/** How the faults of a document are reported. */
interface FaultContext {
  readonly problems: Problems;
  /** Places whose lines are not shown, because they may contain credentials. */
  readonly unshown?: RegExp;
  /** The position of a value. */
  find(at: Pointer): FoundNode;
}

/** Checks a tree against a compiled schema and reports every problem. Returns whether there was none. */
export function checkSchema(
  validate: ValidateFunction,
  tree: Tree,
  { problems, unshown, find }: FaultContext,
): boolean {
  const faults = faultsIn(validate, tree);
  for (const fault of faults) {
    const isShown = !unshown?.test(fault.at);
    problems.report(
      explainFault(fault, find(fault.at).node),
      placeOf(fault, find),
      isShown ? {} : { excerpt: false },
    );
  }
  return faults.length === 0;
}

/**
 * What a compiled schema finds wrong with a tree. Values that are not known yet, or could not be read, count as valid.
 */
export function faultsIn(validate: ValidateFunction, { value, tagged }: Tree): SchemaFault[] {
  if (validate(tagged ? replaceMarkers(value) : value)) return [];
  const errors = dropWiderChoices((validate.errors ?? []).filter(isReportable)).slice(0, maxErrors);
  return errors.map((error) => ({ at: placeOfFault(error), name: keyOf(error), error }));
}

function placeOfFault(error: ErrorObject): Pointer {
  const name = keyOf(error);
  return name === null ? error.instancePath : error.instancePath + pointer(name);
}

/**
 * The part of a value that fits its schema: without what is wrong, which {@link checkSchema} reports, and what could not be
 * read. `null` where nothing is left.
 */
export function fittingPart<T>(validate: ValidateFunction<T>, value: Json): T | null {
  for (let part: Json = value; part !== null; ) {
    if (validate(part)) return part;
    const faults = (validate.errors ?? []).filter(({ keyword }) => !summaryKeywords.includes(keyword));
    // From the end on: the places of earlier items of a list stay as they are.
    for (const at of faults.map(placeOfFault).reverse()) {
      if (valueAt(part, at) !== undefined) part = setMember(part, segmentsOf(at), null);
    }
  }
  return null;
}

/** The position of the name or value that a fault is about. */
export function placeOf({ at, name }: SchemaFault, find: (at: Pointer) => FoundNode): Place {
  const { match, key, place } = find(at);
  return name !== null && match === 'exact' ? key : place;
}

function replaceMarkers(tree: Json): Json {
  return mapJson(tree, (value) => {
    // It may stand for a whole object, so nothing is known of it.
    if (refOf(value) !== null) return unresolved;
    return secretName(value) !== null || lookupOf(value) !== null ? deferred : value;
  });
}

function isReportable({ keyword, data, schemaPath, propertyName }: ErrorObject): boolean {
  if (data === unresolved && propertyName === undefined) return false;
  if (data === deferred && textKeywords.includes(keyword)) return false;
  // The error about all alternatives together says more than that about each one.
  if (/\/anyOf\/\d+\//.test(schemaPath)) return false;
  return !summaryKeywords.includes(keyword);
}

/** Of several errors about the allowed values of one place, only the one with the fewest values. */
function dropWiderChoices(errors: readonly ErrorObject[]): ErrorObject[] {
  const fewest = new Map<string, number>();
  for (const error of errors) {
    const fewer = fewest.get(error.instancePath) ?? Number.POSITIVE_INFINITY;
    fewest.set(error.instancePath, Math.min(fewer, countChoices(error) ?? fewer));
  }
  return errors.filter((error) => (countChoices(error) ?? 0) <= (fewest.get(error.instancePath) ?? 0));
}

/** How many values the error allows; `null` if it is about something else. */
function countChoices({ keyword, params }: ErrorObject): number | null {
  return keyword === 'enum' && Array.isArray(params.allowedValues) ? params.allowedValues.length : null;
}

/** The key that an error is about; `null` if it is about a value. */
function keyOf({ keyword, params, propertyName }: ErrorObject): string | null {
  if (propertyName !== undefined) return propertyName;
  if (keyword === 'additionalProperties') return String(params.additionalProperty);
  return null;
}
