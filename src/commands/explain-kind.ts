import { type Member, printableOf, printBlock } from '../loader/print.ts';
import { fail } from '../model/failure.ts';
import {
  get,
  getText,
  isArray,
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  objectFrom,
} from '../model/json.ts';
import { valueAt } from '../model/pointer.ts';
import { didYouMean, joinWords } from '../model/words.ts';
import { blank, layout, padTo, paragraph, type Row, row, span } from '../report/layout.ts';

/** A schema without references, or what a field's text says of it. */
type Schema = JsonObject;

/**
 * What the schema of a kind says: of the kind, or of the field that a path of names leads to (`rules.type`). Throws a Failure for a
 * name that the schema does not have.
 *
 * @param whole the schema, with all that it refers to
 */
export function explainKind(
  whole: JsonObject,
  [kind = '', ...path]: readonly string[],
  view: { readonly colour: boolean; readonly width: number },
): string {
  const follow = (schema: Json | undefined): Schema => resolve(schema, whole);
  let found: Schema = whole;
  let isRequired = false;
  for (const [depth, name] of path.entries()) {
    const members = membersOf(found, follow);
    const next = members.get(name);
    if (!next) throw unknownField([kind, ...path.slice(0, depth)].join('.'), name, [...members.keys()]);
    isRequired = requiredIn(found, follow).includes(name);
    found = next;
  }
  const standard = get(found, 'default');
  const [first, ...below] = path;
  const rows: Row[] = [
    row(
      0,
      span([kind, ...path].join('.'), 'bold'),
      span(
        first === undefined ? '' : `  ${typeWords(found, follow)}${isRequired ? ', required' : ''}`,
        'dim',
      ),
    ),
    blank,
    ...paragraph(0, sentence(getText(found, 'description') ?? '')),
    ...(standard === undefined ? [] : [blank, row(0, span(`Default: ${JSON.stringify(standard)}`))]),
    ...fieldRows(found, follow),
  ];
  const example = exampleFor(whole, first, follow);
  const shown = below.length === 0 && isObject(example) ? ['', 'Example:', ...indented(example)] : [];
  return `${layout(rows, view)}${shown.map((line) => `${line}\n`).join('')}`;
}

function unknownField(place: string, name: string, names: readonly string[]) {
  const hint =
    didYouMean(name, names) ??
    (names.length > 0 ? `It has ${joinWords('and', names)}.` : 'It has no fields.');
  return fail('unknown-field', `${place} has no field \`${name.slice(0, 80)}\`.`, { hint });
}

/** The schema that a reference stands for, with what stands beside the reference. */
function resolve(schema: Json | undefined, whole: JsonObject): Schema {
  if (!isObject(schema)) return {};
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string') return schema;
  return { ...resolve(valueAt(whole, $ref.slice(1)), whole), ...beside };
}

type Follow = (schema: Json | undefined) => Schema;

/** The members of an object, or of each item of a list. */
function membersOf(schema: Schema, follow: Follow): ReadonlyMap<string, Schema> {
  const properties = get(schema, 'properties');
  if (isObject(properties))
    return new Map(Object.entries(properties).map(([name, member]) => [name, follow(member)]));
  return Object.hasOwn(schema, 'items') ? membersOf(follow(get(schema, 'items')), follow) : new Map();
}

/** The names of the members that have to be there; of several choices, the first. */
function requiredIn(schema: Schema, follow: Follow): string[] {
  const choice = itemsOf(get(schema, 'anyOf') ?? null)[0];
  const names = [schema, ...(isObject(choice) ? [choice] : [])].flatMap((each) =>
    itemsOf(get(each, 'required') ?? null),
  );
  if (names.length > 0 || !Object.hasOwn(schema, 'items')) return names.map(String);
  return requiredIn(follow(get(schema, 'items')), follow);
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'mapping',
  null: 'null',
};

function typeWords(schema: Schema, follow: Follow): string {
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(get(schema, 'const'));
  const values = itemsOf(get(schema, 'enum') ?? null).map(String);
  if (values.length > 0) return joinWords('or', values);
  const type = get(schema, 'type') ?? (Object.hasOwn(schema, 'properties') ? 'object' : null);
  const names = isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : [];
  if (names.length === 0) return 'any value';
  const wordFor = (name: string) =>
    name === 'array' ? `list of ${itemWords(get(schema, 'items'), follow)}` : (typeNames[name] ?? name);
  return joinWords('or', names.map(wordFor));
}

function itemWords(items: Json | undefined, follow: Follow): string {
  if (items === undefined) return 'any values';
  const words = typeWords(follow(items), follow);
  return words === 'any value' ? 'values' : `${words}s`.replace(' or ', 's or ');
}

function fieldRows(schema: Schema, follow: Follow): Row[] {
  const members = [...membersOf(schema, follow)];
  const required = requiredIn(schema, follow);
  const width = Math.max(0, ...members.map(([name]) => name.length));
  const rows = members.map(([name, member]): Row => {
    const words = `${typeWords(member, follow)}${required.includes(name) ? ', required' : ''}. `;
    const about = sentence(getText(member, 'description') ?? '');
    return {
      indent: 2,
      hang: width + 4,
      spans: [span(`${padTo(name, width)}  `, 'bold'), span(words, 'dim'), span(about)],
    };
  });
  return rows.length === 0 ? [] : [blank, row(0, span('Fields:')), ...rows];
}

const sentence = (text: string) => (text === '' || /[.!?]$/.test(text) ? text : `${text}.`);

/**
 * A manifest that is valid, with its key and the field; without a field, with all that the schema shows an example of.
 */
function exampleFor(whole: JsonObject, field: string | undefined, follow: Follow): Json {
  const required = requiredIn(whole, follow);
  const isShown = ([name, schema]: readonly [string, Schema]) =>
    required.includes(name) ||
    (field === undefined ? Object.hasOwn(schema, 'examples') && name !== 'id' : name === field);
  const members = [...membersOf(whole, follow)].filter(isShown);
  return objectFrom(members.map(([name, schema]) => [name, exampleOf(schema, follow)]));
}

function exampleOf(schema: Schema, follow: Follow): Json {
  const [given] = [...itemsOf(get(schema, 'examples') ?? null), ...itemsOf(get(schema, 'enum') ?? null)];
  const fixed = get(schema, 'const') ?? given;
  if (fixed !== undefined) return fixed;
  const type = get(schema, 'type');
  const [first] = isArray(type) ? type : [type];
  if (first === 'array') return [exampleOf(follow(get(schema, 'items')), follow)];
  if (first === 'boolean') return true;
  if (first === 'integer' || first === 'number') return 1;
  const members = [...membersOf(schema, follow)];
  if (first !== 'object' && members.length === 0) return 'text';
  const required = requiredIn(schema, follow);
  const shown =
    required.length > 0 ? members.filter(([name]) => required.includes(name)) : members.slice(0, 1);
  return objectFrom(shown.map(([name, member]) => [name, exampleOf(member, follow)]));
}

function indented(example: JsonObject): string[] {
  const members = Object.entries(example).map(([name, value]): Member => [name, printableOf(value)]);
  const text = printBlock({ members });
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`.trimEnd());
}
