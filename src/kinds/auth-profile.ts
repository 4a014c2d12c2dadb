import { type JsonObject, own, pick, textOf } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import { apiRequest, jsonPatchType, pathOf } from './http.ts';
import { jsonPatch } from './json-patch.ts';
import type { Field, Kind } from './kind.ts';

const path = '/v2024/auth-profiles';
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
  pinnable: true,
  renamable: false,
  read: {
    how: 'list-then-each',
    list: { path: () => path, pageSize: null },
    each: (id, settings) => apiRequest('GET', pathOf(path, id), settings),
  },
  parse(answer, _settings, id) {
    const name = textOf(answer, 'name') || id;
    if (name === null) return null;
    return { key: [name], id, fields: pick(answer, patchable) };
  },
  create: ({ key: [name = ''] }) => ({
    manual: `Create the identity profile "${name}" in the admin interface: that creates its authentication profile. Then plan again.`,
  }),
  update({ key: [name = ''], fields: values, changed, live, settings }) {
    const changedFields = patchable.filter((field) => changed.has(field));
    const rename = `The API cannot rename an authentication profile: rename the identity profile to "${name}" in the admin interface.`;
    if (changedFields.length === 0) return { manual: rename };
    if (live.id === null)
      return { manual: `The tenant shows no id for "${name}", so the API cannot change it.` };
    const after = pick(values, changedFields);
    const body = jsonPatch(pick(live.fields, changedFields), after);
    return {
      requests: [apiRequest('PATCH', pathOf(path, live.id), settings, { body, contentType: jsonPatchType })],
      warnings: changed.has('name') ? [rename] : [],
      risk: canLockOut(after, live) ? ['lockout'] : [],
    };
  },
  remove: ({ key: [name = ''] }) => ({
    manual: `An authentication profile is deleted together with its identity profile: delete "${name}" in the admin interface.`,
  }),
};

/** Whether the change may lock out people and the credentials of this run (design, section 5, "Lock-out"). */
function canLockOut(after: JsonObject, live: LiveObject): boolean {
  const restricts = (field: string) => own(after, field) === true && own(live.fields, field) !== true;
  return own(after, 'type') === 'BLOCK' || restricts('offNetwork') || restricts('untrustedGeography');
}
