import { type Address, parseAddress, referenceText } from '../model/address.ts';
import type { SideDifference } from '../model/diff.ts';
import { isArray, isObject, isReference, type Json, mapJson, mapMembers } from '../model/json.ts';
import { fillRefs, refOf, renderBody, secretName } from '../model/marker.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { diffLines, type LineDiff } from './line-diff.ts';
import { showLookAlikes, unicodeEscape } from './safe.ts';

/** How one difference is shown, in every format. */
export type View =
  | { readonly is: 'sensitive' }
  | { readonly is: 'inline'; readonly before: string | null; readonly after: string | null }
  | { readonly is: 'lines'; readonly diff: LineDiff };

/** Values with more characters are shown as lines. */
const maxInline = 72;

export const sensitiveWords = '(sensitive)';

/** Comparing long texts is most of the work of a report, and several parts of it need the same views. */
const known = new WeakMap<SideDifference, Map<number, View>>();

/** A field that differs, and how it is shown. */
export interface Field<T extends SideDifference = SideDifference> {
  readonly difference: T;
  readonly view: View;
}

/** The fields of an object that differ, with at most `maxLines` lines of each. */
export function fieldsOf<T extends SideDifference>(differences: readonly T[], maxLines: number): Field<T>[] {
  return differences.map((difference) => ({ difference, view: viewOf(difference, maxLines) }));
}

/** The view of a difference, with at most `maxLines` lines. */
export function viewOf(difference: SideDifference, maxLines: number): View {
  const views = known.get(difference) ?? new Map<number, View>();
  const view = views.get(maxLines) ?? makeView(difference, maxLines);
  known.set(difference, views.set(maxLines, view));
  return view;
}

function makeView(difference: SideDifference, maxLines: number): View {
  const { op, before, after, sensitive } = nameIds(difference, refWords, plannedWords);
  if (sensitive) return { is: 'sensitive' };
  const hasBefore = op !== 'add';
  const hasAfter = op !== 'remove';
  const sides = {
    before: hasBefore ? valueInline(before) : null,
    after: hasAfter ? valueInline(after) : null,
  };
  if (isShort(before, sides.before) && isShort(after, sides.after)) return { is: 'inline', ...sides };
  return { is: 'lines', diff: diffLines(linesOf(hasBefore, before), linesOf(hasAfter, after), maxLines) };
}

function isShort(value: Json, shown: string | null): boolean {
  if (shown === null) return true;
  return shown.length <= maxInline && !(typeof value === 'string' && value.includes('\n'));
}

/** A value as lines; `null` where there is none. JSON's `null` beside a long text counts as none. */
function linesOf(present: boolean, value: Json): string | null {
  return present && value !== null ? valueText(value) : null;
}

/**
 * The difference with words in place of references: of ids whose objects are known by name, and of ids that an apply fills
 * in. An object that is nothing but a reference becomes these words.
 */
export function nameIds<T extends SideDifference>(
  difference: T,
  wordsForId: (to: string, id: string) => string,
  wordsForPlanned: (to: Address) => string,
): T {
  const { before, after, named = {} } = difference;
  const wordsFor = (value: Json): string | null => {
    const to = refOf(value);
    if (to !== null) return wordsForPlanned(to);
    if (typeof value !== 'string' && typeof value !== 'number') return null;
    const id = String(value);
    return Object.hasOwn(named, id) ? wordsForId(named[id] ?? '', id) : null;
  };
  const name = (value: Json): Json => {
    const words = wordsFor(isReference(value) ? (value.id ?? null) : value);
    if (words !== null) return words;
    if (isArray(value)) return value.map(name);
    return isObject(value) ? mapMembers(value, name) : value;
  };
  // A tenant's own data may look like what an apply fills in.
  const isPlain = Object.keys(named).length === 0;
  return { ...difference, before: isPlain ? before : name(before), after: name(after) };
}

/** Lookups are in their words, objects by their addresses. */
const refWords = (to: string, id: string): string =>
  to.startsWith('!') ? `${to} (${id})` : `!ref ${nameOf(to)} (${id})`;
const plannedWords = (to: Address): string => `!ref ${nameOf(to)} (created by this plan)`;

/** An address as a manifest refers to it. */
function nameOf(to: Address): string {
  const parsed = parseAddress(to);
  return parsed ? referenceText(parsed.kind, parsed.key) : to;
}

/** What is shown in the place of a secret. */
function secretWords(name: string): string {
  return `(secret ${name})`;
}

/**
 * A value as lines of text: text as it is, everything else as indented JSON; secrets by name. Letters that look like others are
 * shown before texts are compared, which takes words apart.
 */
export function valueText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(nameSecrets(value), null, 2);
  return showLookAlikes(text);
}

/** A value as JSON on one line. Blanks other than the ordinary space are escaped. */
function valueInline(value: Json): string {
  const name = secretName(value);
  if (name !== null) return secretWords(name);
  return showLookAlikes(spaceJson(nameSecrets(value))).replace(/(?! )\p{Zs}/gu, unicodeEscape);
}

/** A request's body as it will be sent, with the names of secrets in their place. */
export function bodyText(body: Json): string {
  return JSON.stringify(renderBody(fillRefs(body, idWords), secretWords), null, 2);
}

const idWords = (to: Address): string => `(id of ${nameOf(to)})`;

/** A pointer for people: `attributes/url`. */
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

/** JSON on one line with spaces: `{"a": [1, 2]}`. */
function spaceJson(value: Json): string {
  if (isArray(value)) return `[${value.map(spaceJson).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${spaceJson(item)}`);
  return `{${members.join(', ')}}`;
}
