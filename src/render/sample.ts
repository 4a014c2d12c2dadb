import { builtIn, type Reference, scanVelocity } from '../lint/velocity.ts';
import { get, isArray, isObject, type Json, type JsonObject, mapMembers, objectFrom } from '../model/json.ts';

/** The variable that holds the tenant's own attributes (api-notes, "Template context"). */
export const globals = '__global';

/**
 * A context with a readable value for every variable that the texts use and do not set themselves: `Ann Example` for
 * `${user.name}`, two items for what `#foreach` iterates over.
 *
 * @param attributes the tenant's, taken as they are; `null` makes them up too
 * @param examples the tenant's own values for variables, if it lists them in the form that the texts expect
 */
export function sampleContext(
  texts: readonly string[],
  attributes: JsonObject | null,
  examples: JsonObject = {},
): JsonObject {
  const sampled = [...variablesIn(texts).members].map(
    ([name, shape]) =>
      [name, preferExample(valueFor(shape, wordsOf(name), '', null), get(examples, name))] as const,
  );
  return objectFrom([...sampled, ...(attributes ? [[globals, attributes] as const] : [])]);
}

function preferExample(made: Json, example: Json | undefined): Json {
  if (isObject(made)) {
    return isObject(example)
      ? mapMembers(made, (value, name) => preferExample(value, get(example, name)))
      : made;
  }
  const fits = isArray(made) ? isArray(example) && example.length > 0 : typeof example !== 'object';
  return fits && example !== undefined ? example : made;
}

const people = ['Ann Example', 'Bob Sample'] as const;

/** Other people in a text, to avoid `Ann Example requests access for Ann Example`. */
const others: readonly (readonly [RegExp, string])[] = [
  [/\b(requester|sender|delegate)\b/, 'Bob Sample'],
  [/\b(manager|reviewer|owner|approver|assignee)\b/, 'Cleo Specimen'],
];
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

/**
 * @param parent the words of its parent's name
 * @param at the item of a list that it belongs to, from 0; `null` outside of lists
 */
function valueFor(shape: Shape, words: string, parent: string, at: number | null): Json {
  const { item, members, like } = shape;
  if (item) {
    const singular = words
      .replace(/ (list|items)$/, '')
      .replace(/ies$/, 'y')
      .replace(/([^s])s$/, '$1');
    return Array.from({ length: itemsOfList }, (_, index) => valueFor(item, singular, '', index));
  }
  if (members.size > 0)
    return objectFrom([...members].map(([name, inner]) => [name, valueFor(inner, wordsOf(name), words, at)]));
  if (typeof like === 'number') return 3 + (at ?? 0);
  return like ?? leafValue(words, parent, at);
}

function leafValue(words: string, parent: string, at: number | null): Json {
  const role = others.find(([pattern]) => pattern.test(`${parent} ${words}`));
  const person = at === null && role ? role[1] : (people[at ?? 0] ?? people[0]);
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

class Shape {
  readonly members = new Map<string, Shape>();
  /** A list: it is looped over, or indexed. */
  item: Shape | null = null;
  like: string | number | null = null;

  /** The value at the end of the path from here. */
  at([step, ...rest]: Way): Shape {
    if (step === undefined) return this;
    if (step === item) {
      this.item ??= new Shape();
      return this.item.at(rest);
    }
    const member = this.members.get(step) ?? new Shape();
    this.members.set(step, member);
    return member.at(rest);
  }
}

/** The names of members from a variable on; {@link item} is each item of a list. */
type Way = readonly string[];
const item = '[]';

const [mostVariables, mostAliases, mostWays, deepest] = [1000, 100, 20, 16];

/** The variables that the texts of a template use and do not set themselves, as members of one value. */
function variablesIn(texts: readonly string[]): Shape {
  const scans = texts.map(scanVelocity);
  const all = scans.flatMap(({ aliases }) => aliases).slice(0, mostAliases);
  const defined = new Set([...builtIn, ...scans.flatMap((scan) => [...scan.defined])]);
  const known = new Map<string, readonly Way[]>();
  const waysTo = (name: string): readonly Way[] => {
    const ways = known.get(name);
    if (ways) return ways;
    // A loop over its own item would never end.
    known.set(name, [[name]]);
    const mine = all.filter((alias) => alias.name === name);
    const found = mine.flatMap(({ of, isItem }) => {
      const steps = [...stepsOf(of), ...(isItem ? [item] : [])];
      return waysTo(of.name).map((way) => [...way, ...steps].slice(0, deepest));
    });
    const own = found.length > 0 ? found.slice(0, mostWays) : defined.has(name) ? [] : [[name]];
    known.set(name, own);
    return own;
  };
  const root = new Shape();
  const shapesOf = (reference: Pick<Reference, 'name' | 'steps'>) =>
    waysTo(reference.name).map((way) => root.at([...way, ...stepsOf(reference)].slice(0, deepest)));
  for (const reference of scans.flatMap(({ references }) => references).slice(0, mostVariables))
    shapesOf(reference);
  for (const { name } of all) shapesOf({ name, steps: '' });
  for (const comparison of scans.flatMap(({ comparisons }) => comparisons).slice(0, mostVariables))
    for (const shape of shapesOf(comparison.reference)) shape.like ??= comparison.value;
  return root;
}

const step = /\.([A-Za-z_]\w*)(\([^()]*\))?|\[([^\][]*)\]/g;

/** The members in `.getManager().items[0].name`, up to the first call of any other method. */
function stepsOf({ steps }: Pick<Reference, 'steps'>): string[] {
  const names: string[] = [];
  for (const [, name = '', call, index] of steps.matchAll(step)) {
    const argument = name === 'get' ? call?.slice(1, -1) : index;
    const getter = /^(?:get|is)([A-Z]\w*)$/.exec(name)?.[1];
    if (argument !== undefined) {
      const key = /^\s*(?:\d+|"([^"$]*)"|'([^']*)')\s*$/.exec(argument);
      if (!key) break;
      names.push(key[1] ?? key[2] ?? item);
    } else if (call === undefined) names.push(name);
    else if (getter !== undefined && getter !== 'Empty')
      names.push(`${getter.charAt(0).toLowerCase()}${getter.slice(1)}`);
    else break;
  }
  return names;
}
