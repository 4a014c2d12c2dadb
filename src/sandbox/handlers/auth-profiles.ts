import { type Json, type JsonObject, objectFrom } from '../../model/json.ts';
import { badRequest, notFound } from '../api-error.ts';
import { applyPatch, standardPatch } from '../json-patch.ts';
import { Fields } from '../shape.ts';
import { type AuthProfile, authTypes } from '../state.ts';
import { type Call, type Handler, ok, param, type Tenant, written } from '../tenant.ts';

/** Seed 000, get-profile-config-list: summaries only. */
export const listAuthProfiles: Handler = (_call, { state }) =>
  ok(state.authProfiles.map(({ id }) => ({ id, tenant: state.tenant })));

export const getAuthProfile: Handler = (call, tenant) => ok(answer(find(call, tenant)));

/** Seed 000, patch-profile-config: a bare array of operations on the five patchable fields. */
export const patchAuthProfile: Handler = (call, tenant) => {
  const profile = find(call, tenant);
  const patched = applyPatch(patchable(profile), call.body, standardPatch);
  const changes = readPatched(patched);
  Object.assign(profile, changes, resolved(changes, tenant));
  return written(answer(profile));
};

function find(call: Call, { state }: Tenant): AuthProfile {
  const id = param(call, 'id');
  const profile = state.authProfiles.find((candidate) => candidate.id === id);
  if (profile === undefined) throw notFound(`There is no authentication profile ${id}`);
  return profile;
}

function answer({ id: _id, ...shown }: AuthProfile): Json {
  return shown;
}

/** What a patch works on: fields without a value are not there, so that `replace` refuses them. */
function patchable({
  offNetwork,
  untrustedGeography,
  applicationId,
  applicationName,
  type,
}: AuthProfile): JsonObject {
  const fields = { offNetwork, untrustedGeography, applicationId, applicationName, type };
  return objectFrom(Object.entries(fields).filter(([, value]) => value !== null));
}

type Patched = Omit<AuthProfile, 'id' | 'name' | 'strongAuthLogin'>;

function readPatched(patched: JsonObject): Patched {
  const fields = new Fields(patched, 'profile');
  const changes: Patched = {
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

function resolved({ applicationId }: Patched, { state, variations }: Tenant): Partial<AuthProfile> {
  const known = state.references.find(({ id }) => variations.resolveNames && id === applicationId);
  return known === undefined ? {} : { applicationName: known.name };
}
