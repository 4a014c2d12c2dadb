import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { isScalar } from 'yaml';
import { compileSchema, validators } from '../generated/validators.js';
import type { Kind } from '../kinds/kind.ts';
import { get, type Json, mapJson } from '../model/json.ts';
import { lookupOf, refOf, secretName } from '../model/marker.ts';
import { type Pointer, pointer, segmentsOf, setPart, valueAt } from '../model/pointer.ts';
import { looksLikeCredential } from '../model/sensitive.ts';
import { cutShort, didYouMean, joinWords } from '../model/words.ts';
import { findOddBlank } from './parse.ts';
import { type Place, type Problem, quoted, unresolved } from './problems.ts';
import type { FoundNode, Tree } from './tree.ts';

/** Replaces a secret or lookup while a tree is validated: a text that is not known yet. */
const deferred = `\0${randomUUID()}`;

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
  const validate =
    compiled.get(kind) ??
    get(schemas, kind.name) ??
    (kind.described && compileSchema(kind.described.schema()));
  if (!validate) throw new Error(`There is no schema for ${kind.name}.`);
  compiled.set(kind, validate);
  return validate;
}

/**
 * Checks a tree against a compiled schema, and calls `report` with each fault. Returns whether there was none. Values that
 * are not known yet, or could not be read, count as valid.
 */
export function checkSchema(
  validate: ValidateFunction,
  { value, tagged }: Tree,
  find: (at: Pointer) => FoundNode,
  report: (problem: Problem, place: Place, fault: SchemaFault) => void,
): boolean {
  const known = tagged
    ? mapJson(value, (part) => {
        // It may stand for a whole object, so nothing is known of it.
        if (refOf(part) !== null) return unresolved;
        return secretName(part) !== null || lookupOf(part) !== null ? deferred : part;
      })
    : value;
  if (validate(known)) return true;
  const errors = dropWiderChoices((validate.errors ?? []).filter(isReportable)).slice(0, maxErrors);
  for (const fault of errors.map(faultOf)) {
    const { match, key, place, node } = find(fault.at);
    report(explainFault(fault, node), fault.name !== null && match === 'exact' ? key : place, fault);
  }
  return errors.length === 0;
}

type SchemaFault = ReturnType<typeof faultOf>;

/** `name`: that of the member that an error is about; `null` for a value. */
function faultOf(error: ErrorObject) {
  const { keyword, params, propertyName, instancePath } = error;
  const isUnknown = keyword === 'additionalProperties';
  const name = propertyName ?? (isUnknown ? String(params.additionalProperty) : null);
  return { at: name === null ? instancePath : instancePath + pointer(name), name, error };
}

/** The part of a value that fits its schema, so far as it could be read; `null` if nothing is left. */
export function fittingPart<T>(validate: ValidateFunction<T>, value: Json): T | null {
  for (let part: Json = value; part !== null; ) {
    if (validate(part)) return part;
    const faults = (validate.errors ?? []).filter(({ keyword }) => !summaryKeywords.includes(keyword));
    // From the end on: the places of earlier items of a list stay as they are.
    for (const { at, name } of faults.map(faultOf).reverse()) {
      // A tag is unknown as a member of the value in its place: that is what does not fit.
      const place = name?.startsWith('$') ? at.slice(0, at.lastIndexOf('/')) : at;
      if (valueAt(part, place) !== undefined) part = setPart(part, place, null);
    }
  }
  return null;
}

function isReportable({ keyword, data, schemaPath, propertyName }: ErrorObject): boolean {
  if (data === unresolved && propertyName === undefined) return false;
  if (data === deferred && textKeywords.includes(keyword)) return false;
  // The error about all alternatives together says more than that about each one.
  if (/\/anyOf\/\d+\//.test(schemaPath)) return false;
  return !summaryKeywords.includes(keyword);
}

/** Of several lists of choices for one value, the shortest says most. */
function dropWiderChoices(errors: readonly ErrorObject[]): ErrorObject[] {
  const fewest = new Map<string, number>();
  for (const { keyword, params, instancePath } of errors) {
    const fewer = fewest.get(instancePath) ?? Number.POSITIVE_INFINITY;
    if (keyword === 'enum') fewest.set(instancePath, Math.min(fewer, params.allowedValues.length));
  }
  return errors.filter(
    ({ keyword, params, instancePath }) =>
      keyword !== 'enum' || params.allowedValues.length === fewest.get(instancePath),
  );
}

/** An error of a schema in words for people who do not know the schema. `node` is what is written at its place. */
function explainFault({ error, name }: SchemaFault, node: unknown): Problem {
  if (name !== null) return describeName(error, name);
  const { keyword, data, schema, parentSchema, instancePath, message } = error;
  const label = labelOf(instancePath);
  const subject = label.charAt(0).toUpperCase() + label.slice(1);
  const code = 'invalid-value';
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return describeMissing(error, subject);
    case 'anyOf': {
      const choices: { required?: string[] }[] = Array.isArray(schema) ? schema : [];
      const names = choices.flatMap(({ required = [] }) => required.map((each) => `\`${each}\``));
      return { code: 'missing-field', message: `${subject} has no ${joinWords('or', names)}.` };
    }
    case 'type':
      return describeType(error, subject, node);
    case 'enum':
    case 'const':
      return describeChoice(error, subject);
    case 'false schema':
      return { code: 'unknown-field', message: `${subject} is not allowed here.` };
    case 'pattern':
    case 'minLength':
    case 'minItems':
    case 'minProperties': {
      const isEmpty = keyword !== 'pattern' || data === '';
      const what = isEmpty ? 'is empty' : `cannot be \`${brief(data)}\``;
      return {
        code,
        message: `${subject} ${what}.`,
        hint: hintForDomain(data, parentSchema) ?? exampleOf(parentSchema),
      };
    }
    default: {
      const what = limitWords(error) ?? `${message}, not ${showInQuotes(data)}`;
      return { code, message: `${subject} ${what}.` };
    }
  }
}

function limitWords({ keyword, params: { limit, i, j }, data }: ErrorObject): string | null {
  if (keyword === 'maxLength') return `is longer than ${limit} characters`;
  if (keyword === 'maxItems') return `has more than ${limit} items`;
  if (keyword === 'maxProperties') return `has more than ${limit} member${limit === 1 ? '' : 's'}`;
  if (keyword === 'uniqueItems') return `has an item twice, at ${j} and ${i}`;
  if (keyword === 'minimum') return `must be ${limit} or more, not ${brief(data)}`;
  return keyword === 'maximum' ? `must be ${limit} or less, not ${brief(data)}` : null;
}

function describeMissing({ params, parentSchema }: ErrorObject, subject: string): Problem {
  const name = String(params.missingProperty);
  const schema = parentSchema?.properties?.[name];
  const choices = Array.isArray(schema?.enum) ? `It is ${joinWords('or', schema.enum.map(String))}.` : null;
  const [example] = Array.isArray(schema?.examples) ? schema.examples : [schema?.const];
  const isPlain = typeof example === 'string' || typeof example === 'number';
  const hint = choices ?? (isPlain ? `For example: \`${name}: ${example}\`.` : schema?.description);
  return { code: 'missing-field', message: `${subject} has no \`${name}\`.`, hint };
}

function describeName({ keyword, parentSchema, instancePath }: ErrorObject, name: string): Problem {
  const where = instancePath === '' ? '' : ` in ${labelOf(instancePath)}`;
  const shown = `\`${shorten(name) || '""'}\``;
  if (keyword === 'pattern') {
    const rule = parentSchema?.description ?? 'other characters';
    return { code: 'invalid-value', message: `${shown} is not a valid name${where}: a name has ${rule}.` };
  }
  // A rule for names alone lists them itself.
  const listed: unknown = parentSchema?.enum;
  const known = Array.isArray(listed) ? listed.map(String) : Object.keys(parentSchema?.properties ?? {});
  const blank = findOddBlank(name);
  const hint =
    (blank && `Replace the character ${blank.name} with an ordinary space: YAML does not count it as one.`) ??
    didYouMean(name, known) ??
    (known.length <= 12 ? `The fields are: ${known.join(', ')}.` : undefined);
  return { code: 'unknown-field', message: `There is no field ${shown}${where}.`, hint };
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

function describeType(error: ErrorObject, subject: string, node: unknown): Problem {
  const { params, data } = error;
  const types = [params.type].flat().map(String);
  const wanted = joinWords(
    'or',
    types.map((type) => typeNames[type] ?? type),
  );
  const message = `${subject} must be ${wanted}, not ${showInQuotes(data)}.`;
  return { code: 'wrong-type', message, hint: hintForType(types, error, node) };
}

function hintForType(types: readonly string[], { data, parentSchema }: ErrorObject, node: unknown) {
  if (types.includes('string') && (typeof data === 'number' || typeof data === 'boolean')) {
    // As it is written: 1.10 is read as 1.1.
    const text = isScalar(node) && node.value === data && node.source ? node.source : String(data);
    const pattern: unknown = parentSchema?.pattern;
    // In quotes, the text may not be valid either.
    const isFit = typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text);
    return isFit ? `If it is text, put it in quotes: "${brief(text)}".` : exampleOf(parentSchema);
  }
  const isTruth = types.includes('boolean');
  if (isTruth && typeof data === 'string' && /^(yes|on|no|off)$/i.test(data))
    return `YAML 1.2 reads \`${quoted(data)}\` as text: write \`${/^(yes|on)$/i.test(data)}\`.`;
  const isNumber = types.includes('integer') || types.includes('number');
  if (
    typeof data === 'string' &&
    ((isTruth && /^(true|false)$/.test(data)) || (isNumber && /^\d+$/.test(data)))
  )
    return isScalar(node) && node.tag === '!env'
      ? '`!env` always gives text: write the value itself, or use `!var`.'
      : 'Write it without quotes.';
  if (!types.includes('array') || data === null || data === deferred) return undefined;
  if (typeof data === 'object') return 'Begin each item of the list with `- `, also the only one.';
  return types.includes('object')
    ? 'Write its members as YAML, such as `{ name: value }`.'
    : `Put it in brackets: [${brief(data)}].`;
}

function describeChoice({ params, data }: ErrorObject, subject: string): Problem {
  const allowed: unknown[] = 'allowedValues' in params ? params.allowedValues : [params.allowedValue];
  const choices = allowed.map(String);
  const message = `${subject} must be ${joinWords('or', choices)}, not ${showInQuotes(data)}.`;
  if (typeof data !== 'string') return { code: 'invalid-value', message };
  const hint = choices.includes(data) ? 'Write it without quotes.' : didYouMean(data, choices);
  return { code: 'invalid-value', message, hint };
}

function exampleOf(schema: ErrorObject['parentSchema']): string | undefined {
  const examples: readonly unknown[] = Array.isArray(schema?.examples) ? schema.examples : [];
  const shown = examples
    .slice(0, 3)
    .map((each) => `\`${typeof each === 'string' ? each : JSON.stringify(each)}\``);
  return shown.length === 0 ? undefined : `For example: ${joinWords('or', shown)}.`;
}

/** Text is quoted: `not a` would read as the beginning of a sentence. */
const showInQuotes = (data: unknown): string =>
  typeof data === 'string' && data !== deferred && !looksLikeCredential(data)
    ? `"${brief(data)}"`
    : brief(data);

/** The `xn--` form of a domain with other letters than DNS has, if that is valid. */
function hintForDomain(data: unknown, schema: ErrorObject['parentSchema']): string | undefined {
  if (typeof data !== 'string' || !data.includes('.') || /^\p{ASCII}*$/u.test(data)) return undefined;
  const ascii = domainToASCII(data);
  const isFit = ascii !== '' && new RegExp(String(schema?.pattern ?? '$.'), 'u').test(ascii);
  return isFit ? `DNS has this domain as \`${ascii}\`: write that.` : undefined;
}

function brief(data: unknown): string {
  if (typeof data === 'object' && data !== null) return Array.isArray(data) ? 'a list' : 'a mapping';
  if (data === deferred) return 'a secret or lookup';
  return quoted(shorten(String(data)));
}

function shorten(text: string): string {
  return looksLikeCredential(text) ? '•••' : cutShort(text.replaceAll(/[ \t]*[\r\n]\s*/g, ' '), 40);
}

function labelOf(at: Pointer): string {
  const path = segmentsOf(at).map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`));
  return path.length === 0 ? 'the document' : `\`${path.join('').replace(/^\./, '')}\``;
}
