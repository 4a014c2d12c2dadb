import { readCache, writeCache } from '../model/cache-file.ts';
import { isArray, isObject, type Json, objectFrom, own } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';

/** What an earlier run found in a page of a list, by the digest of its bytes. */
export interface KnownPage {
  readonly total: number | null;
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

/** The pages of lists that earlier runs have read. */
export interface PageCache {
  /** What is known of the page of that digest, if it lists objects of that kind. */
  find(kind: string, digest: string): KnownPage | null;
  /** This run has read the page: `objects` are its rows, `null` for those that are none of the kind's. */
  keep(kind: string, digest: string, page: ReadPage): void;
  /**
   * Writes what this run has read, if that is not what is there already.
   *
   * @param equalTo the declaration that the object was found to be equal to in this run, by its digest
   */
  save(equalTo: (object: LiveObject) => string | null): void;
}

interface ReadPage {
  readonly total: number | null;
  readonly names: readonly string[];
  readonly objects: readonly (LiveObject | null)[];
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
  const kept = new Map<string, { kind: string; page: ReadPage }>();
  return {
    find(kind, digest) {
      const name = `${kind} ${digest}`;
      const known = found.get(name) ?? pageFrom(own(pages, name));
      found.set(name, known);
      return known;
    },
    keep(kind, digest, page) {
      kept.set(`${kind} ${digest}`, { kind, page });
    },
    save(equalTo) {
      let isNew = kept.size !== Object.keys(pages).length;
      const entries = [...kept].map(
        ([
          name,
          {
            page: { total, names, objects },
          },
        ]): [string, Json] => {
          const rows = names.map((row, at) => {
            const object = objects[at] ?? null;
            const equal = object && (equalTo(object) ?? object.equalTo);
            isNew ||= !found.get(name) || equal !== object?.equalTo;
            return object ? [row, object.id, equal, ...object.key] : [row];
          });
          return [name, { total, rows }];
        },
      );
      if (isNew) writeCache(file, head, objectFrom(entries));
    },
  };
}

function pageFrom(json: Json | undefined): KnownPage | null {
  if (!isObject(json)) return null;
  const [total, list] = [own(json, 'total'), own(json, 'rows')];
  if (!isArray(list) || (total !== null && typeof total !== 'number')) return null;
  const rows = list.map(rowFrom);
  return rows.every((row) => row !== null) ? { total, rows } : null;
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
