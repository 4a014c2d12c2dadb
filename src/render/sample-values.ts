import { type Json, objectFrom } from '../model/json.ts';

/** What a template reveals of a value that it expects. */
export class Shape {
  readonly members = new Map<string, Shape>();
  /** The template iterates over it, or takes items of it. */
  isList = false;
  isNumber = false;
  /** A text it is compared with. */
  like: string | null = null;
  #item: Shape | null = null;

  get item(): Shape {
    this.#item ??= new Shape();
    return this.#item;
  }

  member(name: string): Shape {
    const known = this.members.get(name);
    if (known) return known;
    const shape = new Shape();
    this.members.set(name, shape);
    return shape;
  }
}

/** Names that are recognisably made up. */
const people = ['Ann Example', 'Bob Sample', 'Kim Muster'] as const;

const personWords = new Set(
  'user requester requestee recipient manager reviewer owner identity employee approver assignee person sender delegate contractor'.split(
    ' ',
  ),
);

/** The value of a leaf by the words of its name. The first rule that matches counts. */
const rules: readonly (readonly [RegExp, (place: Place) => Json])[] = [
  [/\b(e-?)?mail\b|\baddress$/, ({ at }) => `${accountName(at)}@acme.example`],
  [/\bphone\b/, () => '+1 555 0100'],
  [/\b(url|uri|link|href)\b/, ({ at }) => `https://id.acme.example/${at + 1}`],
  [/^(is|has|can|should|must) |\b(enabled|disabled|required|active|allowed)$/, () => true],
  [
    /\b(count|number|num|total|days|hours|minutes|weeks|amount|size|percent|percentage)\b/,
    ({ at }) => 3 + at,
  ],
  [
    /\b(date|deadline|due|expiration|expires|expiry|created|modified|time|timestamp)\b/,
    ({ at }) => `${1 + at} December 2026`,
  ],
  [/\b(first|given) name$/, ({ at }) => people[at]?.split(' ')[0] ?? ''],
  [/\b(last|family) name$|\bsurname$/, ({ at }) => people[at]?.split(' ')[1] ?? ''],
  [/\b(user|account|login) (name|id)$/, ({ at }) => accountName(at)],
  [/\bid$/, ({ at }) => String(4711 + at)],
  [/\b(full|display) name$/, ({ at }) => people[at] ?? ''],
];

function accountName(at: number): string {
  return (people[at] ?? people[0]).toLowerCase().replace(' ', '.');
}

interface Place {
  /** The words of the name. */
  readonly words: string;
  /** The words of what it is a member of. */
  readonly parent: string;
  /** Which item of a list it belongs to, from 0. */
  readonly at: number;
  readonly isInList: boolean;
  /** How many items lists have. */
  readonly items: number;
}

/** A readable value for the variable `name`. Lists in it have so many items. */
export function sampleValue(name: string, shape: Shape, items: number): Json {
  return valueFor(shape, { words: wordsOf(name), parent: '', at: 0, isInList: false, items });
}

function valueFor(shape: Shape, place: Place): Json {
  if (shape.isList) {
    const words = toSingular(place.words);
    return Array.from({ length: place.items }, (_, at) =>
      valueFor(shape.item, { ...place, words, parent: '', at, isInList: true }),
    );
  }
  if (shape.members.size > 0) {
    const member = ([name, inner]: [string, Shape]): [string, Json] => [
      name,
      valueFor(inner, { ...place, words: wordsOf(name), parent: place.words }),
    ];
    return objectFrom([...shape.members].map(member));
  }
  if (shape.like !== null) return shape.like;
  return shape.isNumber ? 3 + place.at : leaf(place);
}

function leaf(place: Place): Json {
  const { words, parent, at, isInList } = place;
  const rule = rules.find(([pattern]) => pattern.test(words));
  if (rule) return rule[1](place);
  const subject = words === 'name' ? parent : words.replace(/ name$/, '');
  if (personWords.has(subject.split(' ').at(-1) ?? '')) return people[at] ?? people[0];
  const text = subject === '' ? 'example' : subject;
  if (isInList) return `${text.charAt(0).toUpperCase()}${text.slice(1)} ${at + 1}`;
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
