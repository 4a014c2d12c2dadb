import type { Service } from './http.ts';
import type { Field, KeyField } from './kind.ts';

/**
 * A kind of object as data: what a `NAME.kind.yaml` says, with its defaults. It describes a collection of the usual shape:
 * a list of whole objects with an `id`, under one path.
 */
export interface Descriptor {
  /** The name of the kind. */
  readonly kind: string;
  readonly summary: string;
  readonly service: Service;
  /** Of the collection, from the base URL on: `/v2025/roles`. An object is at `PATH/{id}`. */
  readonly path: string;
  readonly key: readonly KeyField[];
  readonly list: DescribedList;
  /** How an object is changed; with `put`, what a manifest omits goes back as it was. */
  readonly update: 'json-patch' | 'merge-patch' | 'put' | 'none';
  /** Whether a POST to the collection creates an object. */
  readonly create: boolean;
  readonly delete: boolean;
  readonly fields: Readonly<Record<string, Field>>;
  /** Members of an object that only the server sets. */
  readonly serverOwned: readonly string[];
}

/** What the list of a collection does. */
export interface DescribedList {
  /** Objects per call; `null` where the list has no pages. */
  readonly pageSize: number | null;
  /** The member of the answer that has the objects; left out: the answer is the list. */
  readonly member?: string;
  /** Whether `count=true` makes the tenant state the length of the list. */
  readonly counts: boolean;
  /** Whether `filters=KEY eq "…"` is understood for the members of the key, several joined by `or`. */
  readonly filter: boolean;
}
