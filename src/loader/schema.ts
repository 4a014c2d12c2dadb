import type { ErrorObject, ValidateFunction } from 'ajv';
import { type Json, type JsonObject, mapJson } from '../model/json.ts';
import { lookupOf, secretName } from '../model/marker.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { didYouMean } from '../model/suggest.ts';
import type { Place } from './file.ts';
import type { Found } from './position.ts';
import type { Problems } from './problems.ts';
import { type Tree, unresolved } from './tree.ts';

/** Stands for a secret or lookup while the schema looks at a tree: text that nobody has seen yet. */
const deferred = '\0deferred';
/** What cannot be said of a text that nobody has seen. */
const aboutTheText = ['pattern', 'enum', 'const', 'minLength', 'maxLength'];
/** Keywords that only sum up errors told on their own. */
const summaries = ['if', 'propertyNames'];
/** More are not looked at: one file shows no more than this many anyway. */
const mostErrors = 60;

export interface SchemaContext {
  readonly problems: Problems;
  readonly address?: string;
  /** Places whose lines are not shown, since they may hold credentials. */
  readonly unshown?: RegExp;
  /** Where the value at a pointer stands. */
  find(at: Pointer): Found;
  /** Says it better than the general message, where it can. */
  explain?(error: ErrorObject, name: string): { code: string; message: string; hint?: string } | null;
}

/** Checks a tree against a compiled schema and tells every problem; what is not known yet is given the benefit of the doubt. */
export function checkSchema(
  validate: ValidateFunction,
  { value, tagged }: Tree,
  context: SchemaContext,
): boolean {
  if (validate(tagged ? withoutMarkers(value) : value)) return true;
  const errors = narrowest((validate.errors ?? []).filter(isTellable)).slice(0, mostErrors);
  for (const error of errors) tell(error, context);
  return errors.length === 0;
}

function withoutMarkers(tree: Json): Json {
  return mapJson(tree, (value) =>
    secretName(value) !== null || lookupOf(value) !== null ? deferred : value,
  );
}

function isTellable({ keyword, data, schemaPath, propertyName }: ErrorObject): boolean {
  if (data === unresolved && propertyName === undefined) return false;
  if (data === deferred && aboutTheText.includes(keyword)) return false;
  if (schemaPath.startsWith('#/anyOf/')) return false;
  return !summaries.includes(keyword);
}

/** Of several lists of values for one place, only the shortest: it says what the others do. */
function narrowest(errors: readonly ErrorObject[]): ErrorObject[] {
  const fewest = new Map<string, number>();
  for (const error of errors) {
    const known = fewest.get(error.instancePath) ?? Number.POSITIVE_INFINITY;
    fewest.set(error.instancePath, Math.min(known, choicesIn(error) ?? known));
  }
  return errors.filter((error) => (choicesIn(error) ?? 0) <= (fewest.get(error.instancePath) ?? 0));
}

/** How many values the error leaves; `null` where it is about something else. */
function choicesIn({ keyword, params }: ErrorObject): number | null {
  return keyword === 'enum' && Array.isArray(params.allowedValues) ? params.allowedValues.length : null;
}

function tell(error: ErrorObject, { problems, address, unshown, find, explain }: SchemaContext): void {
  const name = wrongName(error);
  const at = name === null ? error.instancePath : `${error.instancePath}/${escaped(name)}`;
  const found = find(at);
  const isKey = name !== null && found.match === 'exact';
  const { code, message, hint } = explain?.(error, name ?? '') ?? general(error, name);
  const place: Place = isKey ? found.key : found.place;
  problems.add(code, message, place, {
    ...(hint !== undefined && { hint }),
    ...(address !== undefined && { address }),
    ...(unshown?.test(at) && { excerpt: false as const }),
  });
}

/** The key that an error is about, where it is about a key and not about a value. */
function wrongName({ keyword, params, propertyName }: ErrorObject): string | null {
  if (propertyName !== undefined) return propertyName;
  if (keyword === 'additionalProperties') return String(params.additionalProperty);
  return null;
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

function general(error: ErrorObject, name: string | null): Told {
  const { keyword, params, data, parentSchema, instancePath } = error;
  const what = labelOf(instancePath);
  if (name !== null) return unknownName(error, name);
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return { code: 'missing-field', message: `${sentence(what)} lacks \`${params.missingProperty}\`` };
    case 'anyOf':
      return { code: 'missing-field', message: `${sentence(what)} lacks ${alternatives(error)}` };
    case 'type':
      return wrongType(error, what);
    case 'enum':
    case 'const':
      return wrongChoice(error, what);
    case 'pattern':
      return withHint(
        'invalid-value',
        `${sentence(what)} cannot be \`${brief(data)}\``,
        exampleOf(parentSchema),
      );
    case 'false schema':
      return { code: 'unknown-field', message: `${sentence(what)} has no place here` };
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return withHint('invalid-value', `${sentence(what)} is empty`, exampleOf(parentSchema));
    case 'maxLength':
      return {
        code: 'invalid-value',
        message: `${sentence(what)} is longer than ${params.limit} characters`,
      };
    default:
      return {
        code: 'invalid-value',
        message: `${sentence(what)} is not right: it ${error.message}, not ${brief(data)}`,
      };
  }
}

function unknownName({ keyword, parentSchema, instancePath }: ErrorObject, name: string): Told {
  const where = instancePath === '' ? '' : ` in ${labelOf(instancePath)}`;
  if (keyword === 'pattern') {
    return {
      code: 'invalid-value',
      message: `\`${name}\` is no name${where}: it has ${parentSchema?.description ?? 'other characters'}`,
    };
  }
  const known = isRecord(parentSchema?.properties) ? Object.keys(parentSchema.properties) : [];
  const hint = didYouMean(name, known) ?? (known.length <= 12 ? `Known: ${known.join(', ')}.` : undefined);
  return withHint('unknown-field', `There is no field \`${brief(name)}\`${where}`, hint);
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

function wrongType({ params, data, parentSchema }: ErrorObject, what: string): Told {
  const types = [params.type].flat().map((type) => typeNames[String(type)] ?? String(type));
  const wantsText = [params.type].flat().includes('string');
  const quotable = typeof data === 'number' || typeof data === 'boolean';
  const meant = [params.type].flat().includes('boolean') ? meantTruth(data) : undefined;
  const hint = wantsText && quotable ? meantText(String(data), parentSchema) : meant;
  return withHint('wrong-type', `${sentence(what)} must be ${listed(types)}, not ${brief(data)}`, hint);
}

/** Quotes do not help where the text would not do either. */
function meantText(text: string, schema: ErrorObject['parentSchema']): string | undefined {
  const pattern: unknown = schema?.pattern;
  const isFit = typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text);
  return isFit ? `If it is text, put it in quotes: "${text}".` : exampleOf(schema);
}

/** What other readers of YAML take for true and false, and YAML 1.2 for text. */
function meantTruth(data: unknown): string | undefined {
  if (data === 'true' || data === 'false')
    return `This is text, as all in quotes is: write \`${data}\` without them.`;
  const truth = Object.entries(otherTruths).find(([, words]) =>
    words.includes(String(data).toLowerCase()),
  )?.[0];
  return truth === undefined ? undefined : `YAML 1.2 reads \`${data}\` as text: write \`${truth}\`.`;
}

const otherTruths = { true: ['yes', 'on'], false: ['no', 'off'] };

function wrongChoice({ params, data }: ErrorObject, what: string): Told {
  const choices: unknown[] = 'allowedValues' in params ? params.allowedValues : [params.allowedValue];
  const message = `${sentence(what)} must be ${listed(choices.map((choice) => String(choice)))}, not ${brief(data)}`;
  const near = typeof data === 'string' ? didYouMean(data, choices.map(String)) : null;
  return withHint('invalid-value', message, near ?? undefined);
}

function alternatives({ schema }: ErrorObject): string {
  const names = Array.isArray(schema)
    ? schema.flatMap((each: { required?: string[] }) => each.required ?? [])
    : [];
  return listed(names.map((name) => `\`${name}\``));
}

function withHint(code: string, message: string, hint: string | null | undefined): Told {
  return hint ? { code, message, hint } : { code, message };
}

function exampleOf(schema: ErrorObject['parentSchema']): string | undefined {
  const example = Array.isArray(schema?.examples) ? schema.examples[0] : undefined;
  return example === undefined
    ? undefined
    : `For example: \`${typeof example === 'string' ? example : JSON.stringify(example)}\`.`;
}

function brief(data: unknown): string {
  if (typeof data === 'object' && data !== null) return Array.isArray(data) ? 'a list' : 'a mapping';
  if (data === deferred) return 'a secret or lookup';
  const text = String(data);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** A pointer as people write it: `rules[0].value`. */
function labelOf(at: Pointer): string {
  const path = segmentsOf(at).map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`));
  return path.length === 0 ? 'the document' : `\`${path.join('').replace(/^\./, '')}\``;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function escaped(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
