import { type Json, type JsonObject, withoutNulls } from '../../model/json.ts';
import { badRequest } from '../api-error.ts';
import { Fields } from '../fields.ts';
import { findById, type Handlers, okRead, okWrite, resolveName, type Tenant } from '../handler.ts';
import { applyPatch, standardPatch } from '../json-patch.ts';
import { type AuthProfile, authTypes } from '../objects.ts';

const noun = 'authentication profile';

/** The profiles, on some tenants with another one that has the name of the first. */
function profilesOf({ state, variations }: Tenant): readonly AuthProfile[] {
  const [first] = state.authProfiles;
  return variations.twinProfiles && first
    ? [...state.authProfiles, { ...first, id: `${first.id}-twin` }]
    : state.authProfiles;
}

/** Authentication profiles (seed 000). */
export const authProfiles = {
  /** Summaries only. */
  'get-profile-config-list': (_call, tenant) =>
    okRead(profilesOf(tenant).map(({ id }) => ({ id, tenant: tenant.state.tenant }))),

  'get-profile-config': (call, tenant) => okRead(showProfile(findById(profilesOf(tenant), call, noun))),

  /** A bare array of operations on the five patchable fields. */
  'patch-profile-config': (call, tenant) => {
    const profile = findById(tenant.state.authProfiles, call, noun);
    const { offNetwork, untrustedGeography, applicationId, applicationName, type } = profile;
    const document = { offNetwork, untrustedGeography, applicationId, applicationName, type };
    // `replace` refuses a member that is absent.
    const changes = readPatch(applyPatch(withoutNulls(document), call.body, standardPatch));
    const resolved = resolveName(changes.applicationId, tenant);
    Object.assign(profile, changes, resolved !== null && { applicationName: resolved });
    return okWrite(showProfile(profile));
  },
} satisfies Handlers;

function showProfile({ id: _id, ...shown }: AuthProfile): Json {
  return shown;
}

function readPatch(patched: JsonObject): Omit<AuthProfile, 'id' | 'name' | 'strongAuthLogin'> {
  const fields = new Fields(patched, 'profile');
  const changes = {
    offNetwork: fields.bool('offNetwork', null),
    untrustedGeography: fields.bool('untrustedGeography', null),
    applicationId: fields.textOrNull('applicationId'),
    applicationName: fields.textOrNull('applicationName'),
    type: fields.choice('type', authTypes),
  };
  if (changes.applicationId === '') throw badRequest('applicationId must not be empty');
  fields.end();
  return changes;
}
