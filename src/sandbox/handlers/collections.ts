import type { Json } from '../../model/json.ts';
import { badRequest } from '../api-error.ts';
import { type Handler, okRead, type Reply, type Tenant } from '../handler.ts';
import { compareText, maxOffset, type Query, readFlag, readNumber } from '../query.ts';
import type { NeAttribute, Profile, ProfileType, User } from '../state.ts';

/** A collection endpoint of the profile-management interface. */
interface Collection<T> {
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

/** Seed 002 sets a maximum for profiles only. For the others it promises no more than the default. */
const defaultLimit = 100;
const maxProfiles = 500;

/** Query parameters that are not filters. */
const parameters = ['limit', 'offset', 'order', 'metadata'];

/** Seed 002, list-users. */
export const listUsers: Handler = (call, tenant) =>
  answerCollection<User>(
    {
      ...describeCollection('users', tenant.state.users),
      attributes: new Map([
        ['id', ({ id }) => id],
        ['uid', ({ uid }) => uid],
        ['name', ({ name }) => name],
        ['login', ({ login }) => login],
        ['email', ({ email }) => email],
        ['status', ({ status }) => status],
      ]),
    },
    call.query,
    tenant,
  );

/** Seed 002, list-profiles. */
export const listProfiles: Handler = (call, tenant) =>
  answerCollection(
    describeProfiles('/api/profiles', tenant.state.profiles, { filters: true }),
    call.query,
    tenant,
  );

/** Seed 002, list-profile-types. */
export const listProfileTypes: Handler = (call, tenant) =>
  answerCollection<ProfileType>(
    {
      ...describeCollection('profile_types', tenant.state.profileTypes),
      attributes: new Map([
        ['id', ({ id }) => id],
        ['uid', ({ uid }) => uid],
        ['name', ({ name }) => name],
        ['category', ({ category }) => category ?? ''],
      ]),
    },
    call.query,
    tenant,
  );

/** Seed 002, list-ne-attributes. */
export const listNeAttributes: Handler = (call, tenant) =>
  answerCollection<NeAttribute>(
    {
      ...describeCollection('ne_attributes', tenant.state.neAttributes),
      attributes: new Map([
        ['id', ({ id }) => id],
        ['uid', ({ uid }) => uid],
        ['label', ({ label }) => label],
        ['data_type', ({ data_type }) => data_type],
      ]),
    },
    call.query,
    tenant,
  );

/** Answers one page of the profiles that a search has found; `path` is where the next page is requested. */
export function answerProfiles(found: readonly Profile[], path: string, query: Query, tenant: Tenant): Reply {
  return answerCollection(describeProfiles(path, found, { filters: false }), query, tenant);
}

function describeProfiles(
  path: string,
  records: readonly Profile[],
  { filters }: { readonly filters: boolean },
): Collection<Profile> {
  return {
    plural: 'profiles',
    path,
    maxLimit: maxProfiles,
    records,
    filters,
    attributes: new Map([
      ['id', ({ id }) => id],
      ['uid', ({ uid }) => uid],
      ['name', ({ name }) => name],
      ['status', ({ status }) => status],
      ['profile_type_id', ({ profile_type_id }) => profile_type_id],
    ]),
    show: (profile) => ({ ...profile }),
  };
}

function describeCollection<T extends User | ProfileType | NeAttribute>(
  plural: string,
  records: readonly T[],
): Omit<Collection<T>, 'attributes'> {
  const path = `/api/${plural}`;
  return { plural, path, maxLimit: defaultLimit, records, filters: true, show: (record) => ({ ...record }) };
}

/** Answers a collection request (seed 002): filters, order, one page, and metadata if requested. Throws a 400. */
function answerCollection<T>(collection: Collection<T>, query: Query, tenant: Tenant): Reply {
  const { variations } = tenant;
  const found = orderRecords(collection, filterRecords(collection, query, tenant), query.get('order'));
  const limit = readNumber(query, 'limit', { min: 1, max: collection.maxLimit, fallback: defaultLimit });
  const offset = readNumber(query, 'offset', { min: 0, max: maxOffset, fallback: 0 });
  if (variations.offsetZero === 'refused' && query.get('offset') === '0')
    throw badRequest('offset must not be 0');
  if (variations.offsetBeyondEnd === 'refused' && offset > 0 && offset >= found.length) {
    throw badRequest(`offset must be between 0 and ${Math.max(0, found.length - 1)}`);
  }
  const metadata = readFlag(query, 'metadata');
  const page = found.slice(offset, offset + limit).map(collection.show);
  const wrapped = variations.collections === 'metadata' ? metadata : variations.collections === 'wrapped';
  if (!wrapped) return okRead(page);
  const end = offset + limit;
  const next = end < found.length ? nextPage(collection.path, query, limit, end) : null;
  const about = { limit, offset, total: found.length, next };
  return okRead({ [collection.plural]: page, ...(metadata && { _metadata: about }) });
}

function filterRecords<T>(
  { attributes, filters, records }: Collection<T>,
  query: Query,
  { variations }: Tenant,
): readonly T[] {
  if (!filters) return records;
  return [...query].reduce<readonly T[]>((left, [name, value]) => {
    if (parameters.includes(name)) return left;
    const read = attributes.get(name);
    if (read !== undefined) return left.filter((record) => read(record) === value);
    if (variations.unknownFilter === 'ignored') return left;
    throw badRequest(`"${name}" is neither a parameter nor an attribute to filter by`);
  }, records);
}

function orderRecords<T>(
  { attributes }: Collection<T>,
  records: readonly T[],
  by: string | undefined,
): readonly T[] {
  if (by === undefined) return records;
  const read = attributes.get(by);
  if (read === undefined)
    throw badRequest(`order: "${by}" is not one of ${[...attributes.keys()].join(', ')}`);
  return records.toSorted((a, b) => compareText(read(a), read(b)));
}

function nextPage(path: string, query: Query, limit: number, offset: number): string {
  const next = new URLSearchParams([...query]);
  next.set('limit', String(limit));
  next.set('offset', String(offset));
  return `${path}?${next}`;
}
