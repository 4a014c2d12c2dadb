import { comparable, isUnordered, readableFields } from '../kinds/field.ts';
import type { Field, Kind, LiveObject } from '../kinds/kind.ts';
import { contentDigest } from '../kinds/live-objects.ts';
import { secretTest } from '../kinds/redact.ts';
import { renameMembers, renameSteps } from '../kinds/references.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Member, Printable } from '../loader/print.ts';
import { unresolved } from '../loader/problems.ts';
import { schemaOf } from '../loader/schema.ts';
import { largestFile } from '../loader/source.ts';
import { type Address, byAddress } from '../model/address.ts';
import { lazy } from '../model/basics.ts';
import type { Diagnostic } from '../model/failure.ts';
import { get, isArray, isObject, itemsOf, type Json, mapMembers } from '../model/json.ts';
import { secretName } from '../model/marker.ts';
import { generalizeIndexes, type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { labelIds, type NameSources } from './ids.ts';
import {
  isMapping,
  isTagged,
  itemIn,
  jsonOf,
  type Omission,
  placeOf,
  printableValue,
  printLive,
} from './print-live.ts';

/** The fields, and all places that a manifest or an overlay marks as secret. */
type Declared = Pick<Resource, 'fields' | 'secrets'>;

interface DraftContext extends NameSources {
  /** Returns the vendor's default of an object, or `null`. Left out: the defaults were not read. */
  standardOf?(object: LiveObject): LiveObject | null;
}

interface SideText {
  /** The end of its file name: the field and the extension. */
  readonly ending: string;
  readonly text: string;
}

/** A manifest before secrets and side files have names: a `!secret` holds its pointer, a `!file` its ending. */
export interface Draft extends ReturnType<typeof labelIds> {
  readonly isSecret: ReturnType<typeof secretTest>;
  /** With names and lists as they are printed. */
  readonly object: LiveObject;
  /** Key fields, or the pinned id if the object has no name that a manifest can hold. */
  readonly key: readonly Member[];
  readonly fields: readonly Member[];
  readonly lifecycle: readonly Member[];
  readonly sideTexts: readonly SideText[];
  /** The places of secrets, and the names that existing manifests give them. */
  readonly secrets: readonly { readonly at: Pointer; readonly name: string | null }[];
  readonly omissions: readonly Omission[];
}

export interface DraftInput extends DraftContext {
  readonly objects: readonly LiveObject[];
  /** What existing manifests declare of an object. Left out: there are no manifests. */
  declared?(object: LiveObject): Declared;
}

/** An object that is not exported, and why: no manifest can declare it, or its kind says so. */
interface Refusal extends Pick<Draft, 'object' | 'tags' | 'names' | 'isSecret'> {
  readonly refused: string;
  readonly by: 'schema' | 'kind';
}

/** Drafts in the order of addresses, and remarks about the objects and fields that no manifest can declare. */
export function draftEach(input: DraftInput): { drafts: Draft[]; diagnostics: Diagnostic[] } {
  const sorted = input.objects.toSorted(byAddress);
  const results = sorted.map((object) => draftObject(object, input, input.declared?.(object)));
  return { drafts: results.filter((result) => 'key' in result), diagnostics: results.flatMap(remarksOn) };
}

function remarksOn(result: Draft | Refusal): Diagnostic[] {
  const { address } = result.object;
  if ('refused' in result && result.by === 'kind')
    return [notExported(address, result.refused, 'Export again later, or declare it by hand.')];
  const problems =
    'refused' in result
      ? [`is not exported, because no manifest can declare it: ${result.refused}.`]
      : result.omissions
          .filter(({ reason }) => reason === 'notValid')
          .map((omission) => `is exported without ${printPlace(omission.at)}: ${whyOf(omission)}.`);
  const hint = 'What is left out stays as it is in the tenant.';
  return problems.map((what) => {
    return { code: 'not-declarable', severity: 'warning', message: `${address} ${what}`, hint, address };
  });
}

/** The remark on an object that was left out of an export, with what to do `next`. */
export function notExported(address: Address, why: string, next: string): Diagnostic {
  return {
    code: 'not-exported',
    severity: 'warning',
    message: `${address} is not exported: ${why}`,
    hint: `It stays as it is in the tenant. ${next}`,
    address,
  };
}

const reasons: Readonly<Record<Omission['reason'], string>> = {
  notShown: 'the tenant does not show it. Declare it here to manage it',
  credential: 'it may hold a credential, in a place where secrets cannot be compared',
  notWritable: 'it holds a value that a manifest cannot express',
  notValid: 'the schema of this kind does not accept the value',
};

/** The comment below a manifest that explains an omission. */
export function remarkOf(omission: Omission): string {
  return `${printPlace(omission.at)} is left out: ${whyOf(omission)}.`;
}

function whyOf({ at, reason, within = at }: Omission): string {
  return within === at ? reasons[reason] : `${reasons[reason]} of ${printPlace(within)}`;
}

/** A place for a comment. Member names come from the tenant and must not be able to end the comment. */
export function printPlace(at: Pointer): string {
  const path = segmentsOf(at).join('.');
  return path.replace(/[^\x20-\x7e]/g, '?').slice(0, 120);
}

/** Why no manifest could declare the object as it is, in words; `null` if one could. */
export function whyUndeclarable(object: LiveObject): string | null {
  const draft = draftObject(object, { records: new Map() });
  if ('refused' in draft) return draft.by === 'schema' ? draft.refused : null;
  const invalid = draft.omissions.find(({ reason }) => reason === 'notValid');
  return invalid ? `the schema of its kind does not accept ${invalid.at}` : null;
}

/** The declarable part of a live object, without unset fields. */
export function draftObject(
  live: LiveObject,
  context: DraftContext,
  declared: Declared = { fields: {}, secrets: () => [] },
): Draft | Refusal {
  const object = asPrinted(live, context);
  const { kind } = object;
  const { tags, names } = labelIds(object, context);
  const isSecret = secretsIn(object, declared.secrets());
  const refuse = (refused: string, by: Refusal['by'] = 'schema'): Refusal => {
    return { object, tags, names, isSecret, refused, by };
  };
  const why = object.whyNotExported ?? null;
  if (why !== null) return refuse(why, 'kind');
  const key = keyMembers(object, tags);
  if (key.some(([, part]) => typeof part === 'string' && !part.isWellFormed()))
    return refuse('its key contains half of a character, which no address can');
  const secrets = namesOfSecrets(declared);
  const standard = context.standardOf?.(object) ?? null;
  const subject: DraftSubject = { object, standard, secrets, tags, isSecret };
  const drafted = Object.entries(kind.fields)
    .filter(([name]) => name !== kind.parent?.part)
    .map(([name, field]) => [name, draftField(name, field, subject)] as const);
  const invalid = findInvalid(
    kind,
    key,
    drafted.flatMap(([, { member }]) => (member ? [member] : [])),
  );
  if (typeof invalid === 'string') return refuse(invalid);
  const valid = drafted.filter(([name]) => !invalid.has(name)).map(([, each]) => each);
  const fields = valid.flatMap(({ member }) => (member ? [member] : []));
  return {
    object,
    tags,
    names,
    isSecret,
    key,
    fields,
    lifecycle: standard ? [['basedOn', contentDigest(kind, standard)]] : [],
    sideTexts: valid.flatMap(({ sideText }) => sideText ?? []),
    secrets: valid.flatMap((each) => each.secrets ?? []).map((at) => ({ at, name: secrets.get(at) ?? null })),
    omissions: [
      ...valid.flatMap(({ omissions }) => omissions ?? []),
      ...[...invalid].map(([name, within]): Omission => ({ at: pointer(name), reason: 'notValid', within })),
    ],
  };
}

function secretsIn({ kind, fields }: LiveObject, marked: readonly Pointer[] = []) {
  return secretTest(kind, { marked, values: [readableFields(kind, fields)] });
}

function namesOfSecrets({ fields, secrets }: Declared): ReadonlyMap<Pointer, string> {
  const named = secrets().map((at) => [at, secretName(valueAt(fields, at) ?? null)] as const);
  return new Map(named.flatMap(([at, name]) => (name === null ? [] : [[at, name] as const])));
}

/**
 * The object with names as they are printed, and with its lists without order sorted like that. Hosts list them in any order, and
 * an export of an unchanged tenant must not change.
 */
function asPrinted(live: LiveObject, context: DraftContext): LiveObject {
  const { kind } = live;
  // A member whose name is an id becomes `Source/HR`, as in a manifest.
  const rename = (id: string, to: string) => context.nameOf?.(to, id) ?? null;
  const hidden = live.hidden.map((at) => renameSteps(kind, at, rename));
  const object = { ...live, fields: renameMembers(kind, live.fields, rename), hidden };
  const { tags } = labelIds(object, context);
  const secrets = lazy(() => secretsIn(object));
  const isSecret = (at: Pointer) => secrets()(at);
  const fields = mapMembers(object.fields, (value, name) => {
    const field = get(kind.fields, name);
    if (!field || !isUnordered(field) || !isArray(value)) return value;
    const [place, shown] = [placeOf(name, field), printableValue(field, value)];
    const printed = value.map((item, index) => {
      const shownItem = isArray(shown) ? (shown[index] ?? null) : item;
      const { value: text } = printLive(shownItem, itemIn(place, index), { hidden, isSecret, tags });
      // Names before ids, which differ between tenants.
      return { item, text: `${isTagged(text) ? 0 : 1}${JSON.stringify(text)}` };
    });
    return printed.sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text))).map(({ item }) => item);
  });
  return { ...object, fields };
}

function keyMembers({ kind, key, id }: LiveObject, tags: ReadonlyMap<Pointer, Printable>): Member[] {
  // An object is pinned by its id if it has no name, or one that a manifest cannot hold.
  const isUnwritable = key[0]?.isWellFormed() === false;
  if (kind.can.pin && id !== null && (key[0] === id || isUnwritable)) return [['id', id]];
  return kind.keyFields.map(({ name }, part): Member => {
    const isParent = name === kind.parent?.part;
    return [name, (isParent ? tags.get(pointer(name)) : undefined) ?? key[part] ?? ''];
  });
}

interface DraftedField {
  readonly member?: Member;
  readonly sideText?: SideText;
  readonly secrets?: readonly Pointer[];
  readonly omissions?: readonly Omission[];
}

interface DraftSubject extends Pick<Draft, 'object' | 'tags' | 'isSecret'> {
  readonly standard: LiveObject | null;
  readonly secrets: ReadonlyMap<Pointer, string>;
}

function draftField(
  name: string,
  field: Field,
  { object, standard, secrets, tags, isSecret }: DraftSubject,
): DraftedField {
  const at = pointer(name);
  const value = get(object.fields, name) ?? null;
  if (object.hidden.includes(at)) return { omissions: [{ at, reason: 'notShown' }] };
  // Even if empty: another tenant creates no object without it.
  const empty = printEmpty(value);
  if (empty !== null && object.kind.described?.required?.includes(name)) return { member: [name, empty] };
  if (comparable(field, value) === null) {
    // An apply to another tenant begins with the vendor's default, and has to clear what that sets.
    const isMeant = standard !== null && comparable(field, get(standard.fields, name)) !== null;
    return isMeant ? { member: [name, null] } : {};
  }
  if (secrets.has(at)) return { member: [name, { tag: '!secret', value: at }], secrets: [at] };
  const sideText = isSecret(at) ? null : sideTextOf(name, field, value);
  if (sideText) return { member: [name, { tag: '!file', value: sideText.ending }], sideText };
  // A secret in one item of a list is secret in all, since it may be any of the tenant's.
  const inItems = new Set([...secrets.keys()].map(generalizeIndexes));
  const { value: printed, ...found } = printLive(printableValue(field, value), placeOf(name, field), {
    hidden: object.hidden,
    isSecret,
    isDeclaredSecret: (place) => inItems.has(generalizeIndexes(place)),
    tags,
  });
  if (printed === undefined && field.is === 'json') return found;
  if (printed === undefined)
    return { omissions: [{ at, reason: found.omissions[0]?.reason ?? 'notWritable' }] };
  // An empty mapping would declare that the field is empty.
  return isMapping(printed) && printed.members.length === 0 ? found : { ...found, member: [name, printed] };
}

/** `null` for a value that is not empty, or that is unset. */
function printEmpty(value: Json): Printable | null {
  if (value === null || itemsOf(value).length > 0) return null;
  return isArray(value) ? [] : isObject(value) ? { members: [] } : value === '' ? value : null;
}

const short = { lines: 3, length: 120 };
/** An element of HTML, and no e-mail address in angle brackets. */
const element = /<\/?[a-z][a-z0-9-]*(\s[^<>]*)?\/?>/i;

/** Texts for a file of their own: HTML and long texts, unless the field is for single lines. */
function sideTextOf(name: string, field: Field, value: Json): SideText | null {
  if (field.is !== 'text' || typeof value !== 'string') return null;
  const lines = value.trimEnd().split('\n');
  const isShort = lines.length <= short.lines && lines.every(({ length }) => length <= short.length);
  const isHtml = field.language === 'html' && element.test(value);
  const isLong = !isShort && (lines.length > 1 || field.language !== undefined);
  if (!fitsSideFile(value) || !(isHtml || isLong)) return null;
  return { ending: `${name}.${isHtml ? 'html' : 'txt'}`, text: value };
}

/** Whether a text is the same when it is read from a side file: half a character and a byte order mark need escapes. */
export function fitsSideFile(text: string): boolean {
  return !/\p{Cs}|^\ufeff/u.test(text) && Buffer.byteLength(text) <= largestFile;
}

const longestNamed = 80;

/**
 * The fields that do not fit the schema of the kind, each with the place that does not; a text if the whole object does not,
 * which says why. A tenant may have values that a manifest may not, such as a medium that is newer than the schema.
 */
function findInvalid(kind: Kind, key: readonly Member[], fields: readonly Member[]) {
  const validate = schemaOf(kind);
  const invalid = new Map<string, Pointer>();
  if (validate(jsonOf({ members: [['kind', kind.name], ...key, ...fields] }))) return invalid;
  for (const { instancePath, data } of validate.errors ?? []) {
    // It stands for a value that fits.
    if (data === unresolved) continue;
    const [name = 'it'] = segmentsOf(instancePath);
    if (!fields.some(([field]) => field === name)) {
      const isShown = typeof data === 'string' && data.length <= longestNamed;
      return isShown ? `${name} cannot be "${data}"` : `${name} is not valid`;
    }
    if (!invalid.has(name)) invalid.set(name, instancePath);
  }
  return invalid;
}
