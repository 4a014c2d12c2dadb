import { type JsonObject, textOf } from '../../model/json.ts';
import { attributeClass } from '../objects.ts';
import { compareText, readFlag, readRange } from '../query.ts';
import {
  badRequest,
  type Handler,
  type Handlers,
  okRead,
  type Query,
  type Reply,
  type Tenant,
} from '../requests.ts';
import type { TenantState } from '../state.ts';
import type { Variations } from '../variations.ts';

const defaultLimit = 100;

/**
 * The largest page of each collection, and the attributes that its records can be filtered and ordered by. Seed 002 sets
 * a maximum for profiles only. For the others it promises no more than the default.
 */
const collections = {
  users: { maxLimit: defaultLimit, attributes: ['id', 'uid', 'name', 'login', 'email', 'status'] },
  profiles: { maxLimit: 500, attributes: ['id', 'uid', 'name', 'status', 'profile_type_id'] },
  profile_types: { maxLimit: defaultLimit, attributes: ['id', 'uid', 'name', 'category'] },
  ne_attributes: { maxLimit: defaultLimit, attributes: ['id', 'uid', 'label', 'data_type'] },
};

/** The collection endpoints of the profile-management interface (seed 002). */
export const collectionHandlers = {
  'list-users': listAll('users', ({ users }) => users),
  'list-profiles': listAll('profiles', ({ profiles }) => profiles),
  'list-profile-types': listAll('profile_types', ({ profileTypes }) => profileTypes),
  'list-ne-attributes': listAll('ne_attributes', ({ neAttributes }, { ruleObjectType }) =>
    ruleObjectType === 'attribute_class'
      ? neAttributes.map((row) => ({ ...row, type: attributeClass(row) }))
      : neAttributes,
  ),
} satisfies Handlers;

function listAll(
  plural: keyof typeof collections,
  recordsOf: (state: TenantState, variations: Variations) => readonly JsonObject[],
): Handler {
  return ({ query }, tenant) => {
    const records = recordsOf(tenant.state, tenant.variations);
    return answerPage({ plural, path: `/api/${plural}`, records }, query, tenant);
  };
}

/** Records of a collection, before filters. */
interface Records {
  /** The plural noun under which a wrapped answer holds the records. */
  readonly plural: keyof typeof collections;
  /** Where the next page is requested. */
  readonly path: string;
  readonly records: readonly JsonObject[];
}

/** Answers a collection request (seed 002): filters, order, one page, and metadata if requested. Throws a 400. */
export function answerPage({ plural, path, records }: Records, query: Query, tenant: Tenant): Reply {
  const { variations } = tenant;
  const { maxLimit, attributes } = collections[plural];
  const { limit, offset } = readRange(query, maxLimit, defaultLimit);
  const matching = filterRecords(records, attributes, query, tenant);
  const found = orderRecords(matching, attributes, query.get('order'));
  if (variations.offsetZero === 'refused' && query.get('offset') === '0')
    throw badRequest('offset must not be 0');
  const metadata = readFlag(query, 'metadata');
  const end = offset + limit;
  const page = found.slice(offset, end);
  if (page.length === 0 && variations.nothingFound !== 'list') return answerNothing(plural, variations);
  if (variations.offsetBeyondEnd === 'refused' && offset > 0 && offset >= found.length) {
    throw badRequest(`offset must be between 0 and ${Math.max(0, found.length - 1)}`);
  }
  const wrapped = variations.collections === 'metadata' ? metadata : variations.collections === 'wrapped';
  if (!wrapped) return okRead(page);
  const next = end < found.length ? nextPage(path, query, limit, end) : null;
  const about = { limit, offset, total: found.length, next };
  return okRead({ [plural]: page, ...(metadata && { _metadata: about }) });
}

/** The answer of hosts that do not answer an empty list (api-notes, "What hosts of this family really answer"). */
export function answerNothing(plural: string, { nothingFound }: Variations): Reply {
  const status = nothingFound === 'refused' ? 400 : 200;
  return { status, body: { error: `no ${plural.replaceAll('_', ' ')} found` } };
}

/** Query parameters that are not filters. */
const parameters = ['limit', 'offset', 'order', 'metadata'];

function filterRecords(
  records: readonly JsonObject[],
  attributes: readonly string[],
  query: Query,
  { variations }: Tenant,
): readonly JsonObject[] {
  return [...query].reduce((left, [name, value]) => {
    if (parameters.includes(name)) return left;
    if (attributes.includes(name)) return left.filter((record) => (textOf(record, name) ?? '') === value);
    if (variations.unknownFilter === 'ignored') return left;
    throw badRequest(`"${name}" is neither a parameter nor an attribute to filter by`);
  }, records);
}

function orderRecords(
  records: readonly JsonObject[],
  attributes: readonly string[],
  by: string | undefined,
): readonly JsonObject[] {
  if (by === undefined) return records;
  if (!attributes.includes(by)) throw badRequest(`order: "${by}" is not one of ${attributes.join(', ')}`);
  return records.toSorted((a, b) => compareText(textOf(a, by) ?? '', textOf(b, by) ?? ''));
}

function nextPage(path: string, query: Query, limit: number, offset: number): string {
  const next = new URLSearchParams([...query]);
  next.set('limit', String(limit));
  next.set('offset', String(offset));
  return `${path}?${next}`;
}
