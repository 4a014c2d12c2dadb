/** What goes over the wire for kinds that a descriptor describes, written by hand. */
import { describe, expect, it } from 'vitest';
import { madeAgain } from '../../src/applier/verify.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { isObserved, isOnlyReferredTo, type Kind } from '../../src/kinds/kind.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import { type Change, secretsSentBy } from '../../src/model/documents.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { contractSettings as settings } from '../../src/model/tenant.ts';
import { changeFor, deletionOf } from '../../src/planner/change.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { resource, secretsOf } from '../support/plan.ts';
import { documentedRequest } from './documented.ts';

const role = {
  kind: 'Role',
  path: '/v2025/roles',
  key: 'name',
  list: { pageSize: 50, filter: true },
  update: 'json-patch',
  create: true,
  delete: true,
  fields: {
    description: 'text',
    enabled: 'value',
    owner: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
    accessProfiles: { is: 'references', to: 'AccessProfile' },
    segments: { is: 'set', to: 'Segment' },
    membership: 'json',
    settings: { is: 'json', declares: 'members' },
  },
};
const live = {
  id: 'r1',
  name: 'Engineer',
  description: 'Builds',
  enabled: true,
  owner: { type: 'IDENTITY', id: 'i1', name: 'Ann' },
  accessProfiles: [
    { type: 'ACCESS_PROFILE', id: 'a1', name: 'Wiki' },
    { type: 'ACCESS_PROFILE', id: 'a2', name: 'Git' },
  ],
  segments: null,
  membership: { type: 'STANDARD', criteria: { op: 'EQUALS', value: 'Eng' } },
  settings: { color: 'blue', limits: { days: 3, hours: 1 } },
  requestable: false,
  created: '2026-01-01T00:00:00Z',
};

const kindOf = (more: JsonObject = {}): Kind => kindFrom(descriptorFrom({ ...role, ...more }));

/** The change from an object to what a manifest declares; it is also checked as one of a plan file. */
function changeOf(
  kind: Kind,
  raw: JsonObject | null,
  fields: JsonObject,
  key = ['Engineer'],
  isSent = true,
): Change | null {
  const object = raw && liveObject(kind, raw, null);
  const declared = resource(kind, key, fields, object && object.key[0] !== key[0] ? { id: 'r1' } : {});
  const context = { settings, unseen: { secrets: secretsOf({}), left: true } };
  const { change } = changeFor({ kind, resource: declared, live: object }, null, context);
  if (change && isSent) expect(madeAgain({ kind, change }, object, null, settings)).toEqual(change);
  return change;
}

const bodyOf = (more: JsonObject, fields: JsonObject, raw: JsonObject = live) =>
  changeOf(kindOf(more), raw, fields)?.requests[0]?.body;

function requestOf(kind: Kind, raw: JsonObject | null, fields: JsonObject, key?: string[]): unknown {
  const change = changeOf(kind, raw, fields, key);
  expect(change?.requests).toHaveLength(1);
  return change?.requests[0];
}

it('is created by a POST of its key and of what is declared', () => {
  const fields = {
    description: 'Builds',
    enabled: null,
    owner: { id: 'i1', name: 'Ann' },
    accessProfiles: [{ id: 'a1' }, 'a2'],
    settings: { color: 'blue' },
  };
  expect(requestOf(kindOf(), null, fields)).toEqual(
    documentedRequest('POST', '/v2025/roles', {
      name: 'Engineer',
      description: 'Builds',
      owner: { type: 'IDENTITY', id: 'i1' },
      accessProfiles: [{ id: 'a1' }, { id: 'a2' }],
      settings: { color: 'blue' },
    }),
  );
});

describe('a kind', () => {
  it.each<[string, JsonObject, Partial<Kind['can']>]>([
    ['with a key of one part and an update', {}, { pin: true, rename: true }],
    ['that cannot be changed', { update: 'none' }, { pin: true, rename: false }],
    ['with a key of two parts', { key: ['name', 'locale'] }, { pin: false, rename: false }],
    ['with a key that is its id', { key: 'code', id: 'code' }, { pin: false, rename: false }],
    ['with a key that nothing changes', { write: { immutable: ['name'] } }, { pin: true, rename: false }],
  ])('%s says what a manifest may pin and rename', (_what, more, expected) =>
    expect(kindOf(more).can).toMatchObject(expected),
  );

  it("keeps the id among the server's fields where no manifest can pin it", () => {
    expect(kindOf().serverOwned).toEqual(['created', 'modified']);
    expect(kindOf({ key: ['name', 'locale'] }).serverOwned).toEqual(['id', 'created', 'modified']);
  });

  it('below another one folds the case of the name of that, if that does', () => {
    for (const foldCase of [true, false]) {
      const kind = kindOf({ kind: 'Mailbox', path: '/v2025/mailboxes', key: { name: 'email', foldCase } });
      const below = descriptorFrom({ ...role, path: '/v2025/boxes/{box}/roles', parent: { box: 'Mailbox' } });
      const { keyFields } = kindFrom(below, { parent: { part: 'box', kind } });
      expect(keyFields).toEqual([{ name: 'box', foldCase }, { name: 'name' }]);
    }
  });

  it('counts a second create as a second object, since its descriptor does not say otherwise', () => {
    expect(kindOf().can.create).toBe('duplicates');
    const { key: _, ...keyless } = role;
    const single = kindFrom(descriptorFrom({ ...keyless, single: true, create: true }));
    expect(single.can.create).toBe('replaces');
  });

  it('reads one object by its id', () => {
    const { read } = kindOf();
    const one = read.how === 'list' ? read.one?.('a/1', settings) : null;
    expect(one).toMatchObject({ method: 'GET', path: '/v2025/roles/a%2F1', body: null });
  });
});

describe('an update', () => {
  const declared = {
    description: null,
    enabled: true,
    owner: { id: 'i2' },
    accessProfiles: [{ id: 'a2' }, { id: 'a3' }],
    segments: ['s1'],
    membership: { type: 'STANDARD', criteria: { op: 'NOT_EQUALS', value: 'Eng' } },
    settings: { limits: { days: 4 } },
  };

  it('by JSON Patch replaces what differs; an object by member', () =>
    expect(requestOf(kindOf(), live, declared)).toEqual(
      documentedRequest(
        'PATCH',
        '/v2025/roles/r1',
        [
          { op: 'replace', path: '/settings/limits/days', value: 4 },
          { op: 'replace', path: '/membership/criteria/op', value: 'NOT_EQUALS' },
          { op: 'replace', path: '/accessProfiles', value: [{ id: 'a2' }, { id: 'a3' }] },
          { op: 'replace', path: '/owner', value: { type: 'IDENTITY', id: 'i2' } },
          { op: 'replace', path: '/description', value: null },
          { op: 'add', path: '/segments', value: ['s1'] },
        ],
        'application/json-patch+json',
      ),
    ));

  it('by merge patch says what differs', () =>
    expect(requestOf(kindOf({ update: 'merge-patch' }), live, declared)).toEqual(
      documentedRequest(
        'PATCH',
        '/v2025/roles/r1',
        {
          description: null,
          owner: { type: 'IDENTITY', id: 'i2' },
          accessProfiles: [{ id: 'a2' }, { id: 'a3' }],
          segments: ['s1'],
          membership: { criteria: { op: 'NOT_EQUALS' } },
          settings: { limits: { days: 4 } },
        },
        'application/merge-patch+json',
      ),
    ));

  it('by plain PATCH sends each field that differs as a whole, with the members that the manifest omits', () => {
    const { description: _cleared, ...sent } = declared;
    expect(requestOf(kindOf({ update: 'patch' }), live, declared)).toMatchObject({
      method: 'PATCH',
      path: '/v2025/roles/r1',
      headers: { 'content-type': 'application/json' },
      body: {
        description: null,
        owner: { type: 'IDENTITY', id: 'i2' },
        membership: sent.membership,
        settings: { limits: { days: 4 } },
      },
    });
  });

  it('by PUT sends what the manifest omits as it was, and nothing that is the server’s', () => {
    const { description, owner } = declared;
    expect(requestOf(kindOf({ update: 'put' }), live, { description, owner })).toEqual(
      documentedRequest('PUT', '/v2025/roles/r1', {
        name: 'Engineer',
        description: null,
        enabled: true,
        owner: { type: 'IDENTITY', id: 'i2' },
        accessProfiles: live.accessProfiles,
        segments: null,
        membership: live.membership,
        settings: {
          color: { $live: '/settings/color' },
          limits: { days: { $live: '/settings/limits/days' }, hours: { $live: '/settings/limits/hours' } },
        },
        requestable: { $live: '/requestable' },
      }),
    );
  });
});

it('is deleted by its id', () => {
  const object = liveObject(kindOf(), { ...live, id: 'a/1' }, null);
  const given = { addresses: [], source: null, declared: {}, marked: [], protect: false };
  const deletion = object && deletionOf({ ...given, live: object }, null, settings);
  expect(deletion).toMatchObject({ action: 'delete', risk: ['delete'] });
  expect(deletion?.requests).toEqual([documentedRequest('DELETE', '/v2025/roles/a%2F1')]);
});

it('is renamed together with its fields, where the manifest pins it', () => {
  const requests = ['json-patch', 'merge-patch', 'patch', 'put'].map((update) => {
    const kind = kindOf({ update, fields: { enabled: 'value' } });
    return changeOf(kind, live, { enabled: false }, ['Builder'])?.requests[0]?.body;
  });
  expect(requests).toEqual([
    [
      { op: 'replace', path: '/enabled', value: false },
      { op: 'replace', path: '/name', value: 'Builder' },
    ],
    { name: 'Builder', enabled: false },
    { name: 'Builder', enabled: false },
    expect.objectContaining({ name: 'Builder', enabled: false, description: { $live: '/description' } }),
  ]);
});

describe('JSON that the API keeps in text', () => {
  const fields = { settings: { is: 'json', declares: 'members', text: true } };
  const raw = { id: 'r1', name: 'Engineer', settings: '{"color":"blue","size":3}' };

  it.each(['json-patch', 'merge-patch', 'patch', 'put'])('is written as a whole text, by %s', (update) => {
    const asText = (value: JsonObject) => {
      const settings = { $jsonText: value };
      if (update === 'json-patch') return [{ op: 'replace', path: '/settings', value: settings }];
      return update === 'put' ? { name: 'Engineer', settings } : { settings };
    };
    const [color, size] = [{ $live: '/settings/color' }, { $live: '/settings/size' }];
    const body = (settings: JsonObject) => bodyOf({ update, fields }, { settings }, raw);
    expect(body({ color: 'red' })).toEqual(asText({ color: 'red', size }));
    expect(body({ size: null })).toEqual(asText({ color }));
  });

  it('differs by member', () =>
    expect(changeOf(kindOf({ fields }), raw, { settings: { size: 3 } })).toBeNull());

  it('may be a list, which stays text in a PUT of another field', () => {
    const more = { update: 'put', fields: { note: 'text', list: { is: 'json', text: true } } };
    const inText = { id: 'r1', name: 'Engineer', note: 'old', list: '[{"a":1},2]' };
    expect(bodyOf(more, { note: 'new' }, inText)).toMatchObject({ list: { $jsonText: [{ a: 1 }, 2] } });
    const list = { $jsonText: [1, { a: 3 }] };
    expect(bodyOf(more, { list: '[1, {"a":3}]' }, inText)).toMatchObject({ list });
  });
});

it.each<[string, Json]>([
  ['json-patch', [{ op: 'replace', path: '/settings/color', value: 'red' }]],
  ['merge-patch', { settings: { color: 'red' } }],
])('a list that a manifest leaves out is no part of a change by %s', (update, body) => {
  const fields = { settings: { is: 'json', declares: 'members' } };
  const settings = { color: 'blue', ways: ['app', { to: 'x', by: [1] }], deep: { list: [1] } };
  const raw = { id: 'r1', name: 'Engineer', settings };
  expect(bodyOf({ update, fields }, { settings: { color: 'red' } }, raw)).toEqual(body);
});

it.each<[string, Json, boolean, Json]>([
  ['an object', { at: '1', pin: '***' }, false, { at: { $live: '/membership/at' } }],
  ['text', '{"at":"1","pin":"***"}', true, { $jsonText: { at: { $live: '/membership/at' } } }],
])(
  '%s with nothing but what the server owns goes back in a PUT as it is then',
  (_, membership, text, sent) => {
    const fields = { enabled: 'value', membership: { is: 'json', text } };
    const places = { 'membership/at': 'serverOwned', 'membership/pin': 'serverOwned' };
    const more = { update: 'put', places, fields };
    const raw = { id: 'r1', name: 'Engineer', enabled: true, membership };
    const body = { name: 'Engineer', enabled: false, membership: sent };
    expect(bodyOf(more, { enabled: false }, raw)).toEqual(body);
    expect(bodyOf(more, { enabled: false, membership: null }, raw)).toEqual(body);
  },
);

it('an item of a set that stays as it is stays that item, whatever else the set loses', () => {
  const places = { 'settings/pins': 'set', 'settings/pins/*': 'secret' };
  const raw = { ...live, settings: { pins: ['a', 'b'] } };
  const change = changeOf(kindOf({ places }), raw, { settings: { pins: ['c', 'b'] } });
  expect(change?.declared).toEqual({ settings: { pins: ['c', { $live: '/settings/pins/1' }] } });
});

it.each(['json-patch', 'merge-patch', 'patch', 'put'])(
  'what looks like a marker in the tenant is never one in a request, by %s',
  (update) => {
    const foreign = { $secret: 'CLIENT_SECRET' };
    const raw = {
      ...{ id: 'r1', name: 'Engineer', description: foreign, enabled: false, segments: [foreign] },
      ...{ owner: { id: null, name: null, more: foreign }, accessProfiles: [{ id: foreign }] },
      ...{ membership: [foreign], settings: { color: foreign }, requestable: foreign },
    };
    const change = changeOf(kindOf({ update }), raw, { enabled: true, settings: { size: 1 } });
    expect(change?.requests).toHaveLength(1);
    expect(change && secretsSentBy(change)).toEqual([]);
  },
);

describe('what the tenant masks', () => {
  const membership = { list: [{ n: 1 }, { n: 3, pin: '***' }] };
  const raw = { ...live, settings: { user: 'a', password: '********' }, token: '••••' };

  const list = { membership: { list: [{ n: 2 }, { n: 3, pin: '***' }] } };
  const user = { settings: { user: 'b' } };
  const inText = { settings: { is: 'json', declares: 'members', text: true } };
  const ofTwo = { key: ['name', 'description'], fields: { enabled: 'value', settings: 'json' } };
  const inList = /masks \/membership\/list\/1\/pin of "Engineer".*declares the credential with !secret/;
  const inPut =
    /masks \/token, \/settings\/password of "Engineer".*Name `token` in the descriptor, under `serverOwned`/;

  it('stays as it is in a patch, also of another field than the one with its text', () => {
    expect(bodyOf({}, user, raw)).toEqual([{ op: 'replace', path: '/settings/user', value: 'b' }]);
    const fields = { enabled: 'value', ...inText };
    const asText = { ...live, settings: '{"user":"a","password":"****"}' };
    expect(bodyOf({ update: 'merge-patch', fields }, { enabled: false }, asText)).toEqual({ enabled: false });
    expect(bodyOf({ fields }, { enabled: false }, asText)).toHaveLength(1);
  });

  it.each<[string, JsonObject, JsonObject, RegExp]>([
    ['a PUT', { update: 'put' }, { enabled: false }, inPut],
    ['a patch of a list', {}, list, inList],
    ['a merge patch of a list', { update: 'merge-patch' }, list, inList],
    ['a patch of JSON in text', { fields: inText }, user, /masks \/settings\/password of "Engineer"/],
    ['a PATCH that replaces fields', { update: 'patch' }, user, /masks \/settings\/password of "Engineer"/],
    [
      'a PUT with a key of two parts',
      { update: 'put', ...ofTwo },
      { enabled: false },
      /masks \/token, \/settings\/password of "Engineer\/Builds"/,
    ],
  ])('is never written by %s', (_, more, fields, advice) => {
    const key = Array.isArray(more.key) ? ['Engineer', 'Builds'] : undefined;
    const shown = fields.membership ? { ...raw, membership } : raw;
    const change = changeOf(kindOf(more), shown, fields, key, false);
    const warnings = [expect.stringMatching(advice)];
    expect(change).toMatchObject({ action: 'manual', requests: [], warnings });
  });

  it.each<[string, Json]>([
    ['json-patch', [{ op: 'replace', path: '/membership/list', value: [{ n: 2 }, { n: 3 }] }]],
    ['merge-patch', { membership: { list: [{ n: 2 }, { n: 3 }] } }],
    ['patch', { membership: { list: [{ n: 2 }, { n: 3 }], n: 1 } }],
    ['put', { name: 'Engineer', membership: { list: [{ n: 2 }, { n: 3 }], n: 1 } }],
  ])('is left out of a %s where the server owns it', (update, body) => {
    const owned = { list: [{ n: 1 }, { n: 3, pin: '***' }], state: { token: '****', at: 1 }, n: 1 };
    const places = { 'membership/list/*/pin': 'minted', 'membership/state': 'serverOwned' };
    const more = { update, places, fields: { membership: 'json' } };
    const declared = { membership: { list: [{ n: 2 }, { n: 3 }], n: 1 } };
    expect(bodyOf(more, declared, { id: 'r1', name: 'Engineer', membership: owned })).toEqual(body);
  });

  it('is left out alone, and not data that looks like its marker', () => {
    const foreign = { $live: '/membership/pin' };
    const places = { 'membership/pin': 'serverOwned' };
    const fields = { enabled: 'value', membership: 'json', settings: 'json' };
    const more = { update: 'put', places, fields };
    const shown = { ...live, membership: { pin: '***' }, settings: { more: foreign } };
    const body = bodyOf(more, { enabled: false }, shown);
    expect(body).toMatchObject({ settings: { $literal: { more: foreign } } });
    expect(body).toHaveProperty('membership', {});
  });

  it('is written where the manifest declares it', () => {
    const { token: _, ...shown } = raw;
    const fields = { enabled: false, settings: { password: { $secret: 'PASSWORD' } } };
    expect(bodyOf({ update: 'put' }, fields, shown)).toMatchObject({
      settings: { password: { $secret: 'PASSWORD' } },
    });
  });
});

it('shows no settings that the manifest leaves out, and no credentials', () => {
  const settings = { host: 'h', url: 'https://a:hunter2@b.example' };
  const secret = { clientSecret: 'hunter2-hunter2', settings };
  const fields = { ...role.fields, clientSecret: 'text' };
  for (const update of ['json-patch', 'put', 'patch', 'merge-patch']) {
    const kind = kindOf({ update, fields });
    const change = changeOf(kind, { ...live, ...secret, apiKey: 'hunter2' }, { settings: { host: 'i' } });
    expect(JSON.stringify(change)).not.toContain('hunter2');
  }
});

it.each(['', '..', 'a/../b'])('an id that no request can name (%j) leaves a step by hand', (id) => {
  const changed = changeOf(kindOf(), { ...live, id }, { enabled: false });
  expect(changed).toMatchObject({ action: 'manual', requests: [] });
  expect(changed?.warnings).toEqual([expect.stringContaining('cannot stand in a request path')]);
});

describe('ids that the tenant counts', () => {
  const counted = { ...live, owner: { type: 'IDENTITY', id: 7 }, accessProfiles: [{ id: 8 }], segments: [9] };
  const fields = { owner: { id: '7' }, accessProfiles: ['8'], segments: ['9'] };

  it('are those of references, which are text', () => {
    expect(changeOf(kindOf(), counted, fields)).toBeNull();
    const more = { fields: { owner: { is: 'value', to: 'Identity' } } };
    expect(changeOf(kindOf(more), { ...live, owner: 7 }, { owner: '7' })).toBeNull();
    expect(changeOf(kindOf(more), { ...live, owner: 7 }, { owner: '8' })).toMatchObject({ action: 'update' });
  });

  it('are no difference beside another one', () => {
    const change = changeOf(kindOf(), counted, { ...fields, enabled: false });
    expect(change?.diff.map(({ path }) => path)).toEqual(['/enabled']);
  });
});

it('a list of references takes the place of what is no list, and clears it where it is empty', () => {
  const raw = { ...live, accessProfiles: { id: 'a1' }, segments: 's1' };
  for (const [declared, body] of [
    [
      { accessProfiles: [], segments: [] },
      { accessProfiles: [], segments: [] },
    ],
    [
      { accessProfiles: ['a1', 'a1'], segments: [7, '7'] },
      { accessProfiles: [{ id: 'a1' }], segments: ['7'] },
    ],
  ] as const)
    expect(bodyOf({ update: 'patch' }, declared, raw)).toEqual(body);
});

describe('a merge patch of a reference', () => {
  const typed = { type: 'IDENTITY', id: 'i1' };
  const bodyFor = (owner: Json, declared: Json, more: JsonObject = {}) => {
    const fields = { owner: { is: 'reference', ...more } };
    return bodyOf({ update: 'merge-patch', fields }, { owner: declared }, { ...live, owner });
  };

  it('removes the id that a name takes the place of, and the type that the manifest leaves out', () => {
    expect(bodyFor({ id: 'i1' }, { type: 'IDENTITY', name: 'Ben' })).toEqual({
      owner: { id: null, type: 'IDENTITY', name: 'Ben' },
    });
    expect(bodyFor(typed, { id: 'i1' })).toEqual({ owner: { type: null, id: 'i1' } });
  });

  it('leaves the type alone where the field says the kind', () =>
    expect(bodyFor(typed, 'i2', { to: 'Identity' })).toEqual({ owner: { id: 'i2' } }));
});

it('a field that has to wait for another one is not sent before, where the tenant has none', () => {
  const more = { update: 'put', write: { alone: [['enabled', 'description']] } };
  const shown = { id: 'r1', name: 'Engineer', description: 'a' };
  const change = changeOf(kindOf(more), shown, { enabled: false, description: 'x' });
  expect(change?.requests.map(({ body }) => body)).toEqual([
    { name: 'Engineer', description: 'x' },
    { $beside: ['', { name: 'Engineer', description: 'x', enabled: false }] },
  ]);
});

describe('null inside an object', () => {
  const raw = { ...live, membership: { a: null, b: 1 } };

  it.each<[string, JsonObject, Json]>([
    ['in place of another value', { membership: { a: null, b: null } }, { membership: { b: null } }],
    ['in a value', { enabled: { a: null } }, { enabled: { a: null } }],
  ])('removes it: %s', (_, fields, body) => {
    expect(bodyOf({ update: 'merge-patch' }, fields, raw)).toEqual(body);
    expect(changeOf(kindOf({ update: 'put' }), raw, fields)).toMatchObject({ action: 'update' });
  });

  it('equals a member that is absent', () => {
    expect(changeOf(kindOf(), raw, { membership: { b: 1 } })).toBeNull();
    const without = { ...live, membership: { b: 1 } };
    expect(changeOf(kindOf(), without, { membership: { a: null, b: 1 } })).toBeNull();
  });

  it('stays where it is, and can be in a list', () => {
    const fields = { membership: { a: null, b: [null, { c: null }] } };
    const body = { membership: { b: [null, { c: null }] } };
    expect(bodyOf({ update: 'merge-patch' }, fields, raw)).toEqual(body);
  });

  it('can be in text that holds JSON', () => {
    const more = { update: 'merge-patch', fields: { settings: { is: 'json', text: true } } };
    const body = bodyOf(more, { settings: { a: { b: null } } }, { ...live, settings: '{"a":1}' });
    expect(body).toEqual({ settings: { $jsonText: { a: { b: null } } } });
  });
});

describe('a step by hand', () => {
  const noCall = (step: string) =>
    `The API has no call to ${step} objects of the kind Role: do this in the admin interface, then plan again.`;
  const noId = (name: string, step: string) =>
    `The tenant shows no id for "${name}", so the API cannot ${step} it: do this in the admin interface, then plan again.`;

  it.each<[string, JsonObject, JsonObject | null, string]>([
    ['creates', { create: false }, null, noCall('create')],
    ['changes', { update: 'none' }, live, noCall('change')],
    ['changes what has no id', {}, { ...live, id: null }, noId('Engineer', 'change')],
  ])('%s', (_, more, raw, advice) => {
    const change = changeOf(kindOf(more), raw, { enabled: false }, undefined, false);
    expect(change).toMatchObject({ action: 'manual', requests: [], warnings: [advice] });
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ['that there is no call', { delete: false }, live, noCall('delete')],
    [
      'that the object has no id, with all parts of its key',
      { key: ['name', 'description'] },
      { ...live, id: null },
      noId('Engineer/Builds', 'delete'),
    ],
  ])('deletes, and says %s', (_, more, raw, warning) => {
    const object = liveObject(kindOf(more), raw, null);
    const given = { addresses: [], source: null, declared: {}, marked: [], protect: false };
    expect(object && deletionOf({ ...given, live: object }, null, settings)).toMatchObject({
      action: 'manual',
      requests: [],
      warnings: [warning],
    });
  });

  it('is all there is for a kind that is only read', () => {
    const kind = kindOf({ create: false, update: 'none', delete: false });
    expect(kind.can).toEqual({ create: false, update: false, delete: false, rename: false, pin: true });
    expect(isObserved(kind)).toBe(true);
    expect(isObserved(kindOf({ create: false, update: 'none' }))).toBe(false);
  });
});

describe('an answer', () => {
  const parse = (more: JsonObject, raw: JsonObject) => kindOf(more).parse(raw, null);

  it.each<[string, JsonObject, JsonObject, readonly string[] | null]>([
    ['has its key', {}, live, ['Engineer']],
    ['has its key of two parts', { key: ['name', 'locale'] }, { ...live, locale: 'en' }, ['Engineer', 'en']],
    ['without a name goes by its id', {}, { ...live, name: null }, ['r1']],
    ['with an id that is a number', {}, { id: 7, name: '' }, ['7']],
    ['of another thing has no key', {}, { id: 'r1', title: 'Engineer' }, null],
    ['without a part of its key has none', { key: ['name', 'locale'] }, { ...live, locale: null }, null],
    ['with a key that is no text has none', {}, { ...live, name: 7 }, null],
  ])('%s', (_, more, raw, key) => expect(parse(more, raw)?.key ?? null).toEqual(key));

  it('is part of the fingerprint with all that a PUT sends back, and with no more', () => {
    const digest = (more: JsonObject, raw: JsonObject) => liveObject(kindOf(more), raw, null)?.fingerprint();
    const [changed, served] = [
      { ...live, requestable: true },
      { ...live, created: 'later' },
    ];
    expect(digest({ update: 'put' }, changed)).not.toBe(digest({ update: 'put' }, live));
    expect(digest({ update: 'put' }, served)).toBe(digest({ update: 'put' }, live));
    expect(digest({}, changed)).toBe(digest({}, live));
    const fields = { tags: 'set', steps: 'value' };
    const listed = (tags: Json, steps: Json) => digest({ fields }, { ...live, tags, steps });
    expect(listed(['a', 'b'], [1, 2])).toBe(listed(['b', 'a'], [1, 2]));
    expect(listed(['a', 'b'], [1, 2])).not.toBe(listed(['a', 'b'], [2, 1]));
  });
});

describe('the list', () => {
  const listOf = (more: JsonObject) => {
    const { read } = kindOf(more);
    if (read.how !== 'list') throw new Error('It has no list.');
    return read.list;
  };

  it('is filtered by the first part of the keys, quoted', () => {
    const list = listOf({ key: ['name', 'locale'] });
    const keys = ['A "B",en', 'A "B",de', 'C\\,en'].map((key) => key.split(','));
    expect(list.filter?.(keys)).toBe('name eq "A \\"B\\"" or name eq "C\\\\"');
    expect(listOf({ list: { pageSize: 50 } })).not.toHaveProperty('filter');
    const whole = { pageSize: null, member: 'items', counts: true };
    expect(listOf({ list: whole })).toEqual({ resource: expect.anything(), ...whole });
  });

  it('is counted with the others of its API version, and is where the environment says', () => {
    const { resource: at } = kindOf();
    const placeIn = (given: typeof settings) => [at.path(given), at.lane(given)];
    expect(placeIn(settings)).toEqual(['/v2025/roles', { service: 'identity', group: 'v2025' }]);
    const moved = { service: 'identity', group: '/roles/v1' };
    expect(placeIn({ ...settings, paths: { Role: '/roles/v1' } })).toEqual(['/roles/v1', moved]);
  });
});

it('shows the removal of a member with nothing in it', () => {
  const kind = kindOf();
  const raw = { ...live, membership: { a: {}, b: 1 } };
  const change = changeOf(kind, raw, { membership: { b: 2 } });
  const object = liveObject(kind, raw, null);
  const hiding = change && { ...change, diff: change.diff.filter(({ path }) => path !== '/membership/a') };
  expect(hiding?.diff).toHaveLength(1);
  expect(hiding && madeAgain({ kind, change: hiding }, object, null, settings)).toContain('membership');
});

describe('what is not told of an object', () => {
  const raw = { id: 'r1', name: 'Engineer', enabled: true, tier: { level: 1, name: 'low' } };
  const fields = { enabled: 'value', tier: 'value', note: 'text' };
  const sentBody = (more: JsonObject, declared: JsonObject, at: JsonObject = raw) =>
    bodyOf({ fields, ...more }, declared, at);

  it('goes into a PUT only where the tenant has it', () => {
    const put = { update: 'put' };
    expect(sentBody(put, { enabled: false })).toEqual({ name: 'Engineer', enabled: false, tier: raw.tier });
    expect(sentBody(put, { enabled: false }, { ...raw, note: null })).toHaveProperty('note', null);
    expect(sentBody(put, { note: 'x' })).toHaveProperty('note', 'x');
  });

  it('is another case of the name, where that means the same object', () => {
    const kind = kindOf({ update: 'put', fields, key: { name: 'name', foldCase: true } });
    const change = changeOf(kind, raw, { enabled: false }, ['ENGINEER']);
    expect(change?.requests[0]?.body).toHaveProperty('name', 'Engineer');
  });

  it('is the id, unless the descriptor says that it is not the server’s alone', () => {
    expect(sentBody({ update: 'put' }, { enabled: false })).not.toHaveProperty('id');
    const more = { update: 'put', serverOwned: ['created'] };
    expect(sentBody(more, { enabled: false })).toHaveProperty('id', 'r1');
  });

  it('goes into no PATCH', () => {
    const enabled = { enabled: false };
    expect(sentBody({ update: 'merge-patch' }, enabled, { ...raw, more: 1 })).toEqual(enabled);
  });

  it('are the members of a plain value: a JSON Patch replaces it, a merge patch names those that differ', () => {
    const tier = { level: 2, name: 'low' };
    expect(sentBody({}, { tier })).toEqual([{ op: 'replace', path: '/tier', value: tier }]);
    expect(sentBody({ update: 'merge-patch' }, { tier })).toEqual({ tier: { level: 2 } });
    expect(sentBody({ update: 'merge-patch' }, { tier: { level: 1 } })).toEqual({ tier: { name: null } });
  });

  it('is JSON in a text that is no JSON field', () => {
    const text = '{"a": 1}';
    const described = kindOf({ fields: { note: 'text', settings: 'json' } });
    const facts = described.parse({ id: 'r1', name: 'A', note: text, settings: text }, null);
    expect(facts?.fields).toEqual({ note: text, settings: { a: 1 } });
  });
});

it('a kind without fields that is only read is only referred to', () => {
  const onlyRead = { create: false, update: 'none', delete: false, fields: {} };
  expect(isOnlyReferredTo(kindOf(onlyRead))).toBe(true);
  expect(isOnlyReferredTo(kindOf({ ...onlyRead, fields: { note: 'text' } }))).toBe(false);
  expect(isOnlyReferredTo(kindOf({ ...onlyRead, create: true }))).toBe(false);
});
