import { type Address, parseAddress, referenceText } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { ChangeResult, Difference, SideDifference } from '../model/documents.ts';
import { isArray, isObject, isReference, type Json, mapJson, objectFrom } from '../model/json.ts';
import { fillRefs, refOf, refOfName, renderBody, secretName } from '../model/marker.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import { type Chunk, diffInline, diffLines, type LineDiff, shorten } from './line-diff.ts';
import { showLookAlikes, takeFirst, unicodeEscape } from './safe.ts';
import { cutList, joinParts, namesInBrief, place } from './words.ts';

type View =
  | { readonly is: 'sensitive' }
  | {
      readonly is: 'inline';
      readonly before: readonly Chunk[] | null;
      readonly after: readonly Chunk[] | null;
      readonly base: string | null;
    }
  | {
      readonly is: 'lines';
      readonly diff: LineDiff;
      /** What each side made of the text of the revision of `--since`, if the tenant has changed it. */
      readonly moves: { readonly tenant: LineDiff; readonly repo: LineDiff } | null;
    };

export interface Field {
  /** `attributes/url` */
  readonly name: string;
  readonly op: Difference['op'];
  readonly origin: Difference['origin'];
  readonly places: readonly string[];
  readonly view: View;
  /** The environments that the replacement is the same in; `null` if these are all. */
  readonly where: { readonly is: 'in' | 'in all but'; readonly names: readonly string[] } | null;
  /** The environment of the text around the replacement, if it differs. */
  readonly example: string | null;
  /** Other replacements of the same field that are left out. */
  readonly more: number;
}

/** Values with more characters are shown as lines. */
const maxInline = 72;

export const fieldWords = {
  sensitive: '(sensitive)',
  /** The title of a value at the revision of `--since`. */
  base: 'Was declared',
  tenantMove: 'What the tenant changed of what was declared',
} as const;

/** A change of the repository alone is what every plan is about. */
const originWords: Readonly<Record<NonNullable<Difference['origin']>, string>> = {
  repo: '',
  tenant: 'changed in the tenant',
  both: 'changed in the repository and in the tenant',
};

const plainField = { origin: null, places: [], where: null, example: null, more: 0 } as const;

type ShownDifference = SideDifference & Partial<Pick<Difference, 'origin' | 'overlay' | 'base'>>;

export function fieldOf(difference: ShownDifference): Field {
  const { origin = null, overlay } = difference;
  const named = nameIds(difference, (to, id) => {
    // Lookups are in their words, objects by their addresses.
    const words = to.startsWith('!') ? to : `!ref ${nameOf(to)}`;
    return `${words} (${id ?? 'created by this plan'})`;
  });
  const places = overlay ? [place(overlay)] : [];
  return { ...plainField, name: pathWords(named.path), op: named.op, origin, places, view: viewOf(named) };
}

/** The written values, as lines; nothing if it is not known to be done. */
export function writtenFields({ outcome, before, after }: ChangeResult): Field[] {
  if (outcome !== 'done') return [];
  const diff = diffLines(valueLines(before), valueLines(after));
  const view = { is: 'lines', diff, moves: null } as const;
  return diff.blocks.length === 0 ? [] : [{ ...plainField, name: 'Fields', op: 'replace', view }];
}

export function haveBase(fields: readonly Field[]): boolean {
  return fields.some(({ view }) => view.is === 'inline' && view.base !== null);
}

const maxWhere = 10;

/** `in all but eu-1, changed in the tenant`: whose the difference is, the side that moved, the overlay that sets it. */
export function notesOf(field: Field, most = maxWhere): string {
  const { origin, places, where, example, more } = field;
  const notes = [
    where && whereWords(where, most),
    example !== null && `shown is ${example}`,
    origin !== null && originWords[origin],
    places.length > 0 &&
      `set by ${places.length === 1 ? 'the overlay' : 'overlays'} in ${namesInBrief(places)}`,
    more > 0 && `and ${more} other variants`,
  ];
  return joinParts(notes, ', ');
}

function whereWords({ is, names }: NonNullable<Field['where']>, most: number): string {
  return `${is} ${namesInBrief(names, most)}`;
}

function viewOf({ op, before, after, sensitive, base }: ShownDifference): View {
  if (sensitive) return { is: 'sensitive' };
  const hasBefore = op !== 'add';
  const hasAfter = op !== 'remove';
  const [old, fresh] = [hasBefore ? valueInline(before) : null, hasAfter ? valueInline(after) : null];
  const past = base === undefined ? null : valueInline(base);
  // In JSON, a line break is escaped.
  if ([old, fresh, past].every((text) => (text ?? '').length <= maxInline && !text?.includes('\\n'))) {
    const [oldParts, freshParts] = diffInline(old, fresh);
    return { is: 'inline', before: oldParts, after: freshParts, base: past };
  }
  const oldLines = hasBefore ? valueLines(before) : null;
  const freshLines = hasAfter ? valueLines(after) : null;
  const diff = diffLines(oldLines, freshLines);
  if (base === undefined) return { is: 'lines', diff, moves: null };
  const declared = valueLines(base);
  const moves = { tenant: diffLines(declared, oldLines), repo: diffLines(declared, freshLines) };
  return { is: 'lines', diff, moves };
}

const maxVariants = 3;

/** The fields with the first lines of each, and of a field that differs between environments the first replacements. */
export function shortenFields(fields: readonly Field[], maxLines: number, most = maxVariants): Field[] {
  const cut = (diff: LineDiff) => shorten(diff, maxLines);
  return groupBy(fields, ({ name }) => name).flatMap(([, same]) => {
    const [shown, others] = cutList(same, most);
    return shown.map((field, at): Field => {
      const { view } = field;
      const more = at === shown.length - 1 ? others.length : 0;
      if (view.is !== 'lines') return { ...field, more };
      const moves = view.moves && { tenant: cut(view.moves.tenant), repo: cut(view.moves.repo) };
      return { ...field, view: { is: 'lines', diff: cut(view.diff), moves }, more };
    });
  });
}

export function textOfParts(parts: readonly Chunk[] | null): string {
  return (parts ?? []).map(({ text }) => text).join('');
}

const maxWords = 32;

/** A replacement in a few words: `type: NON_PTA → BLOCK`, `subject removed`, `body +4 −2`. */
function replacementWords({ name, view }: Field): string {
  switch (view.is) {
    case 'sensitive':
      return `${name} ${fieldWords.sensitive}`;
    case 'inline': {
      const [before, after] = [view.before, view.after].map((parts) => {
        if (parts === null) return null;
        // Quotes of JSON only matter around what is no plain text.
        const text = textOfParts(parts).replace(/^"([^"\\]*[\p{L}$_-][^"\\]*)"$/u, '$1');
        return text.length > maxWords ? `${takeFirst(text, maxWords - 1)}…` : text;
      });
      return after ? `${name}: ${joinParts([before, after], ' → ')}` : `${name} removed`;
    }
    case 'lines': {
      const changed = view.diff.blocks.filter(({ is }) => is === 'changed');
      const after = changed.reduce((sum, each) => sum + each.after.length, 0);
      const before = changed.reduce((sum, each) => sum + each.before.length, 0);
      return `${name} ${joinParts([after > 0 && `+${after}`, before > 0 && `−${before}`], ' ')}`.trimEnd();
    }
  }
}

export function fieldsInBrief(fields: readonly Field[], most: number): string {
  const words = fields
    .slice(0, most)
    .map((field) =>
      joinParts([replacementWords(field), field.where && whereWords(field.where, maxWhere)], ' '),
    );
  return joinParts([...words, fields.length > most && `${fields.length - most} more`], ' · ');
}

/**
 * The difference with words in place of references: for ids with a known name, and for ids that an apply fills in, which are
 * `null`. A whole reference object becomes these words.
 */
export function nameIds<T extends ShownDifference>(
  difference: T,
  wordsOf: (to: string, id: string | null) => string,
): T {
  const { path, before, after, base, named = {} } = difference;
  const wordsFor = (value: Json, to = refOf(value)): string | null => {
    if (to !== null) return wordsOf(to, null);
    if (typeof value !== 'string' && typeof value !== 'number') return null;
    const id = String(value);
    return Object.hasOwn(named, id) ? wordsOf(named[id] ?? '', id) : null;
  };
  const name = (value: Json): Json => {
    const words = wordsFor(isReference(value) ? (value.id ?? null) : value);
    if (words !== null) return words;
    if (isArray(value)) return value.map(name);
    if (!isObject(value)) return value;
    return objectFrom(Object.entries(value).map(([member, item]) => [nameMember(member), name(item)]));
  };
  // A number counts items.
  const nameMember = (member: string): string =>
    (/^\d+$/.test(member) ? null : wordsFor(member, refOfName(member))) ?? member;
  // A tenant's own data may look like a marker.
  const isPlain = Object.keys(named).length === 0;
  return {
    ...difference,
    path: pointer(...segmentsOf(path).map(nameMember)),
    before: isPlain ? before : name(before),
    after: name(after),
    ...(base === undefined ? {} : { base: isPlain ? base : name(base) }),
  };
}

function nameOf(to: Address): string {
  const parsed = parseAddress(to);
  return parsed ? referenceText(parsed.kind, parsed.key) : to;
}

const secretWords = (name: string): string => `(secret ${name})`;

/**
 * A value as lines of text: text as it is, everything else as indented JSON; secrets by name. JSON's `null` beside a long text
 * counts as none. Letters that look like others are shown before texts are compared, which takes words apart.
 */
function valueLines(value: Json): string | null {
  if (value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(nameSecrets(value), null, 2);
  return showLookAlikes(text);
}

/** A value as JSON on one line: `{"a": [1, 2]}`. Blanks other than the ordinary space are escaped. */
function valueInline(value: Json): string {
  const name = secretName(value);
  if (name !== null) return secretWords(name);
  // In JSON, only the layout holds line breaks.
  const lines = JSON.stringify(nameSecrets(value), null, 1);
  const line = lines.replace(/(?<=[[{])\n *|\n *(?=[\]}])/g, '').replace(/\n */g, ' ');
  return showLookAlikes(line).replace(/(?! )\p{Zs}/gu, unicodeEscape);
}

/** A request's body as it will be sent, with the names of secrets in their place. */
export function bodyText(body: Json): string {
  const filled = fillRefs(body, (to) => `(id of ${nameOf(to)})`);
  return JSON.stringify(renderBody(filled, secretWords), null, 2);
}

export function pathWords(path: Pointer): string {
  const words = segmentsOf(path).join('/');
  return words === '' ? '(all)' : words;
}

function nameSecrets(value: Json): Json {
  return mapJson(value, (item) => {
    const name = secretName(item);
    return name === null ? item : secretWords(name);
  });
}
