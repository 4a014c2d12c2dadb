import type { JsonObject } from '../../src/model/json.ts';
import type { WorldOptions } from '../support/world.ts';

const serverOwned = ['id', 'created', 'modified'];
const writable = { key: 'name', create: true, delete: true, serverOwned };

/** A kind for each way to change an object, and references between them. */
export const descriptors: readonly JsonObject[] = [
  {
    ...writable,
    kind: 'AccessProfile',
    path: '/v2025/access-profiles',
    list: { pageSize: 2 },
    update: 'merge-patch',
    fields: {
      description: 'text',
      source: { is: 'value', to: 'Origin' },
      above: { is: 'reference', to: 'AccessProfile', type: 'ACCESS_PROFILE' },
      role: { is: 'value', to: 'Role' },
      settings: { is: 'json', declares: 'members' },
    },
  },
  {
    ...writable,
    kind: 'Role',
    path: '/v2025/roles',
    list: { pageSize: 50, counts: true, filter: true },
    update: 'json-patch',
    fields: {
      description: 'text',
      enabled: 'value',
      labels: 'set',
      accessProfiles: { is: 'references', to: 'AccessProfile' },
      membership: { is: 'json', declares: 'whole' },
    },
  },
  {
    ...writable,
    kind: 'Transform',
    path: '/v2025/transforms',
    list: { pageSize: null, member: 'items' },
    update: 'put',
    fields: { description: 'text', attributes: { is: 'json', declares: 'members', text: true } },
  },
  { kind: 'Origin', path: '/v2025/origins', key: 'name', list: { filter: true } },
];

/** JSON is YAML. */
export const kindFiles: Readonly<Record<string, string>> = Object.fromEntries(
  descriptors.map((descriptor) => [`kinds/${descriptor.kind}.kind.yaml`, JSON.stringify(descriptor)]),
);

/** What the tenant has before an apply; one member of each is in no descriptor. */
const objects: JsonObject = {
  Origin: [{ id: 'o1', name: 'HR' }],
  AccessProfile: [
    { id: 'p1', name: 'Read', description: 'Old', source: 'o1', settings: { ttl: 1, mode: 'a' }, weight: 7 },
    { id: 'p2', name: 'Left over', above: { type: 'ACCESS_PROFILE', id: 'p1', name: 'Read' } },
  ],
  Role: [
    { id: 'r1', name: 'Reader', enabled: true, labels: ['a'], accessProfiles: [{ id: 'p1' }], weight: 7 },
    { id: 'r2', name: 'Left over', accessProfiles: [{ id: 'p2' }] },
  ],
  Transform: [
    { id: 't1', name: 'Upper', description: 'Old', attributes: { input: 'x', length: 3 }, weight: 7 },
    { id: 't2', name: 'Left over' },
  ],
};

/** A tenant that serves these kinds. */
export const describedWorld: WorldOptions = {
  seed: JSON.stringify({ kinds: descriptors, objects }),
  files: kindFiles,
};

const absent = (kind: string): string => `kind: ${kind}\nname: Left over\nensure: absent\n`;

/**
 * Manifests that create, change and delete objects of each; what is created refers to what is created. Those of a group
 * belong together.
 */
export const describedGroups: readonly (readonly string[])[] = [
  [
    'kind: Role\nname: Writer\nenabled: false\naccessProfiles: [!ref AccessProfile/Write, !ref AccessProfile/Read]\n',
    'kind: Role\nname: Reader\ndescription: New\nlabels: [b, a]\naccessProfiles: [!ref AccessProfile/Write]\nmembership: { all: [1] }\n',
    'kind: AccessProfile\nname: Write\nsource: !ref Origin/HR\nabove: !ref AccessProfile/Read\nsettings: { mode: b }\n',
  ],
  [absent('AccessProfile'), absent('Role')],
  ['kind: AccessProfile\nname: Read\ndescription: New\nsettings: { ttl: 2 }\n'],
  ['kind: Transform\nname: Upper\nattributes: { length: 5 }\n'],
  ['kind: Transform\nname: Lower\nattributes: { input: y }\n'],
  [absent('Transform')],
];

/** One file of these manifests. */
export const manifestFile = (groups: readonly (readonly string[])[]): string => groups.flat().join('---\n');
