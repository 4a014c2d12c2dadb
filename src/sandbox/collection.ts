import type { Json } from '../model/json.ts';
import { badRequest } from './api-error.ts';
import { flagIn, numberIn, order, type Query } from './query.ts';
import { ok, type Reply, type Tenant } from './tenant.ts';

/** A collection endpoint of the profile-management interface. */
export interface Collection<T> {
  /** The plural noun under which a wrapped answer holds the records. */
  readonly plural: string;
  readonly path: string;
  readonly maxLimit: number;
  readonly records: readonly T[];
  /** The attributes that records can be filtered and ordered by, as text. */
  readonly attributes: ReadonlyMap<string, (record: T) => string>;
  /** Whether query parameters filter. */
  readonly filters: boolean;
  readonly show: (record: T) => Json;
}

const parameters = ['limit', 'offset', 'order', 'metadata'];

/** Answers a collection request as seed 002 says: filters, order, one page, and metadata where it is asked for. */
export function answerCollection<T>(collection: Collection<T>, query: Query, tenant: Tenant): Reply {
  const { variations } = tenant;
  const found = ordered(collection, filtered(collection, query, tenant), query.get('order'));
  const limit = numberIn(query, 'limit', 1, collection.maxLimit, 100);
  const offset = numberIn(query, 'offset', 0, 2 ** 31 - 1, 0);
  if (variations.offsetZero === 'refused' && query.get('offset') === '0')
    throw badRequest('offset must not be 0');
  if (variations.offsetBeyondEnd === 'refused' && offset > 0 && offset >= found.length) {
    throw badRequest(`offset must be between 0 and ${Math.max(0, found.length - 1)}`);
  }
  const metadata = flagIn(query, 'metadata');
  const page = found.slice(offset, offset + limit).map(collection.show);
  const wrapped = variations.collections === 'metadata' ? metadata : variations.collections === 'wrapped';
  if (!wrapped) return ok(page);
  const next = offset + limit < found.length ? nextPage(collection.path, query, limit, offset + limit) : null;
  const about = { limit, offset, total: found.length, next };
  return ok({ [collection.plural]: page, ...(metadata && { _metadata: about }) });
}

function filtered<T>(
  { attributes, filters, records }: Collection<T>,
  query: Query,
  tenant: Tenant,
): readonly T[] {
  return [...query].reduce<readonly T[]>((left, [name, value]) => {
    if (!filters || parameters.includes(name)) return left;
    const read = attributes.get(name);
    if (read !== undefined) return left.filter((record) => read(record) === value);
    if (tenant.variations.unknownFilter === 'ignored') return left;
    throw badRequest(`"${name}" is neither a parameter nor an attribute to filter by`);
  }, records);
}

function ordered<T>(
  { attributes }: Collection<T>,
  records: readonly T[],
  by: string | undefined,
): readonly T[] {
  if (by === undefined) return records;
  const read = attributes.get(by);
  if (read === undefined)
    throw badRequest(`order: "${by}" is not one of ${[...attributes.keys()].join(', ')}`);
  return records.toSorted((a, b) => order(read(a), read(b)));
}

function nextPage(path: string, query: Query, limit: number, offset: number): string {
  const next = new URLSearchParams([...query]);
  next.set('limit', String(limit));
  next.set('offset', String(offset));
  return `${path}?${next}`;
}
