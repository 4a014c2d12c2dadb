import { type Json, type JsonObject, objectFrom } from '../../model/json.ts';
import { badRequest, notFound } from '../api-error.ts';
import { Fields } from '../fields.ts';
import { type Call, type Handler, okRead, okWrite, param, type Tenant } from '../handler.ts';
import { applyPatch, standardPatch } from '../json-patch.ts';
import { type AuthProfile, authTypes } from '../state.ts';

/** Seed 000, get-profile-config-list: summaries only. */
export const listAuthProfiles: Handler = (_call, { state }) =>
  okRead(state.authProfiles.map(({ id }) => ({ id, tenant: state.tenant })));

/** Seed 000, get-profile-config. */
export const getAuthProfile: Handler = (call, tenant) => okRead(showProfile(findProfile(call, tenant)));

/** Seed 000, patch-profile-config: a bare array of operations on the five patchable fields. */
export const patchAuthProfile: Handler = (call, tenant) => {
  const profile = findProfile(call, tenant);
  const changes = readPatch(applyPatch(patchDocument(profile), call.body, standardPatch));
  Object.assign(profile, changes, resolveName(changes, tenant));
  return okWrite(showProfile(profile));
};

function findProfile(call: Call, { state }: Tenant): AuthProfile {
  const id = param(call, 'id');
  const profile = state.authProfiles.find((candidate) => candidate.id === id);
  if (profile === undefined) throw notFound(`There is no authentication profile ${id}`);
  return profile;
}

function showProfile({ id: _id, ...shown }: AuthProfile): Json {
  return shown;
}

/** The document that a patch is applied to, without fields that have no value: `replace` refuses those. */
function patchDocument({
  offNetwork,
  untrustedGeography,
  applicationId,
  applicationName,
  type,
}: AuthProfile): JsonObject {
  const fields = { offNetwork, untrustedGeography, applicationId, applicationName, type };
  return objectFrom(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The fields that a patch can change. */
type Patch = Omit<AuthProfile, 'id' | 'name' | 'strongAuthLogin'>;

function readPatch(patched: JsonObject): Patch {
  const fields = new Fields(patched, 'profile');
  const changes: Patch = {
    offNetwork: fields.bool('offNetwork', null),
    untrustedGeography: fields.bool('untrustedGeography', null),
    applicationId: fields.textOrNull('applicationId'),
    applicationName: fields.textOrNull('applicationName'),
    type: fields.choice('type', authTypes),
  };
  if (changes.applicationId === '') throw badRequest('applicationId must not be empty');
  fields.done();
  return changes;
}

/** The name of the application, on tenants that take it from the application itself. */
function resolveName({ applicationId }: Patch, { state, variations }: Tenant): Partial<AuthProfile> {
  const application = state.references.find(({ id }) => variations.resolveNames && id === applicationId);
  return application === undefined ? {} : { applicationName: application.name };
}
