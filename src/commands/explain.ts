import { readFileSync } from 'node:fs';
import { builtInKinds } from '../kinds/index.ts';
import { unknownKind } from '../kinds/project.ts';
import { type Member, printableOf, printBlock } from '../loader/print.ts';
import { ExitCode, fail } from '../model/failure.ts';
import {
  get,
  getObject,
  getText,
  isArray,
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
} from '../model/json.ts';
import { valueAt } from '../model/pointer.ts';
import { didYouMean, joinWords } from '../model/words.ts';
import { blank, layout, padTo, paragraph, type Row, row, span } from '../report/layout.ts';
import { type ArgsOf, commonOptions, describeCommand, option } from './command.ts';
import { type Io, viewOf } from './io.ts';
import { documentation, isInPackage, packageFile, wholeSchema } from './package-file.ts';
import { kindsHere } from './project.ts';

export const command = describeCommand({
  usage:
    '$0 explain CODE|KIND[.FIELD]\n\nExplains the code of a message: what it means, and what to do. Or a kind: its fields, or one of them, with type, default and an example.',
  options: {
    ...commonOptions,
    subject: {
      ...option.argument(
        'The code in brackets after a message; or a kind, or a field of it, such as ProfileSearch.rules.type',
      ),
      demandOption: true,
    },
  },
  examples: {
    '$0 explain plan-stale': 'Explain why a saved plan was refused',
    '$0 explain SimIntegration': 'The fields of a kind',
    '$0 explain NotificationTemplate.medium': 'One field',
  },
}).run(async ({ subject, ...args }, io) => {
  // Codes are in lower case, kinds begin with a capital.
  const text = /^[A-Z]|\./.test(subject) ? aboutKind(subject, args, io) : aboutCode(subject, args, io);
  io.stdout.write(text);
  return ExitCode.done;
});

type Args = ArgsOf<typeof commonOptions>;

const page = 'docs/troubleshooting.md';

function aboutCode(subject: string, args: Args, io: Io): string {
  const code = subject.replace(/^\[|\]$/g, '');
  const entries = codeTexts();
  const text = entries.get(code);
  if (text !== undefined) {
    const rows = [row(0, span(code, 'bold')), blank, ...text.split('\n\n').flatMap(blockRows)];
    return `${layout(rows, viewOf(io.stdout, io))}Documentation: ${documentation(`${page}#${code}`)}\n`;
  }
  const kinds = kindsHere(args, io).all.map(({ name }) => name);
  throw fail('unknown-code', `There is no code \`${code.slice(0, 80)}\`.`, {
    hint: didYouMean(code, [...entries.keys(), ...kinds]) ?? `All codes: ${documentation(page)}`,
  });
}

/** A paragraph, a list or code of the page, wrapped anew unless it is code. */
function blockRows(block: string): Row[] {
  if (block.startsWith('```')) return [...paragraph(2, block.replace(/^```.*\n|\n```$/g, '')), blank];
  const items = block.split(/\n(?=(?:- |\d+\. |\|))/);
  return [
    ...items.map((item) => {
      const [mark = ''] = /^(?:- |\d+\. )/.exec(item) ?? [];
      return { indent: 0, hang: mark.length, spans: [span(item.replace(/\n\s*/g, ' '))] };
    }),
    blank,
  ];
}

/** The entries of the troubleshooting page by code, each with the introduction of its section. Without links. */
export function codeTexts(): ReadonlyMap<string, string> {
  const [, ...sections] = readFileSync(packageFile(page), 'utf8').split(/^## .*\n/m);
  return new Map(
    sections.flatMap((section) => {
      const [preface = '', ...entries] = section.split(/^### /m);
      return entries.map((entry) => {
        const [code = '', ...lines] = entry.split('\n');
        const text = `${lines.join('\n').trim()}\n\n${preface.trim()}`.trim();
        return [code, text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')] as const;
      });
    }),
  );
}

function aboutKind(subject: string, args: Args, io: Io): string {
  // Messages write the items of a list as `rules[0].value`.
  const path = subject.replace(/\[\d+\]/g, '').split('.');
  const [name = '', first, ...below] = path;
  // If the project cannot be read, the schemas of the built-in kinds still help.
  const kinds = isInPackage(name) ? builtInKinds : kindsHere(args, io);
  if (!kinds.find(name)) {
    const { code, message, hint } = unknownKind(name.slice(0, 80), kinds);
    throw fail(code, message, { hint });
  }
  const written = wholeSchema(name, kinds);
  const whole = mapMembers(written, (part) => dereference(part, written));
  const { schema, need } = fieldAt(whole, path);
  const standard = get(schema, 'default');
  const type = first === undefined ? '' : `  ${typeWords(schema)}${need}`;
  const rows: Row[] = [
    row(0, span(path.join('.'), 'bold'), span(type, 'dim')),
    blank,
    ...paragraph(0, sentence(getText(schema, 'description') ?? '')),
    ...(standard === undefined ? [] : [blank, row(0, span(`Default: ${JSON.stringify(standard)}`))]),
    ...fieldRows(schema),
  ];
  const shown = below.length === 0 ? exampleLines(whole, first) : [];
  const end = [...shown, '', `Documentation: ${documentation('docs/manifests.md')}`];
  return `${layout(rows, viewOf(io.stdout, io))}${end.map((line) => `${line}\n`).join('')}`;
}

/** The schema at a path of names (`ProfileSearch.rules.type`). Throws a Failure for a name that its schema does not have. */
function fieldAt(whole: JsonObject, path: readonly string[]) {
  let schema = whole;
  let need = '';
  for (const [depth, name] of path.slice(1).entries()) {
    const members = membersOf(schema);
    const next = members.get(name);
    if (!next) {
      const names = [...members.keys()];
      const known = names.length > 0 ? `It has ${joinWords('and', names)}.` : 'It has no fields.';
      const place = path.slice(0, depth + 1).join('.');
      throw fail('unknown-field', `${place} has no field \`${name.slice(0, 80)}\`.`, {
        hint: didYouMean(name, names) ?? known,
      });
    }
    need = needWords(schema, name);
    schema = next;
  }
  return { schema, need };
}

/** A part of a schema, with what its references lead to in their place. */
function dereference(part: Json, whole: JsonObject): Json {
  if (isArray(part)) return part.map((item) => dereference(item, whole));
  if (!isObject(part)) return part;
  const reference = getText(part, '$ref');
  const target = reference === null ? undefined : valueAt(whole, reference.slice(1));
  return isObject(target)
    ? dereference(target, whole)
    : mapMembers(part, (member) => dereference(member, whole));
}

/** The schema of a mapping; of a list, that of its items. */
function mappingIn(schema: JsonObject): JsonObject {
  const isList = !Object.hasOwn(schema, 'properties') && Object.hasOwn(schema, 'items');
  return isList ? mappingIn(getObject(schema, 'items')) : schema;
}

function membersOf(schema: JsonObject): ReadonlyMap<string, JsonObject> {
  const properties = getObject(mappingIn(schema), 'properties');
  return new Map(Object.keys(properties).map((name) => [name, getObject(properties, name)]));
}

/** The names of the members that are always required, then those of each choice of further ones. */
function requiredIn(schema: JsonObject): string[][] {
  const mapping = mappingIn(schema);
  const rules = [mapping, ...itemsOf(get(mapping, 'anyOf') ?? null)];
  return rules.map((rule) => (isObject(rule) ? itemsOf(get(rule, 'required') ?? null).map(String) : []));
}

function needWords(schema: JsonObject, name: string): string {
  const [always = [], ...choices] = requiredIn(schema);
  const others = choices.filter((names) => !names.includes(name));
  if (always.includes(name)) return ', required';
  return others.length === choices.length ? '' : `, required without ${joinWords('or', others.flat())}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'mapping',
};

function typeWords(schema: JsonObject): string {
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(get(schema, 'const'));
  const values = itemsOf(get(schema, 'enum') ?? null).map(String);
  if (values.length > 0) return joinWords('or', values);
  const type = get(schema, 'type') ?? (Object.hasOwn(schema, 'properties') ? 'object' : null);
  const names = isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : [];
  if (names.length === 0) return 'any value';
  const items = Object.hasOwn(schema, 'items') ? typeWords(getObject(schema, 'items')) : 'any value';
  return joinWords(
    'or',
    names.map((name) => (name === 'array' ? `list (each item: ${items})` : (typeNames[name] ?? name))),
  );
}

function fieldRows(schema: JsonObject): Row[] {
  const members = [...membersOf(schema)];
  const width = Math.max(0, ...members.map(([name]) => name.length));
  const rows = members.map(([name, member]): Row => {
    const words = `${typeWords(member)}${needWords(schema, name)}. `;
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

/** A valid manifest with its key and the field; without a field, with every example of the schema. */
function exampleLines(whole: JsonObject, field: string | undefined): string[] {
  const required = requiredIn(whole).slice(0, 2).flat();
  const members = [...membersOf(whole)].flatMap(([name, schema]): Member[] => {
    const isWanted =
      field === undefined ? Object.hasOwn(schema, 'examples') && name !== 'id' : name === field;
    return isWanted || required.includes(name) ? [[name, printableOf(exampleOf(schema))]] : [];
  });
  const lines = printBlock({ members }).trimEnd().split('\n');
  return ['', 'Example:', ...lines.map((line) => `  ${line}`.trimEnd())];
}

function exampleOf(schema: JsonObject): Json {
  const [given] = [...itemsOf(get(schema, 'examples') ?? null), ...itemsOf(get(schema, 'enum') ?? null)];
  const fixed = get(schema, 'const') ?? given;
  const [, address] = /^!ref (.+)/.exec(String(fixed)) ?? [];
  if (address !== undefined) return { $ref: address };
  if (fixed !== undefined) return fixed;
  const type = get(schema, 'type');
  const [first] = isArray(type) ? type : [type];
  if (first === 'array') return [exampleOf(getObject(schema, 'items'))];
  if (first === 'boolean') return true;
  if (first === 'integer' || first === 'number') return 1;
  const members = [...membersOf(schema)];
  if (first !== 'object' && members.length === 0) return 'text';
  const required = requiredIn(schema).slice(0, 2).flat();
  const shown =
    required.length > 0 ? members.filter(([name]) => required.includes(name)) : members.slice(0, 1);
  return objectFrom(shown.map(([name, member]) => [name, exampleOf(member)]));
}
