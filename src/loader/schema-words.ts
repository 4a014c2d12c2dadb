import type { ErrorObject } from 'ajv';
import { isScalar } from 'yaml';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { looksLikeCredential } from '../model/sensitive.ts';
import { didYouMean, joinWords } from '../model/words.ts';
import type { Problem } from './problems.ts';
import { findOddBlank } from './syntax.ts';
import { deferred } from './tree.ts';

/** A mistake that a schema finds in a tree. */
export interface SchemaFault {
  /** The place of the value, or of the member, that it is about. */
  readonly at: Pointer;
  /** The name of the member that it is about; `null` for a value. */
  readonly name: string | null;
  readonly error: ErrorObject;
}

/**
 * An error of a schema in words for people who do not know the schema.
 *
 * @param node what is written at its place
 */
export function explainFault({ error, name }: SchemaFault, node: unknown): Problem {
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
      return describeType(error, subject, node);
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
    case 'minimum':
      return { code, message: `${subject} must be ${params.limit} or more, not ${brief(data)}` };
    case 'maximum':
      return { code, message: `${subject} must be ${params.limit} or less, not ${brief(data)}` };
    default:
      return { code, message: `${subject} ${message}, not ${brief(data)}` };
  }
}

const countedAs = { maxItems: 'items', maxProperties: 'members' } as const;

function describeMissing({ params, parentSchema }: ErrorObject, subject: string): Problem {
  const name = String(params.missingProperty);
  const schema = parentSchema?.properties?.[name];
  const choices = Array.isArray(schema?.enum) ? `It is ${joinWords('or', schema.enum.map(String))}.` : null;
  const [example] = Array.isArray(schema?.examples) ? schema.examples : [schema?.const];
  const isPlain = typeof example === 'string' || typeof example === 'number';
  const hint = choices ?? (isPlain ? `For example: \`${name}: ${example}\`.` : schema?.description);
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

function describeType({ params, data, parentSchema }: ErrorObject, subject: string, node: unknown): Problem {
  const types = [params.type].flat().map(String);
  const wanted = joinWords(
    'or',
    types.map((type) => typeNames[type] ?? type),
  );
  const isQuotable = typeof data === 'number' || typeof data === 'boolean';
  const otherHint = types.includes('boolean') ? hintForTruth(data) : hintForList(types, data);
  // As it is written: 1.10 is read as 1.1.
  const written = isScalar(node) && node.value === data && node.source ? node.source : String(data);
  const hint = types.includes('string') && isQuotable ? hintForText(brief(written), parentSchema) : otherHint;
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
  if (looksLikeCredential(text)) return '•••';
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** A pointer as a label for messages: `rules[0].value`. */
function labelOf(at: Pointer): string {
  const path = segmentsOf(at).map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`));
  return path.length === 0 ? 'the document' : `\`${path.join('').replace(/^\./, '')}\``;
}
