import { type Json, withoutNulls } from '../../model/json.ts';
import { applyPatch, standardPatch } from '../json-patch.ts';
import { type AuthProfile, authTypes } from '../objects.ts';
import { badRequest, findById, type Handlers, okRead, okWrite, type Tenant } from '../requests.ts';
import { bool, choice, object, textOrNull } from '../shape.ts';

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
    const changes = readPatched(applyPatch(withoutNulls(document), call.body, standardPatch), 'profile');
    if (changes.applicationId === '') throw badRequest('applicationId must not be empty');
    Object.assign(profile, changes);
    return okWrite(showProfile(profile));
  },
} satisfies Handlers;

function showProfile({ id: _id, ...shown }: AuthProfile): Json {
  return shown;
}

const readPatched = object({
  offNetwork: bool(null),
  untrustedGeography: bool(null),
  applicationId: textOrNull,
  applicationName: textOrNull,
  type: choice(authTypes),
});
