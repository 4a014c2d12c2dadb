import { get, getText, type Json, pick } from '../model/json.ts';
import { apiRequest, call, identityResource, jsonPatchType } from './http.ts';
import { jsonPatch } from './json-patch.ts';
import { byHand, type Field, type Kind, withoutId } from './kind.ts';

const resource = identityResource('AuthProfile', 'v2024', 'auth-profiles');
const fields: Readonly<Record<string, Field>> = {
  type: { is: 'value' },
  offNetwork: { is: 'value' },
  untrustedGeography: { is: 'value' },
  applicationId: { is: 'value' },
  // Some tenants look it up by the id, and ignore what is sent (api-notes, "server rewrites").
  applicationName: { is: 'value', nameOf: 'applicationId' },
};
const patchable = Object.keys(fields);

/** The sign-in rules of an identity profile (seed 000; api-notes, "AuthProfile"). */
export const authProfile: Kind = {
  name: 'AuthProfile',
  summary:
    'How people of one identity profile sign in: type, pass-through application, network and geography limits.',
  keyFields: [{ name: 'name' }],
  fields,
  serverOwned: ['strongAuthLogin', 'tenant'],
  resource,
  read: {
    how: 'list-then-each',
    list: { resource, pageSize: null },
    each: (id, settings) => apiRequest('GET', resource, settings, { below: [id] }),
  },
  parse(answer, id) {
    const name = getText(answer, 'name') || id;
    if (name === null) return null;
    return { key: [name], id, fields: pick(answer, patchable) };
  },
  can: { create: false, update: true, delete: false, rename: false, pin: true },
  write: {
    create: byHand(
      'Create the identity profile "NAME" in the admin interface: that creates its authentication profile. Then plan again.',
    ),
    update({ key: [name = ''], fields: values, changed, live, settings }) {
      const changedFields = patchable.filter((field) => changed.has(field));
      const rename = `The API cannot rename an authentication profile: rename the identity profile to "${name}" in the admin interface.`;
      if (changedFields.length === 0) return { manual: rename };
      if (live.id === null) return withoutId(name, 'change');
      const body = jsonPatch(pick(live.fields, changedFields), pick(values, changedFields));
      const canLockOut = body.some((step) => {
        const value = lockOuts.get(getText(step, 'path') ?? '');
        return value !== undefined && get(step, 'value') === value;
      });
      const parts = { below: [live.id], body, contentType: jsonPatchType };
      return {
        requests: [call('PATCH', resource, settings, parts)],
        warnings: changed.has('name') ? [rename] : [],
        risk: canLockOut ? ['lockout'] : [],
      };
    },
    remove: byHand(
      'An authentication profile is deleted together with its identity profile: delete "NAME" in the admin interface.',
    ),
  },
};

/** Whether a patch, which only has differences, may lock out people and the credentials of this run. */
const lockOuts: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['/type', 'BLOCK'],
  ['/offNetwork', true],
  ['/untrustedGeography', true],
]);
