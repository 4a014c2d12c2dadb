import type { Client } from '../client/client.ts';
import { isRefused, readObjects } from '../client/read.ts';
import { readByIds } from '../client/read-by-ids.ts';
import type { NameOf } from '../exporter/reference-lookups.ts';
import type { Kinds } from '../kinds/catalog.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { allOf } from '../kinds/read-request.ts';
import { idsIn, targetOf } from '../kinds/references.ts';
import { referenceText } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { groupBy } from '../model/group.ts';
import { own } from '../model/json.ts';
import type { ApiSettings } from '../model/settings.ts';
import { namesAndMore } from '../model/words.ts';

/** The names of the objects that others refer to. */
export interface ReferenceNames {
  /** All objects of the kinds that are referred to, as far as the tenant lists them. */
  readonly objects: readonly LiveObject[];
  /** `null` for an object that is not the only one with its key, or not known. */
  readonly nameOf: NameOf;
  /** Remarks on kinds that cannot be listed, and on ids that no object has, in the fields of objects that are shown. */
  remarksOn(isShown: (object: LiveObject, field: string) => boolean): readonly Diagnostic[];
}

/** An id in a field of an object. */
interface Use {
  readonly from: LiveObject;
  readonly field: string;
  readonly target: Kind;
  /** The id; several values where the tenant shows synonyms, of which one is the id. */
  readonly ids: readonly string[];
}

/** Of which tenant names are read. */
interface Whose {
  readonly kinds: Kinds;
  readonly settings: ApiSettings;
  /** What remarks call it. */
  readonly called?: string;
  /** Reads no other objects than those that are referred to, where that takes fewer requests. */
  readonly isReferredOnly?: boolean;
}

/**
 * Reads the objects that the ids in these objects belong to: only the kinds that occur, each once. A kind that the tenant
 * does not list leaves its ids as they are.
 */
export async function readReferenceNames(
  client: Client,
  objects: readonly LiveObject[],
  { kinds, settings, called = 'the tenant', isReferredOnly = false }: Whose,
): Promise<ReferenceNames> {
  const uses = objects.flatMap((object) => usesIn(object, kinds));
  const targets = [...new Set(uses.map(({ target }) => target))];
  const idsOf = (kind: Kind) => {
    const ids = uses.flatMap((use) => (use.target === kind ? use.ids : []));
    return isReferredOnly ? [...new Set(ids)] : null;
  };
  const lists = await Promise.all(targets.map((kind) => readList(client, kind, idsOf(kind), settings)));
  const found = lists.flatMap((list) => list.objects);
  const names = namesById(found);
  const nameOf = (kind: string, id: string) => names.get(`${kind}/${id}`) ?? null;
  const refusals = new Map(targets.flatMap((kind, at) => (lists[at]?.why ? [[kind, lists[at].why]] : [])));
  return {
    objects: found,
    nameOf,
    remarksOn(isShown) {
      const kept = uses.filter(
        ({ from, field, target, ids }) =>
          ids.every((id) => nameOf(target.name, id) === null) && isShown(from, field),
      );
      const unlisted = [...refusals].filter(([kind]) => kept.some(({ target }) => target === kind));
      const unnamed = kept.filter(({ target }) => !refusals.has(target));
      return [
        ...unlisted.map(([kind, why]) => unlistedRemark(kind, why, called)),
        ...remarkKept(unnamed, called),
      ];
    },
  };
}

function usesIn(from: LiveObject, kinds: Kinds): Use[] {
  return Object.entries(from.kind.fields).flatMap(([name, field]) => {
    const target = kinds.find(targetOf(field) ?? '');
    if (!target || target.read.how === 'each-declared') return [];
    const ids = idsIn(field, own(from.fields, name) ?? null).flatMap(({ id }) =>
      typeof id === 'string' ? [id] : [],
    );
    const each = field.is === 'value' ? [ids] : ids.map((id) => [id]);
    return each.flatMap((same) => (same.length > 0 ? [{ from, field: name, target, ids: same }] : []));
  });
}

/** @param ids of the objects that are needed; `null`: all are */
async function readList(client: Client, kind: Kind, ids: readonly string[] | null, settings: ApiSettings) {
  try {
    const few = ids && (await readByIds(client, kind, ids, settings));
    const objects = few ?? (await readObjects(client, [allOf(kind)], settings));
    return { objects, why: null };
  } catch (error) {
    if (!isRefused(error)) throw error;
    return { objects: [], why: error.diagnostics.map(({ message }) => message).join(' ') };
  }
}

function unlistedRemark({ name }: Kind, why: string, called: string): Diagnostic {
  const message = `Ids of the kind ${name} stay as they are, since ${called} does not list its objects. ${why}`;
  return { code: 'ids-kept', severity: 'info', message };
}

/** The names of the objects that are the only ones with their ids, and with their keys. */
function namesById(objects: readonly LiveObject[]): ReadonlyMap<string, string> {
  const idOf = ({ kind, id }: LiveObject) => `${kind.name}/${id}`;
  const byKey = new Map(groupBy(objects, ({ identity }) => identity));
  const byId = new Map(groupBy(objects, idOf));
  const isOnly = (object: LiveObject) =>
    byKey.get(object.identity)?.length === 1 && byId.get(idOf(object))?.length === 1;
  const named = objects.filter((object) => {
    const isWritable =
      object.key[0] !== object.id && object.key.every((part) => part !== '' && part.isWellFormed());
    return isWritable && isOnly(object);
  });
  return new Map(named.map((object) => [idOf(object), referenceText(object.kind.name, object.key)]));
}

/** One remark for each field. */
function remarkKept(uses: readonly Use[], called: string): Diagnostic[] {
  const byField = groupBy(uses, ({ from, field }) => `${from.kind.name} ${field}`);
  return byField.map(([, same]): Diagnostic => {
    const [{ from, field, target }] = same;
    const where = namesAndMore([from.address], same.length - 1);
    const message = `The id in \`${field}\` of ${where} stays as it is: ${called} shows no ${target.name} with it whose key no other has.`;
    return { code: 'ids-kept', severity: 'info', message, address: from.address };
  });
}
