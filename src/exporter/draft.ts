import { comparable } from '../kinds/field.ts';
import { kindNamed } from '../kinds/index.ts';
import type { Field, Kind } from '../kinds/kind.ts';
import type { Member, Printable } from '../loader/print.ts';
import { largestFile } from '../loader/source.ts';
import { unresolved } from '../loader/tree.ts';
import { isArray, isObject, type Json, type JsonObject, own } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import { isWritableKey, printableJson } from './json.ts';
import { lookupsFor, type Records } from './lookups.ts';
import type { Omission } from './omission.ts';
import { refusedBySchema } from './valid.ts';

/** A text that is kept in a file of its own. */
interface SideText {
  readonly field: string;
  readonly extension: string;
  readonly text: string;
}

/** What a manifest of one live object says. `!secret` holds its pointer and `!file` its field, until they are named. */
export interface Draft {
  readonly object: LiveObject;
  readonly kind: Kind;
  /** Key fields, or the pinned id where the tenant shows no name that a manifest can say. */
  readonly key: readonly Member[];
  readonly fields: readonly Member[];
  readonly sideTexts: readonly SideText[];
  readonly secrets: readonly Pointer[];
  readonly omissions: readonly Omission[];
}

/** An object that no manifest can declare, and why. */
export interface Refusal {
  readonly object: LiveObject;
  readonly refused: string;
}

export interface DraftContext {
  readonly settings: ApiSettings;
  /** Rows of the collections that lookups may name. */
  readonly records: Records;
}

/** What a manifest can say about a live object; fields that are unset or cannot be declared are left out. */
export function draftOf(object: LiveObject, context: DraftContext): Draft | Refusal {
  const kind = kindNamed(object.kind);
  const key = keyMembers(kind, object);
  if (key.some(([, part]) => part === unresolved))
    return { object, refused: 'its key is a text that tenantctl has a meaning of its own for' };
  const parts = Object.entries(kind.fields).map(([name, field]) => draftField(name, field, object, context));
  const written = parts.flatMap(({ member }) => (member ? [member] : []));
  const refused = refusedBySchema(kind, key, written);
  if (refused.whole !== null) return { object, refused: refused.whole };
  const kept = parts.filter(({ name }) => !refused.fields.has(name));
  return {
    object,
    kind,
    key,
    fields: written.filter(([name]) => !refused.fields.has(name)),
    sideTexts: kept.flatMap(({ sideText }) => (sideText ? [sideText] : [])),
    secrets: kept.flatMap(({ secrets }) => secrets),
    omissions: [
      ...kept.flatMap(({ omissions }) => omissions),
      ...[...refused.fields].map((name): Omission => ({ at: pointer(name), reason: 'notValid' })),
    ],
  };
}

interface DraftedField {
  readonly name: string;
  readonly member: Member | null;
  readonly sideText: SideText | null;
  readonly secrets: readonly Pointer[];
  readonly omissions: readonly Omission[];
}

/** One field of a live object as a manifest would say it. */
function draftField(name: string, field: Field, object: LiveObject, context: DraftContext): DraftedField {
  const at = pointer(name);
  const nothing = { name, member: null, sideText: null, secrets: [], omissions: [] };
  const value = own(object.fields, name) ?? null;
  if (object.hidden.includes(at)) return { ...nothing, omissions: [{ at, reason: 'notShown' }] };
  if (isUnset(field, value)) return nothing;
  const sideText = sideTextOf(name, field, value);
  if (sideText) return { ...nothing, member: [name, { tag: '!file', value: name }], sideText };
  if (field.is === 'json') return { ...nothing, ...draftJson(name, field, value, object) };
  const printed = plainField(name, field, object, context);
  if (printed === undefined) return { ...nothing, omissions: [{ at, reason: 'notWritable' }] };
  return { ...nothing, member: [name, printed] };
}

/**
 * The live value of a field that is no JSON, whole and without a side file: `null` where it is unset, `undefined`
 * where no manifest can say it.
 */
export function plainField(
  name: string,
  field: Field,
  object: LiveObject,
  { settings, records }: DraftContext,
): Printable | undefined {
  const value = own(object.fields, name) ?? null;
  if (isUnset(field, value)) return field.is === 'set' || field.is === 'records' ? [] : null;
  const lookups = lookupsFor(kindNamed(object.kind), object, settings, records);
  return (
    plainValue(field.is === 'reference' ? referenceOnly(value) : value, pointer(name), lookups) ?? undefined
  );
}

function draftJson(
  name: string,
  field: Field & { is: 'json' },
  value: Json,
  { hidden }: LiveObject,
): Pick<DraftedField, 'member' | 'secrets' | 'omissions'> {
  const omissions: Omission[] = [];
  const secrets: Pointer[] = [];
  const secret = (at: Pointer) => {
    secrets.push(at);
    return at;
  };
  const printed = printableJson(name, value, { field, hidden, omissions, secret });
  // Empty, it would say that there shall be nothing.
  return printed === null || isEmpty(printed)
    ? { member: null, secrets: [], omissions }
    : { member: [name, printed], secrets, omissions };
}

/** The tenant's own value, with `!lookup` where an id has one; `null` where it cannot be written. */
function plainValue(value: Json, at: Pointer, lookups: ReadonlyMap<Pointer, Printable>): Printable | null {
  const lookup = lookups.get(at);
  if (lookup !== undefined) return lookup;
  if (isArray(value)) {
    const items = value.map((item, index) => plainValue(item, `${at}${pointer(index)}`, lookups));
    return items.includes(null) ? null : items;
  }
  if (isObject(value)) return plainObject(value, at, lookups);
  return value === unresolved || (typeof value === 'number' && !Number.isFinite(value)) ? null : value;
}

function plainObject(
  value: JsonObject,
  at: Pointer,
  lookups: ReadonlyMap<Pointer, Printable>,
): Printable | null {
  const members: Member[] = [];
  for (const [name, item] of Object.entries(value)) {
    if (item === null) continue;
    const printed = isWritableKey(name) ? plainValue(item, `${at}${pointer(name)}`, lookups) : null;
    if (printed === null) return null;
    members.push([name, printed]);
  }
  return { members };
}

function isEmpty(value: Printable): boolean {
  return value !== null && typeof value === 'object' && 'members' in value && value.members.length === 0;
}

/** What a manifest may say of a reference; hosts may show more. */
function referenceOnly(value: Json): Json {
  if (!isObject(value)) return value;
  const { type = null, id = null, name = null } = value;
  return { type, id, name };
}

/** Whether a manifest need not mention the value: it is what a new object has. */
function isUnset(field: Field, value: Json): boolean {
  return comparable(field, value) === null;
}

function keyMembers(kind: Kind, { key, id }: LiveObject): Member[] {
  // Without a name the tenant goes by the id, and so does the manifest; and where it cannot say the name.
  if (kind.pinnable && id !== null && (key[0] === id || key[0] === unresolved)) return [['id', id]];
  return kind.keyFields.map(({ name }, part): Member => [name, key[part] ?? '']);
}

/** Long texts in a language of their own, or of several lines, are easier to read in a file of their own. */
function sideTextOf(field: string, { is, ...more }: Field, value: Json): SideText | null {
  if (is !== 'text' || typeof value !== 'string' || value === unresolved) return null;
  const language = 'language' in more ? more.language : undefined;
  const lines = value.split('\n').length;
  const isLong = (lines > 3 || value.length > 200) && (language !== undefined || lines > 1);
  // A file is UTF-8 of limited size; half a surrogate pair can only be written as an escape.
  const fits = !/\p{Cs}/u.test(value) && Buffer.byteLength(value) <= largestFile;
  return isLong && fits ? { field, extension: language ?? 'txt', text: value } : null;
}
