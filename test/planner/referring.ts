/** Kinds whose objects refer to each other. */

import { kindFrom } from '../../src/kinds/described-kind.ts';
import type { Descriptor } from '../../src/kinds/descriptor.ts';
import type { Kind, LiveObject } from '../../src/kinds/kind.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import { catalogOf } from '../../src/kinds/project.ts';
import type { JsonObject } from '../../src/model/json.ts';

const described = (kind: string, fields: Descriptor['fields'], more: Partial<Descriptor> = {}): Kind =>
  kindFrom({
    kind,
    summary: 'A kind of the tests.',
    service: 'identity',
    path: `/v2025/${kind.toLowerCase()}s`,
    key: [{ name: 'name' }],
    list: { pageSize: 50 },
    parent: null,
    single: false,
    id: 'id',
    write: {},
    update: 'json-patch',
    create: true,
    delete: true,
    fields,
    serverOwned: [],
    ...more,
  });
export const identity = described('Identity', {}, { create: false, delete: false, update: 'none' });
export const pair = described('Pair', {}, { key: [{ name: 'name', foldCase: true }, { name: 'locale' }] });
export const profile = described('Profile', { above: { is: 'value', to: 'Profile' } });
export const role = described('Role', {
  text: { is: 'text' },
  owner: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
  profiles: { is: 'references', to: 'Profile' },
  pairs: { is: 'set', to: 'Pair' },
});
export const kinds = catalogOf([identity, pair, profile, role]);

export const ref = (to: string): JsonObject => ({ $ref: to });
export const live = (kind: Kind, id: string | null, name: string, more: JsonObject = {}): LiveObject => {
  const found = liveObject(kind, { id, name, ...more }, null);
  if (!found) throw new TypeError('not an object of the kind');
  return found;
};
