import { answerCollection, type Collection } from '../collection.ts';
import type { Query } from '../query.ts';
import type { NeAttribute, Profile, ProfileType, User } from '../state.ts';
import type { Handler, Reply, Tenant } from '../tenant.ts';

/** Seed 002 names a maximum for profiles only; elsewhere the default is all that a client is promised. */
const defaultLimit = 100;
const maxProfiles = 500;

export const listUsers: Handler = (call, tenant) =>
  answerCollection<User>(
    {
      ...plain('users', tenant.state.users),
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

export const listProfiles: Handler = (call, tenant) =>
  answerCollection(profiles('/api/profiles', tenant.state.profiles, true), call.query, tenant);

export const listProfileTypes: Handler = (call, tenant) =>
  answerCollection<ProfileType>(
    {
      ...plain('profile_types', tenant.state.profileTypes),
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

export const listNeAttributes: Handler = (call, tenant) =>
  answerCollection<NeAttribute>(
    {
      ...plain('ne_attributes', tenant.state.neAttributes),
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

/** One page of the profiles that a search has found. */
export function answerProfiles(found: readonly Profile[], path: string, query: Query, tenant: Tenant): Reply {
  return answerCollection(profiles(path, found, false), query, tenant);
}

function profiles(path: string, records: readonly Profile[], filters: boolean): Collection<Profile> {
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

function plain<T extends User | ProfileType | NeAttribute>(
  plural: string,
  records: readonly T[],
): Omit<Collection<T>, 'attributes'> {
  const path = `/api/${plural}`;
  return { plural, path, maxLimit: defaultLimit, records, filters: true, show: (record) => ({ ...record }) };
}
