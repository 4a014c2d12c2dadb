import { isRefusedRead } from '../client/describe.ts';
import { readByIds, readObjects } from '../client/read.ts';
import { knownIds, type NameSources, type Records } from '../exporter/ids.ts';
import { isReferenceField } from '../kinds/field.ts';
import { type Kind, type LiveObject, ownId } from '../kinds/kind.ts';
import { allOf, isKnownById } from '../kinds/live-objects.ts';
import type { Kinds } from '../kinds/project.ts';
import { idsIn, renameMembers, withReferences } from '../kinds/references.ts';
import { type Address, parseAddress, referenceText } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/failure.ts';
import { get, getText, isArray, isObject, type Json, type JsonObject, mapMembers } from '../model/json.ts';
import { lookupOf, lookupWords } from '../model/marker.ts';
import { generalizeIndexes, type Pointer, pointer, segmentsOf, topName } from '../model/pointer.ts';
import { namesAndMore } from '../model/words.ts';
import type { referencesIn } from '../planner/references.ts';
import type { Tenant } from './tenant.ts';

/**
 * Reads the objects that the ids in these objects belong to, and the targets of references in manifests, each kind once; without
 * manifests (`null`) no others, if that takes fewer requests. A kind without a list leaves its ids as they are. `nameOf`: `null`
 * for an object that is not known, or not the only one with its key.
 */
export async function readReferenceNames(
  {
    client,
    environment: { kinds },
    called = 'the tenant',
  }: Pick<Tenant, 'client' | 'environment' | 'called'>,
  objects: readonly LiveObject[],
  references: ReturnType<typeof referencesIn> | null,
) {
  const uses = objects.flatMap((object) => usesIn(object, kinds));
  const named = new Map(groupBy(references ?? [], ({ kind }) => kind));
  const targets = [...new Set([...uses.flatMap(({ target }) => target ?? []), ...named.keys()])];
  const refusals = new Map<Kind, string>();
  const read = await Promise.all(
    targets.map(async (kind) => {
      try {
        const ids = uses.flatMap(({ target, ids: used }) => (target === kind ? used : []));
        const few = references ? null : await readByIds(client, kind, [...new Set(ids)]);
        const keys = (named.get(kind) ?? []).map(({ key }) => key);
        return few ?? (await readObjects(client, [{ ...allOf(kind), keys, allowsDuplicates: keys }]));
      } catch (error) {
        if (!isRefusedRead(error)) throw error;
        refusals.set(kind, error.message.replaceAll('\n', ' '));
        return [];
      }
    }),
  );
  const found = read.flat();
  const names = namesById(found);
  const nameOf: NonNullable<NameSources['nameOf']> = (kind, id) => names.get(`${kind}/${id}`) ?? null;
  return {
    objects: found,
    nameOf,
    refusals,
    /** Remarks on kinds that cannot be listed, and on ids without an object, in the fields of displayed objects. */
    remarksOn(isShown: (object: LiveObject, field: string) => boolean): readonly Diagnostic[] {
      const kept = uses
        .filter(({ to, ids }) => ids.every((id) => nameOf(to, id) === null))
        .filter(({ from, field }) => isShown(from, field));
      const refused = targets.flatMap((kind): Diagnostic[] => {
        const why = refusals.get(kind);
        if (why === undefined || !(named.has(kind) || kept.some(({ target }) => target === kind))) return [];
        const message = `Ids of the kind ${kind.name} stay as they are, since ${called} does not list its objects. ${why}`;
        return [{ code: 'ids-kept', severity: 'info', message }];
      });
      const unknown = kept.flatMap(({ from: of, field: place, to, target }): KeptId[] => {
        if (target && refusals.has(target)) return [];
        const why = target
          ? `${called} has no ${to} with this id and a unique key`
          : `the project describes no ${to}. Copy a descriptor with \`tenantctl kind add ${to}\`, or write one`;
        return [{ of, place, why }];
      });
      return [...refused, ...remarkKept(unknown)];
    },
  };
}

/**
 * The ids in an object that refer to others: several if the tenant shows synonyms, of which one is the id. `target`: `null` for a
 * kind that the project does not have, or whose objects have no list.
 */
function usesIn(from: LiveObject, kinds: Kinds) {
  return Object.entries(from.kind.fields).flatMap(([name, field]) => {
    const uses = idsIn(field, get(from.fields, name) ?? null).flatMap(({ id, to: [to = ''] }) => {
      if (typeof id !== 'string' || to === '') return [];
      const kind = kinds.find(to);
      const target = kind && kind.read.how !== 'each-declared' ? kind : null;
      return [{ from, field: name, to, target, ids: [id] }];
    });
    const [first] = uses;
    // One of several synonyms is an id.
    return field.is === 'value' && first ? [{ ...first, ids: uses.flatMap(({ ids }) => ids) }] : uses;
  });
}

/** The names of the objects that are the only ones with their ids, and with their keys. */
function namesById(objects: readonly LiveObject[]): ReadonlyMap<string, string> {
  const idOf = ({ kind, id }: LiveObject) => `${kind.name}/${ownId(kind, id ?? '')}`;
  const byKey = new Map(groupBy(objects, ({ identity }) => identity));
  const byId = new Map(groupBy(objects, idOf));
  const named = objects
    .filter(({ kind, ...each }) => !isKnownById(each) || kind.idMember === kind.keyFields[0]?.name)
    .filter(({ key }) => key.every((part) => part !== '' && part.isWellFormed()))
    .filter((each) => byKey.get(each.identity)?.length === 1 && byId.get(idOf(each))?.length === 1);
  return new Map(named.map((object) => [idOf(object), referenceText(object.kind.name, object.key)]));
}

interface KeptId {
  readonly of: LiveObject;
  readonly place: string;
  readonly why: string;
}

function remarkKept(kept: readonly KeptId[]): Diagnostic[] {
  const byPlace = groupBy(kept, ({ of, place }) => `${of.kind.name} ${place}`);
  return byPlace.map(([, [{ of, place, why }, ...others]]): Diagnostic => {
    const { address } = of;
    const where = namesAndMore([address], others.length);
    const message = `The id in \`${place}\` of ${where} stays as it is: ${why}.`;
    return { code: 'ids-kept', severity: 'info', message, address };
  });
}

/** Remarks on ids inside records that no lookup finds by a name. */
export function remarkUnnamedRecords(objects: readonly LiveObject[], records: Records): Diagnostic[] {
  const kept = objects.flatMap((of) =>
    knownIds(of, { records })
      .filter(({ is, lookup }) => is === 'inside' && lookup === null)
      .map(({ at, scope }): KeptId => {
        const why = `${scope} has no record with this id and a unique name`;
        return { of, place: segmentsOf(generalizeIndexes(at)).join('/'), why };
      }),
  );
  return remarkKept(kept);
}

interface StatedObject extends Pick<LiveObject, 'kind' | 'fields'> {
  /** The answer of the tenant; `null` for a manifest. */
  readonly raw: JsonObject | null;
  readonly sources: NameSources;
}

/**
 * Returns the fields of an object on both sides of a comparison, with names instead of ids, since ids differ between tenants. Ids
 * stay if the other side has no name in the same field, and an id that one side shows without its name stays an id on both.
 */
export function shareIds(sides: readonly [StatedObject, StatedObject]): readonly [JsonObject, JsonObject] {
  const write = (side: StatedObject): StatedObject => {
    const written = side.raw === null ? writeReferences(side) : side.fields;
    const fields = renameMembers(side.kind, written, (id, to) => {
      const name = side.sources.nameOf?.(to, id) ?? null;
      return name && refPrefix + name;
    });
    return { ...side, fields };
  };
  const [one, other] = [write(sides[0]), write(sides[1])];
  const [first, second] = [recordIds(one), recordIds(other)];
  const all = [...first.values(), ...second.values()];
  // If one of the names is not a reference, plain names are compared.
  const plain = new Set(all.flatMap(({ scope, name, ref }) => (name !== null && ref === null ? scope : [])));
  return [replaceIds(one, first, second, plain), replaceIds(other, second, first, plain)];
}

const refPrefix = '!ref ';

/** Writes unresolved references as in a manifest: they stand for names. */
export function writeReferences({ kind, fields }: Pick<LiveObject, 'kind' | 'fields'>): JsonObject {
  const write = (to: Address) => {
    const parsed = parseAddress(to);
    return refPrefix + (parsed ? referenceText(parsed.kind, parsed.key) : to);
  };
  return mapMembers(fields, (value, name) => {
    const field = get(kind.fields, name);
    return field ? withReferences(field, value, write) : value;
  });
}

interface RecordId {
  readonly id: string;
  /** Ids of one scope belong to one type of record: those of a field, or of a collection. */
  readonly scope: string;
  /** Plain, or as a manifest has it; `null` if unknown. */
  readonly name: string | null;
  /** The `!ref` that stands for the id; `null` if unknown. */
  readonly ref: string | null;
  /** Compared as an object, even if it stands alone. */
  readonly inObject: boolean;
}

type RecordIds = ReadonlyMap<Pointer, RecordId>;

function recordIds({ kind, fields, raw, sources }: StatedObject): RecordIds {
  const ids = new Map<Pointer, RecordId>();
  for (const { at, id, is, scope, lookup, ref: known, ...names } of knownIds(
    { kind, fields, raw },
    sources,
  )) {
    const ref = raw === null && id.startsWith(refPrefix) ? id : known && refPrefix + known;
    const key = ref && parseAddress(ref.slice(refPrefix.length))?.key.join('/');
    const name =
      is === 'inside' ? lookup && lookupWords(lookup) : (names.beside ?? names.shown ?? key ?? null);
    const field = get(kind.fields, topName(at));
    ids.set(at, { id, scope, name, ref, inObject: field !== undefined && isReferenceField(field) });
  }
  for (const [field, description] of Object.entries(kind.fields)) {
    if (description.is !== 'value' || description.nameOf === undefined) continue;
    const at = pointer(description.nameOf);
    const named = ids.get(at);
    if (named) ids.set(at, { ...named, name: getText(fields, field) });
  }
  return ids;
}

function replaceIds(
  { fields, raw }: StatedObject,
  ids: RecordIds,
  others: RecordIds,
  plain: ReadonlySet<string>,
): JsonObject {
  // Ids can be compared by name if the other side has one in their scope, or nothing, and shows no such id without its name.
  const all = [...others.values()];
  const unnamed = new Set(
    all.flatMap(({ name, scope, id }) => (name === null ? [JSON.stringify([scope, id])] : [])),
  );
  const named = new Set(all.filter(({ name }) => name !== null).map(({ scope }) => scope));
  const scopes = new Set(all.map(({ scope }) => scope));
  const replace = (value: Json, at: Pointer): Json => {
    // An unresolved lookup stands for the name that it looks up. A tenant's value is never one, whatever it looks like.
    const lookup = raw === null ? lookupOf(value) : null;
    if (lookup) return lookupWords(lookup);
    const known = ids.get(at);
    if (known && known.name !== null) {
      const { scope, id } = known;
      if (!unnamed.has(JSON.stringify([scope, id])) && (named.has(scope) || !scopes.has(scope)))
        return namedValue(value, known, plain.has(scope));
    }
    if (isArray(value)) return value.map((item, index) => replace(item, `${at}${pointer(index)}`));
    return isObject(value)
      ? mapMembers(value, (item, step) => replace(item, `${at}${pointer(step)}`))
      : value;
  };
  return mapMembers(fields, (value, field) => replace(value, pointer(field)));
}

/** A reference is compared by its name if it has no id. */
function namedValue(value: Json, { name, ref, inObject }: RecordId, isPlain: boolean): Json {
  const words = (isPlain ? null : ref) ?? name;
  if (!isObject(value) && !inObject) return words;
  if (!isPlain) return { id: words };
  const { id: _id, ...rest } = isObject(value) ? value : {};
  return { ...rest, name };
}
