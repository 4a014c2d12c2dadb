import { type Address, type Key, percentDecoded } from '../model/address.ts';
import type { Request, Risk } from '../model/documents.ts';
import type { Diagnostic } from '../model/failure.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/tenant.ts';
import type { ApiResource, Call } from './http.ts';
import type { Places } from './places.ts';

export type Field = Form & {
  readonly places?: Places;
};

type Form =
  /**
   * Compared exactly. `nameOf`: the name beside an id in that field, not compared if the ids are equal. `synonyms`: the tenant
   * may list values that mean the same. `to`: an id of that kind.
   */
  | {
      readonly is: 'value';
      readonly nameOf?: string;
      readonly synonyms?: true;
      readonly to?: string;
    }
  /** Text for people: line endings do not count, empty is unset. Those with a `language` may have many lines. */
  | { readonly is: 'text'; readonly language?: 'html' }
  | { readonly is: 'email' }
  /** A list without order and duplicates; empty is unset. With `to` it has the ids of objects of that kind. */
  | { readonly is: 'set'; readonly to?: string; readonly of?: 'email' }
  | JsonField
  /** `{type, id, name}`: compared by id if there is one, else by name. `type` is the API's name of the kind in `to`. */
  | { readonly is: 'reference'; readonly to?: string; readonly type?: string }
  /** A list of such references, without order and duplicates; empty is unset. */
  | { readonly is: 'references'; readonly to: string; readonly type?: string }
  | RecordsField;

/** A JSON object that the API keeps in text, with `text` a list too; or, with `plain`, an object or a list as it is. */
export interface JsonField {
  readonly is: 'json';
  /** With `members`, those that a manifest omits are left alone. */
  readonly declares: 'whole' | 'members';
  readonly plain?: true;
  readonly text?: true;
  readonly settings?: true;
  /** Its members are words of the API: shown even if undeclared, unless they look like credentials. */
  readonly vocabulary?: true;
  readonly nested?: readonly string[];
  readonly pairs?: true;
  /** Hosts answer with members that nobody set: null, false, `""` and `{}` equal an absent member, at every depth. */
  readonly filled?: true;
}

/** A list without order. Objects with equal `alike` members are versions of one record. `filled` members are always sent. */
export interface RecordsField {
  readonly is: 'records';
  /** Between two tenants: a member that one of two records omits is a difference, or has its `filled` value. */
  readonly declares?: 'whole';
  readonly alike: readonly string[];
  readonly filled?: JsonObject;
  /** The record in one spelling, if tenants have several. */
  canonical?(record: JsonObject): JsonObject;
}

interface KeyField {
  readonly name: string;
  readonly foldCase?: boolean;
  /** The member with the text, if the part is a reference: an entitlement is identified by its name and its source's name. */
  readonly of?: string;
}

export interface List {
  readonly resource: ApiResource;
  /** Records per call; `null` if the documents declare no paging. */
  readonly pageSize: number | null;
  /** The documents state a page size but no parameters: the first page is read without parameters. */
  readonly undeclaredPaging?: true;
  readonly counts?: true;
  isForeign?(row: JsonObject): boolean;
  readonly member?: string;
  filter?(keys: readonly Key[]): string;
}

export type Read = HowRead & {
  readonly defaults?: List;
};

type HowRead =
  | {
      readonly how: 'list';
      readonly list: List;
      one?(id: string, settings: ApiSettings): Call;
    }
  /** There is one object, and no list: at the path, or at that below each parent. */
  | {
      readonly how: 'single';
      one(id: string | null, settings: ApiSettings): Call;
      isAbsent(answer: { status: number }): boolean;
    }
  /** The list has ids; each object has its own call. */
  | { readonly how: 'list-then-each'; readonly list: List; each(id: string, settings: ApiSettings): Call }
  /** There is no list: one call for each declared key. `isAbsent` distinguishes "not configured" from a failure. */
  | {
      readonly how: 'each-declared';
      each(key: Key, settings: ApiSettings): Call;
      isAbsent(answer: { status: number; body: Json }): boolean;
      /** If all objects are wanted, their keys are the names of the objects and defaults of these kinds. */
      readonly candidatesFrom: readonly Kind[];
    };

export interface Facts {
  readonly key: Key;
  readonly id: string | null;
  readonly fields: JsonObject;
  readonly hidden?: readonly Pointer[];
  readonly whyNotExported?: string | null;
  /** What a write of the whole object contains besides `fields`: part of the fingerprint. */
  readonly extraMembers?: JsonObject;
}

/** One object as the tenant has it, in the manifest's shape. */
export interface LiveObject extends Omit<Facts, 'hidden' | 'extraMembers'> {
  readonly kind: Kind;
  /** The key that the tenant shows: different if the object is known by its id, or its parent by the name in a manifest. */
  readonly shownKey: Key;
  /** The object that it is below. */
  readonly above?: LiveObject;
  readonly address: Address;
  /** The address with its key case-folded as the kind says: equal for the same object. */
  readonly identity: string;
  /** Declarable fields that the tenant does not show (missing, masked, encrypted): they cannot be compared. */
  readonly hidden: readonly Pointer[];
  /** The tenant's complete answer: a write of the whole object is based on it. */
  readonly raw: JsonObject;
  /** Leaves out the server's bookkeeping and the ignored places. Computed on demand: few objects change. */
  fingerprint(ignored?: readonly Pointer[]): string;
}

export interface WriteInput {
  readonly key: Key;
  /** The wanted object: declared fields over the live object or the vendor's default, with markers. */
  readonly fields: JsonObject;
  readonly changed: ReadonlySet<string>;
  readonly live: LiveObject | null;
  readonly settings: ApiSettings;
}

export type UpdateInput = WriteInput & { readonly live: LiveObject };

export type Write =
  | {
      readonly requests: readonly Request[];
      readonly warnings?: readonly string[];
      readonly risk?: readonly Risk[];
    }
  | { readonly manual: string };

/** Everything that tenantctl knows about a kind of object. Functions are pure: a plan is checked by computing it again. */
export interface Kind {
  /** Its name in manifests and addresses: a word in PascalCase, never changed once projects use it. */
  readonly name: string;
  readonly summary: string;
  /** The parts of the natural key, in the order of an address. Two objects with equal keys are one. */
  readonly keyFields: readonly KeyField[];
  readonly fields: Readonly<Record<string, Field>>;
  /** Members of the API's answers that only the server sets: an error in a manifest, left out of an export. */
  readonly serverOwned: readonly string[];
  /** Must agree with `write`: a `false` there must become a manual step. */
  readonly can: {
    /** What a create of an existing object does. If the documents do not say, it `duplicates`. */
    readonly create: 'refused' | 'replaces' | 'duplicates' | false;
    readonly update: boolean;
    readonly delete: boolean;
    /** An update may delete the object and create it again. */
    readonly replace?: boolean;
    /** An update can give an object another name: a manifest may have `lifecycle.renamedFrom`. */
    readonly rename: boolean;
    /** Objects have lasting ids: a manifest may pin the object by `id`. */
    readonly pin: boolean;
  };
  readonly resource: ApiResource;
  readonly parent?: Parent;
  readonly idMember?: string;
  readonly read: Read;
  /**
   * Reads a row of a list or another answer; any JSON. A declarable field that the answer does not show goes into `hidden`.
   * `id` is the requested one, for answers without an id. `null`: not an object of this kind, an error unless the row is
   * foreign.
   */
  parse(answer: JsonObject, id: string | null): Facts | null;
  readonly write: {
    /** The requests that make a new object, or the step by hand. May warn, and must name risks that cannot be undone. */
    create(input: WriteInput): Write;
    /** The same for what differs. Must preserve undeclared fields, even if the API only accepts whole objects. */
    update(input: UpdateInput): Write;
    /** The same for a delete. Must not depend on the object's fields. */
    remove(input: Pick<WriteInput, 'key' | 'settings'> & { readonly id: string | null }): Write;
  };
  readonly described?: {
    schema(): JsonObject;
    readonly required?: readonly string[];
    /** The fields that the requests of `remove` set before the object is gone. */
    readonly beforeDelete?: JsonObject;
    readonly digest?: string;
  };
  readonly quirks?: Quirks;
}

/** The kind that objects are below. They name it in their key and in a field; its id is part of theirs (see `pathIds`). */
export interface Parent {
  readonly part: string;
  readonly kind: Kind;
}

interface Quirks {
  /** The kind as hosts with these settings have it: of the same name, key and fields. */
  on?(settings: ApiSettings): Kind;
  readonly notice?: Pick<Diagnostic, 'code' | 'severity' | 'message' | 'hint'>;
  /** Members of `serverOwned` that a manifest declares as another field, with that field. */
  readonly declaredAs?: Readonly<Record<string, string>>;
  /** The declaration, with each value in the field where `parse` puts it for this tenant. */
  arrange?(declared: JsonObject, live: LiveObject): JsonObject;
  /** Declared fields with the lookups that the tenant also needs, as the settings say. */
  complete?(fields: JsonObject, settings: ApiSettings): JsonObject;
  /** Deletes that share one request: its body lists the items of the bodies of `remove`. With advice for a refusal. */
  readonly sharedDelete?: { readonly ifRefused?: string };
}

/** What a step asks of a person where the API has no call for it. `NAME` stands for that of the object. */
export function byHand(step: string): (input: { readonly key: Key }) => Write {
  return ({ key: [name = ''] }) => ({ manual: step.replaceAll('NAME', () => name) });
}

export function withoutId(name: string, step: 'change' | 'delete'): Write {
  return {
    manual: `The tenant shows no id for "${name}", so the API cannot ${step} it: do this in the admin interface, then plan again.`,
  };
}

/** Whether the API has no call that changes objects of the kind: they can only be observed. */
export function isObserved({ can }: Kind): boolean {
  return can.create === false && !can.update && !can.delete;
}

export function isOnlyReferredTo(kind: Kind): boolean {
  return isObserved(kind) && Object.keys(kind.fields).length === 0;
}

export function partFor(key: Key): string {
  return key.length === 1 ? (key[0] ?? '') : key.map(encodeURIComponent).join('/');
}

/** The key of an object below another one, with the key that this has `above`. */
export const keyBelow = (above: Key, key: Key): Key => [partFor(above), ...key.slice(1)];

/** No parts if the text is not as {@link partFor} writes it: no object has such a key. */
export function parentKey({ kind }: Parent, [part = '']: Key): Key {
  return kind.keyFields.length === 1 ? [part] : (percentDecoded(part.split('/')) ?? []);
}

export function isKeyOf({ keyFields, parent }: Kind, key: Key): boolean {
  return key.length === keyFields.length && (!parent || isKeyOf(parent.kind, parentKey(parent, key)));
}

/** An answer of the tenant with its parent, which answers do not name. */
export function placeBelow(
  { parent }: Pick<Kind, 'parent'>,
  answer: JsonObject,
  above: { readonly id: string; readonly part: string } | null,
): JsonObject {
  return parent && above ? { ...answer, [parent.part]: { ...above } } : answer;
}

/**
 * The ids in the path of an object: its parent's, if the kind has one, and its own, unless it is a single object. They are encoded,
 * with a slash between them.
 */
export function pathIds(
  parent: unknown,
  id: string,
): readonly [above: string | undefined, get: string | undefined] {
  if (!parent) return [undefined, id];
  const [above, own] = id.split('/').map(decodeURIComponent);
  return [above, own];
}

export function ownId({ parent }: Pick<Kind, 'parent'>, id: string): string {
  return pathIds(parent, id)[1] ?? id;
}
