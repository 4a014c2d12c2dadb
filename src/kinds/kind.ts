import type { Key } from '../model/address.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Lookup } from '../model/marker.ts';
import type { Request, Risk } from '../model/plan.ts';
import type { Pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';

/** How the values of a field are compared, shown, written and exported. */
export type Field =
  /** Compared as it is. With `nameOf` it names what that field is the id of: beside the same id it is the server's business. */
  | { readonly is: 'value'; readonly nameOf?: string }
  /** Text for people: line endings do not count, empty is unset. `language` names its side file's ending. */
  | { readonly is: 'text'; readonly language?: 'html' | 'txt' }
  /** An e-mail address: case does not count. */
  | { readonly is: 'email' }
  /** A list without order or repetition; empty is unset. */
  | { readonly is: 'set' }
  /**
   * A JSON object that the contract keeps in text. With `declares: 'members'` a manifest leaves the members it
   * omits alone. Members named in `nested` hold JSON text of their own. `pairs` says that it holds the settings of
   * another system: 60 and "60" are the same, since hosts answer with either, and credentials may be among them.
   */
  | {
      readonly is: 'json';
      readonly declares: 'whole' | 'members';
      readonly nested?: readonly string[];
      readonly pairs?: true;
    }
  /** `{type, id, name}`: beside an id the name is the server's business. */
  | { readonly is: 'reference' }
  /** A list of objects without order. Two are versions of one record when the members in `alike` agree. */
  | { readonly is: 'records'; readonly alike: readonly string[] };

/** One part of a kind's natural key. */
export interface KeyField {
  readonly name: string;
  /** Upper and lower case are the same. */
  readonly foldCase?: boolean;
}

/** A list endpoint of the API. */
export interface List {
  path(settings: ApiSettings): string;
  /** Records asked for in one call; `null` where the documents declare no paging. */
  readonly pageSize: number | null;
  /** The documents tell the size of a page but declare no parameters: the first page is asked for without any. */
  readonly undeclaredPaging?: true;
  /** Asked to (`count=true`), the tenant tells how long the list is, so that its pages can be read side by side. */
  readonly counts?: true;
  /** It is read for other reasons too, so that what it answers is remembered while a plan is made. */
  readonly shared?: true;
  /** The member of the answer that holds the rows; absent where the answer is the array. */
  readonly member?: string;
  /** A filter expression that finds just these keys; absent where the list cannot filter. */
  filter?(keys: readonly Key[]): string;
}

/** How a kind is read. Each is carried out by the client; none is a function that fetches. */
export type Read =
  /** The list holds whole objects. */
  | {
      readonly how: 'list';
      readonly list: List;
      /** The call for one object whose id is known. */
      one?(id: string, settings: ApiSettings): Request;
    }
  /** The list holds ids; every object has its own call. */
  | { readonly how: 'list-then-each'; readonly list: List; each(id: string, settings: ApiSettings): Request }
  /** There is no list: one call for every declared key. `isAbsent` tells "not configured" from a failure. */
  | {
      readonly how: 'each-declared';
      each(key: Key, settings: ApiSettings): Request;
      isAbsent(answer: { status: number; body: Json }): boolean;
      /** The keys worth asking for when every object is wanted, from the objects (and defaults) of other kinds. */
      candidates(known: readonly LiveObject[]): readonly Key[];
      /** The kinds that {@link candidates} looks at. */
      readonly candidatesFrom: readonly string[];
    };

/** What an answer of the API says about one object, in the manifest's shape. */
export interface Facts {
  readonly key: Key;
  readonly id: string | null;
  readonly fields: JsonObject;
  /** Declarable fields the answer does not show. */
  readonly hidden?: readonly Pointer[];
  /** What a write of the whole object would carry along besides `fields`: part of the fingerprint. */
  carried?(): JsonObject;
}

/** What a kind's write functions are given. */
export interface WriteInput {
  readonly key: Key;
  /** What the object shall be: declared fields over the live object (or the vendor's default), with markers. */
  readonly fields: JsonObject;
  /** Top-level names, of fields and of key parts, that differ. */
  readonly changed: ReadonlySet<string>;
  /** `null` for a create. */
  readonly live: LiveObject | null;
  readonly settings: ApiSettings;
}

/** How a change is made: by requests, or by a person. */
export type Write =
  | {
      readonly requests: readonly Request[];
      readonly warnings?: readonly string[];
      readonly risk?: readonly Risk[];
    }
  | { readonly manual: string };

/** A place in an object that holds the id of another record, and how that record is found by name. */
export interface RecordReference {
  readonly at: Pointer;
  readonly id: string;
  /** The collection, and the fields that may identify the record, best first. */
  readonly from: Lookup['from'];
  readonly by: readonly string[];
  /** It is such an id only where this holds of another record. */
  readonly when?: RecordCondition;
}

/** That the record `id` of the collection `from` has one of `values` in the first of `fields` that it shows. */
interface RecordCondition {
  readonly from: Lookup['from'];
  readonly id: string;
  readonly fields: readonly string[];
  readonly values: readonly string[];
}

/**
 * Everything tenantctl knows about one kind of object: pure data and pure functions. The engine (loader, planner,
 * client, applier, exporter) treats all kinds alike; adding a kind is one such value, one JSON Schema, and its
 * place in the list of index.ts.
 */
export interface Kind {
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  readonly keyFields: readonly KeyField[];
  readonly fields: Readonly<Record<string, Field>>;
  /** Fields of the API that only the server sets: an error in a manifest, left out of an export. */
  readonly serverOwned: readonly string[];
  /** Whether a manifest may pin the object by `id`. */
  readonly pinnable: boolean;
  /** Whether `lifecycle.renamedFrom` can be carried out. */
  readonly renamable: boolean;
  /** What whoever declares such an object should know; told once a run. */
  readonly notice?: { readonly code: string; readonly message: string };
  readonly read: Read;
  /** Where undeclared defaults of the vendor are listed. */
  readonly defaults?: List;
  /**
   * One row of a list, or the answer of a single read or write. `id` is the one asked for, where the answer has
   * none. `null`: the row is no object of this kind, which is a fault of the tenant unless {@link isForeign} says so.
   */
  parse(answer: JsonObject, settings: ApiSettings, id: string | null): Facts | null;
  /** Whether a row of the list is something else that the tenant lists there too. */
  isForeign?(row: JsonObject): boolean;
  create(input: WriteInput): Write;
  update(input: WriteInput & { readonly live: LiveObject }): Write;
  remove(input: WriteInput & { readonly live: LiveObject }): Write;
  /** One request for several of the requests that {@link remove} gives; absent where each goes by itself. */
  mergeRemovals?(requests: readonly Request[]): Request;
  /** What to do when the tenant refuses a request of this kind, where something particular is known. */
  refusalAdvice?(request: Request): string | null;
  /** Ids of other records inside the object's fields, for export. */
  references?(fields: JsonObject, settings: ApiSettings): readonly RecordReference[];
}
