import type { Address } from '../model/address.ts';
import { readCache, writeCache } from '../model/cache-file.ts';
import { isArray, isObject, type Json, objectFrom, own } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';

/** What an earlier run found in a page of a list, by the digest of its bytes. */
export interface KnownPage {
  readonly totalInBody: number | null;
  readonly rows: readonly KnownRow[];
}

export interface KnownRow {
  /** What tells the row from the others of its list. */
  readonly name: string;
  /** `null` for a row that is none of the kind's. */
  readonly object: KnownObject | null;
}

/** An object of a page, as far as it can be used without reading the page. */
export type KnownObject = Pick<LiveObject, 'key' | 'id' | 'equalTo'>;

/** A page that this run has read; `objects` are its rows, `null` for those that are none of the kind's. */
interface ReadPage {
  readonly totalInBody: number | null;
  readonly names: readonly string[];
  readonly objects: readonly (ReadObject | null)[];
}

/** What is kept of an object of a page. */
export type ReadObject = KnownObject & Pick<LiveObject, 'address'>;

/** An object without what it holds besides, which need not stay. */
export function readObject({ key, id, equalTo, address }: LiveObject): ReadObject {
  return { key, id, equalTo, address };
}

/** The pages of lists that earlier runs have read. */
export interface PageCache {
  /** What is known of the page of that digest, if it lists objects of that kind. */
  find(kind: string, digest: string): KnownPage | null;
  keep(kind: string, digest: string, page: ReadPage): void;
  /**
   * Writes what this run has read, if that is not what is there already.
   *
   * @param equalTo the declaration that the object of an address was found to be equal to in this run, by its digest
   */
  save(equalTo: (address: Address) => string | null): void;
}

/**
 * The cache in `file`. Whatever is not as it should be counts as not there. It holds keys, ids and digests of objects,
 * and nothing else of them.
 *
 * @param basis all besides the page that has a say in what its rows mean: the version of the tool, how it reads
 */
export function openPageCache(file: string, basis: string): PageCache {
  const head = `pages read by tenantctl ${basis}`;
  const content = readCache(file, head);
  const pages = isObject(content) ? content : {};
  const found = new Map<string, KnownPage | null>();
  const kept = new Map<string, ReadPage>();
  const find = (name: string): KnownPage | null => {
    const known = found.get(name);
    if (known !== undefined) return known;
    const page = pageFrom(own(pages, name));
    found.set(name, page);
    return page;
  };
  return {
    find: (kind, digest) => find(`${kind} ${digest}`),
    keep: (kind, digest, page) => kept.set(`${kind} ${digest}`, page),
    save(equalTo) {
      const read = [...kept].map(([name, page]) => [name, known(page, equalTo)] as const);
      const isSame =
        read.length === Object.keys(pages).length && read.every(([name, page]) => isKnown(page, find(name)));
      if (!isSame) writeCache(file, head, objectFrom(read.map(([name, page]) => [name, pageJson(page)])));
    },
  };
}

/** What will be known of a page. */
function known(
  { totalInBody, names, objects }: ReadPage,
  equalTo: (address: Address) => string | null,
): KnownPage {
  const rows = names.map((name, at): KnownRow => {
    const object = objects[at] ?? null;
    if (!object) return { name, object };
    return {
      name,
      object: { key: object.key, id: object.id, equalTo: equalTo(object.address) ?? object.equalTo },
    };
  });
  return { totalInBody, rows };
}

/** Whether a page of the same digest is known to be the same, which leaves only what its objects equal to differ. */
function isKnown({ rows }: KnownPage, before: KnownPage | null): boolean {
  return (
    before !== null && rows.every(({ object }, at) => object?.equalTo === before.rows[at]?.object?.equalTo)
  );
}

function pageJson({ totalInBody, rows }: KnownPage): Json {
  return {
    total: totalInBody,
    rows: rows.map(({ name, object }) =>
      object ? [name, object.id, object.equalTo, ...object.key] : [name],
    ),
  };
}

function pageFrom(json: Json | undefined): KnownPage | null {
  if (!isObject(json)) return null;
  const [total, list] = [own(json, 'total'), own(json, 'rows')];
  if (!isArray(list) || (total !== null && typeof total !== 'number')) return null;
  const rows = list.map(rowFrom);
  return rows.every((row) => row !== null) ? { totalInBody: total, rows } : null;
}

function rowFrom(json: Json): KnownRow | null {
  const [name, id, equalTo, ...key] = isArray(json) ? json : [];
  if (typeof name !== 'string') return null;
  if (id === undefined) return { name, object: null };
  if (!isTextOrNull(id) || !isTextOrNull(equalTo)) return null;
  return key.every((part) => typeof part === 'string') ? { name, object: { key, id, equalTo } } : null;
}

function isTextOrNull(json: Json | undefined): json is string | null {
  return json === null || typeof json === 'string';
}
