import type { ErrorObject, ValidateFunction } from 'ajv';
import { compileSchema, validators } from '../generated/validators.js';
import type { Kind } from '../kinds/kind.ts';
import { noteOverlay } from '../model/diagnostic.ts';
import { type Json, mapJson, own } from '../model/json.ts';
import { lookupOf, refOf, secretName } from '../model/marker.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import { didYouMean } from '../model/suggest.ts';
import { joinWords } from '../model/words.ts';
import type { FoundNode } from './document.ts';
import type { Problem, Problems } from './problems.ts';
import { findOddBlank } from './syntax.ts';
import { type Tree, unresolved } from './tree.ts';

/** Replaces a secret or lookup while a tree is validated: a text that is not known yet. */
const deferred = '\0deferred';
/** Keywords that cannot be checked for a text that is not known yet. */
const textKeywords = ['pattern', 'enum', 'const', 'minLength', 'maxLength'];
/** Keywords that only summarize errors that are reported too. */
const summaryKeywords = ['if', 'propertyNames'];
/** Further errors are ignored: fewer than this are shown for one file. */
const maxErrors = 60;

export interface SchemaContext {
  readonly problems: Problems;
  readonly address?: string;
  /** Places whose lines are not shown, because they may contain credentials. */
  readonly unshown?: RegExp;
  /** The position of a value. */
  find(at: Pointer): FoundNode;
  /** Whether an overlay sets a value. */
  isOverlaid?(at: Pointer): boolean;
  /** A better explanation than the general one; `null` where there is none. */
  explain?(error: ErrorObject, name: string): Problem | null;
}

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

/**
 * Checks a tree against a compiled schema and reports every problem. Values that are not known yet, or could not be
 * read, count as valid. Returns whether there was no problem.
 */
export function checkSchema(
  validate: ValidateFunction,
  { value, tagged }: Tree,
  context: SchemaContext,
): boolean {
  if (validate(tagged ? replaceMarkers(value) : value)) return true;
  const errors = dropWiderChoices((validate.errors ?? []).filter(isReportable)).slice(0, maxErrors);
  for (const error of errors) report(error, context);
  return errors.length === 0;
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

function report(
  error: ErrorObject,
  { problems, address, unshown, find, isOverlaid, explain }: SchemaContext,
): void {
  const name = keyOf(error);
  const at = name === null ? error.instancePath : error.instancePath + pointer(name);
  const found = find(at);
  const isKey = name !== null && found.match === 'exact';
  const { code, message, hint } = explain?.(error, name ?? '') ?? describe(error, name);
  const noted = noteOverlay(message, isOverlaid?.(at) === true);
  problems.add(code, noted, isKey ? found.key : found.place, {
    hint,
    ...(address !== undefined && { address }),
    ...(unshown?.test(at) && { excerpt: false as const }),
  });
}

/** The key that an error is about; `null` if it is about a value. */
function keyOf({ keyword, params, propertyName }: ErrorObject): string | null {
  if (propertyName !== undefined) return propertyName;
  if (keyword === 'additionalProperties') return String(params.additionalProperty);
  return null;
}

function describe(error: ErrorObject, name: string | null): Problem {
  if (name !== null) return describeName(error, name);
  const { keyword, params, data, parentSchema, instancePath, message } = error;
  const label = labelOf(instancePath);
  const subject = label.charAt(0).toUpperCase() + label.slice(1);
  const code = 'invalid-value';
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return describeMissing(error, subject);
    case 'anyOf':
      return { code: 'missing-field', message: `${subject} has no ${listAlternatives(error)}` };
    case 'type':
      return describeType(error, subject);
    case 'enum':
    case 'const':
      return describeChoice(error, subject);
    case 'false schema':
      return { code: 'unknown-field', message: `${subject} is not allowed here` };
    case 'pattern':
    case 'minLength':
    case 'minItems':
    case 'minProperties': {
      const isEmpty = keyword !== 'pattern' || data === '';
      const what = isEmpty ? 'is empty' : `cannot be \`${brief(data)}\``;
      return { code, message: `${subject} ${what}`, hint: exampleOf(parentSchema) };
    }
    case 'maxLength':
      return { code, message: `${subject} is longer than ${params.limit} characters` };
    case 'maxItems':
    case 'maxProperties':
      return { code, message: `${subject} has more than ${params.limit} ${countedAs[keyword]}` };
    case 'uniqueItems':
      return { code, message: `${subject} has an item twice, at ${params.j} and ${params.i}` };
    default:
      return { code, message: `${subject} ${message}, not ${brief(data)}` };
  }
}

const countedAs = { maxItems: 'items', maxProperties: 'members' } as const;

function describeMissing({ params, parentSchema }: ErrorObject, subject: string): Problem {
  const name = String(params.missingProperty);
  const schema = parentSchema?.properties?.[name];
  const choices = Array.isArray(schema?.enum) ? `It is ${joinWords('or', schema.enum.map(String))}.` : null;
  const [example] = Array.isArray(schema?.examples) ? schema.examples : [];
  const hint = choices ?? (typeof example === 'string' ? `For example: \`${name}: ${example}\`.` : null);
  return { code: 'missing-field', message: `${subject} has no \`${name}\``, hint };
}

function describeName({ keyword, parentSchema, instancePath }: ErrorObject, name: string): Problem {
  const where = instancePath === '' ? '' : ` in ${labelOf(instancePath)}`;
  if (keyword === 'pattern') {
    const rule = parentSchema?.description ?? 'other characters';
    return {
      code: 'invalid-value',
      message: `\`${name}\` is not a valid name${where}: a name has ${rule}`,
    };
  }
  // A rule for names alone lists them itself.
  const listed: unknown = parentSchema?.enum;
  const known = Array.isArray(listed) ? listed.map(String) : Object.keys(parentSchema?.properties ?? {});
  const blank = findOddBlank(name);
  const hint =
    (blank && `Replace the character ${blank.name} by an ordinary space: YAML does not count it as one.`) ??
    didYouMean(name, known) ??
    (known.length <= 12 ? `The fields are: ${known.join(', ')}.` : undefined);
  return { code: 'unknown-field', message: `There is no field \`${brief(name)}\`${where}`, hint };
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'a mapping',
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  null: 'null',
};

function describeType({ params, data, parentSchema }: ErrorObject, subject: string): Problem {
  const types = [params.type].flat().map(String);
  const wanted = joinWords(
    'or',
    types.map((type) => typeNames[type] ?? type),
  );
  const isQuotable = typeof data === 'number' || typeof data === 'boolean';
  const otherHint = types.includes('boolean') ? hintForTruth(data) : hintForList(types, data);
  const hint = types.includes('string') && isQuotable ? hintForText(String(data), parentSchema) : otherHint;
  const code = 'wrong-type';
  const message = `${subject} must be ${wanted}, not `;
  // A number in quotes looks like the number that is wanted.
  const isNumber = types.includes('integer') || types.includes('number');
  if (isNumber && typeof data === 'string' && /^\d+$/.test(data))
    return { code, message: `${message}the text "${brief(data)}"`, hint: 'Write it without quotes.' };
  return { code, message: message + brief(data), hint };
}

/** Suggests quotes, unless the text would not be valid either. */
function hintForText(text: string, schema: ErrorObject['parentSchema']): string | undefined {
  const pattern: unknown = schema?.pattern;
  const isFit = typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text);
  return isFit ? `If it is text, put it in quotes: "${text}".` : exampleOf(schema);
}

function hintForList(types: readonly string[], data: unknown): string | undefined {
  if (!types.includes('array') || data === null || data === deferred) return undefined;
  if (typeof data === 'object') return 'Begin each item of the list with `- `, also the only one.';
  return `Put it in brackets: [${brief(data)}].`;
}

/** Explains values that are true or false in YAML 1.1, but text in YAML 1.2. */
function hintForTruth(data: unknown): string | undefined {
  if (data === 'true' || data === 'false') {
    return `This is text, because it is in quotes or comes from \`!env\`: write \`${data}\` without quotes, or use \`!var\`.`;
  }
  const truth = otherTruths.get(String(data).toLowerCase());
  return truth === undefined ? undefined : `YAML 1.2 reads \`${data}\` as text: write \`${truth}\`.`;
}

const otherTruths = new Map([
  ['yes', true],
  ['on', true],
  ['no', false],
  ['off', false],
]);

function describeChoice({ params, data }: ErrorObject, subject: string): Problem {
  const allowed: unknown[] = 'allowedValues' in params ? params.allowedValues : [params.allowedValue];
  const choices = allowed.map(String);
  const message = `${subject} must be ${joinWords('or', choices)}, not `;
  const code = 'invalid-value';
  // A number in quotes looks like the number that is allowed.
  if (typeof data === 'string' && choices.includes(data))
    return { code, message: `${message}the text "${data}"`, hint: 'Write it without quotes.' };
  return {
    code,
    message: message + brief(data),
    hint: typeof data === 'string' ? didYouMean(data, choices) : null,
  };
}

function listAlternatives({ schema }: ErrorObject): string {
  const names = Array.isArray(schema)
    ? schema.flatMap((each: { required?: string[] }) => each.required ?? [])
    : [];
  return joinWords(
    'or',
    names.map((name) => `\`${name}\``),
  );
}

function exampleOf(schema: ErrorObject['parentSchema']): string | undefined {
  const examples: readonly unknown[] = Array.isArray(schema?.examples) ? schema.examples : [];
  const shown = examples
    .slice(0, 3)
    .map((each) => `\`${typeof each === 'string' ? each : JSON.stringify(each)}\``);
  return shown.length === 0 ? undefined : `For example: ${joinWords('or', shown)}.`;
}

function brief(data: unknown): string {
  if (typeof data === 'object' && data !== null) return Array.isArray(data) ? 'a list' : 'a mapping';
  if (data === deferred) return 'a secret or lookup';
  const text = String(data);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** A pointer as a label for messages: `rules[0].value`. */
function labelOf(at: Pointer): string {
  const path = segmentsOf(at).map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`));
  return path.length === 0 ? 'the document' : `\`${path.join('').replace(/^\./, '')}\``;
}
