import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectFrom,
  objectsIn,
  own,
  textOf,
} from '../model/json.ts';
import type { Tree } from './velocity.ts';

/** The variable that holds the tenant's own attributes (api-notes, "Template context"). */
const globals = '__global';
/** Variables that Velocity itself provides inside `#foreach` and macros. */
const provided = ['foreach', 'velocityCount', 'velocityHasNext', 'bodyContent'];

/**
 * A context with a readable value for every variable that the templates use and do not set themselves: `Ann Example`
 * for `${user.name}`, two items for what `#foreach` iterates over.
 *
 * @param attributes the tenant's, taken as they are; `null` makes them up too
 */
export function sampleContext(templates: readonly Tree[], attributes: JsonObject | null): JsonObject {
  const variables = new Shape();
  const scope: Scope = { variables, local: new Map(provided.map((name) => [name, null])) };
  // The tree is plain data of many types.
  for (const template of templates) walk(JSON.parse(JSON.stringify(template)), scope);
  const sampled = [...variables.members].map(([name, shape]) => [name, sampleValue(name, shape)] as const);
  return objectFrom([...sampled, ...(attributes ? [[globals, attributes] as const] : [])]);
}

/** What a template reveals of a value that it expects. */
class Shape {
  readonly members = new Map<string, Shape>();
  /** Of a list: the template iterates over it, or takes items of it. */
  item: Shape | null = null;
  isNumber = false;
  /** A text it is compared with. */
  like: string | null = null;

  member(name: string): Shape {
    const shape = this.members.get(name) ?? new Shape();
    this.members.set(name, shape);
    return shape;
  }

  asList(): Shape {
    this.item ??= new Shape();
    return this.item;
  }
}

interface Scope {
  /** Its members are the variables that the template does not set itself. */
  readonly variables: Shape;
  /** Those that it sets; `null` for something unknown. */
  readonly local: Map<string, Shape | null>;
}

/** A node or a list of nodes; a block is a list that begins with its directive. */
function walk(node: Json | undefined, scope: Scope): void {
  if (isArray(node)) {
    const [first = null] = node;
    const within = isObject(first) ? scopeWithin(first, scope) : scope;
    for (const each of node) walk(each, within);
  } else if (isObject(node)) walkNode(node, scope);
}

/** The variables inside the block that a directive opens. */
function scopeWithin(directive: JsonObject, scope: Scope): Scope {
  const inner = (names: readonly (readonly [string, Shape | null])[]): Scope => ({
    ...scope,
    local: new Map([...scope.local, ...names]),
  });
  switch (textOf(directive, 'type')) {
    case 'foreach': {
      const item = resolve(own(directive, 'from'), scope)?.asList() ?? null;
      return inner([[textOf(directive, 'to') ?? '', item]]);
    }
    case 'macro':
      return inner(objectsIn(own(directive, 'args')).map((arg) => [textOf(arg, 'id') ?? '', null]));
    case 'define':
      scope.local.set(textOf(directive, 'id') ?? '', null);
      return scope;
    default:
      return scope;
  }
}

function walkNode(node: JsonObject, scope: Scope): void {
  switch (textOf(node, 'type')) {
    case 'references':
      resolve(node, scope);
      return;
    case 'set': {
      const [target, value] = objectsIn(own(node, 'equal'));
      const source = isReference(value) ? resolve(value, scope) : null;
      if (!isReference(value)) walk(value, scope);
      if (target && own(target, 'path') === undefined) scope.local.set(textOf(target, 'id') ?? '', source);
      return;
    }
    case 'math':
      noteComparison(textOf(node, 'operator') ?? '', objectsIn(own(node, 'expression')), scope);
  }
  for (const each of Object.values(node)) walk(each, scope);
}

/** `$state == "APPROVED"` shows what a value looks like, and `$count > 10` that it is a number. */
function noteComparison(operator: string, sides: readonly JsonObject[], scope: Scope): void {
  if (!['==', '!=', '>', '<', '>=', '<='].includes(operator)) return;
  for (const [at, side] of sides.entries()) {
    const [shape, other] = [resolve(side, scope), sides[1 - at]];
    if (!shape || !other) continue;
    const type = textOf(other, 'type');
    if (type === 'integer') shape.isNumber = true;
    if (type === 'string' && operator === '==') shape.like ??= textOf(other, 'value');
  }
}

function isReference(node: Json | undefined): node is JsonObject {
  return isObject(node) && textOf(node, 'type') === 'references';
}

/** The shape of what a reference names; `null` where the template sets it itself or no sample is possible. */
function resolve(node: Json | undefined, scope: Scope): Shape | null {
  if (!isReference(node)) return null;
  const name = textOf(node, 'id') ?? '';
  const local = scope.local.get(name);
  let shape = local === undefined ? scope.variables.member(name) : local;
  for (const step of objectsIn(own(node, 'path'))) {
    const args = own(step, 'args');
    walk(args, scope);
    shape = shape && stepInto(shape, step, isArray(args) ? args[0] : undefined, scope);
  }
  return shape;
}

function stepInto(shape: Shape, step: JsonObject, argument: Json | undefined, scope: Scope): Shape | null {
  const id = textOf(step, 'id');
  switch (textOf(step, 'type')) {
    case 'property':
      return id === null ? null : shape.member(id);
    case 'index':
      walk(own(step, 'id'), scope);
      return stepByValue(shape, own(step, 'id'));
    case 'method': {
      if (id === 'get') return stepByValue(shape, argument);
      const name = /^(?:get|is)([A-Z]\w*)$/.exec(id ?? '')?.[1] ?? 'Empty';
      return name === 'Empty' ? null : shape.member(`${name.charAt(0).toLowerCase()}${name.slice(1)}`);
    }
    default:
      return null;
  }
}

function stepByValue(shape: Shape, value: Json | undefined): Shape | null {
  if (!isObject(value)) return null;
  const [type, text] = [textOf(value, 'type'), textOf(value, 'value')];
  if (type === 'integer') return shape.asList();
  return type === 'string' && text !== null ? shape.member(text) : null;
}

/** Names that are recognisably made up. */
const people = ['Ann Example', 'Bob Sample'] as const;
const itemsOfList = people.length;

const personWord =
  /\b(user|requester|requestee|recipient|manager|reviewer|owner|identity|employee|approver|assignee|person|sender|delegate|contractor)$/;

/** The value of a leaf by the words of its name. The first rule that matches counts. */
const rules: readonly (readonly [RegExp, (at: number, person: string) => Json])[] = [
  [/\b(e-?)?mail\b|\baddress$/, (_, person) => `${toAccount(person)}@acme.example`],
  [/\bphone\b/, () => '+1 555 0100'],
  [/\b(url|uri|link|href)\b/, (at) => `https://id.acme.example/${at + 1}`],
  [/^(is|has|can|should|must) |\b(enabled|disabled|required|active|allowed)$/, () => true],
  [/\b(count|number|num|total|days|hours|minutes|weeks|amount|size|percent|percentage)\b/, (at) => 3 + at],
  [
    /\b(date|deadline|due|expiration|expires|expiry|created|modified|time|timestamp)\b/,
    (at) => `${1 + at} December 2026`,
  ],
  [/\b(first|given) name$/, (_, person) => person.split(' ')[0] ?? ''],
  [/\b(last|family) name$|\bsurname$/, (_, person) => person.split(' ')[1] ?? ''],
  [/\b(user|account|login) (name|id)$/, (_, person) => toAccount(person)],
  [/\bid$/, (at) => String(4711 + at)],
  [/\b(full|display) name$/, (_, person) => person],
];

function toAccount(person: string): string {
  return person.toLowerCase().replace(' ', '.');
}

interface Place {
  /** The words of what it is a member of. */
  readonly parent: string;
  /** The item of a list that it belongs to, from 0; `null` outside of lists. */
  readonly at: number | null;
}

/** A readable value for a variable or member. */
function sampleValue(name: string, shape: Shape, place: Place = { parent: '', at: null }): Json {
  return valueFor(shape, wordsOf(name), place);
}

function valueFor(shape: Shape, words: string, { parent, at }: Place): Json {
  const { item, members, like, isNumber } = shape;
  if (item)
    return Array.from({ length: itemsOfList }, (_, index) =>
      valueFor(item, toSingular(words), { parent: '', at: index }),
    );
  if (members.size > 0)
    return objectFrom(
      [...members].map(([name, inner]) => [name, sampleValue(name, inner, { parent: words, at })]),
    );
  if (like !== null) return like;
  return isNumber ? 3 + (at ?? 0) : leafValue(words, { parent, at });
}

function leafValue(words: string, { parent, at }: Place): Json {
  const person = people[at ?? 0] ?? people[0];
  const rule = rules.find(([pattern]) => pattern.test(words));
  if (rule) return rule[1](at ?? 0, person);
  const subject = words === 'name' ? parent : words.replace(/ name$/, '');
  if (personWord.test(subject)) return person;
  const text = subject === '' ? 'example' : subject;
  if (at !== null) return `${text.charAt(0).toUpperCase()}${text.slice(1)} ${at + 1}`;
  return words.endsWith('name') ? `Example ${text}` : text;
}

/** `numberOfTasks` as `number of tasks`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
}

function toSingular(words: string): string {
  return words
    .replace(/ (list|items)$/, '')
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1');
}
