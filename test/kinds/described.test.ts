/** What goes over the wire for kinds that a descriptor describes, written by hand. */
import { describe, expect, it } from 'vitest';
import { unshownValues } from '../../src/applier/check-content.ts';
import { wrongRequests } from '../../src/applier/check-requests.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { descriptorFrom } from '../../src/kinds/descriptor.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Change } from '../../src/model/plan.ts';
import { contractSettings as settings } from '../../src/model/settings.ts';
import { changeFor, deletionOf } from '../../src/planner/change.ts';
import { resource, secretsOf } from '../support/plan.ts';

const experimental = { 'x-service-experimental': 'true' };
const accept = { accept: 'application/json' };
const json = { ...accept, 'content-type': 'application/json', ...experimental };
const headersOf = (contentType: string) => ({ ...json, 'content-type': contentType });

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
function changeOf(kind: Kind, raw: JsonObject | null, fields: JsonObject, key = ['Engineer']): Change | null {
  const object = raw && liveObject(kind, raw, settings, null);
  const declared = resource(kind, key, fields, object && object.key[0] !== key[0] ? { id: 'r1' } : {});
  const context = { settings, secrets: secretsOf({}), rotate: false };
  const { change } = changeFor({ kind, resource: declared, live: object }, null, context);
  if (change) {
    expect(wrongRequests({ kind, change }, { settings, deletes: [] })).toEqual([]);
    expect(unshownValues({ kind, change }, object, settings)).toEqual([]);
  }
  return change;
}

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
  expect(requestOf(kindOf(), null, fields)).toEqual({
    method: 'POST',
    path: '/v2025/roles',
    query: {},
    headers: json,
    body: {
      name: 'Engineer',
      description: 'Builds',
      owner: { type: 'IDENTITY', id: 'i1' },
      accessProfiles: [{ id: 'a1' }, { id: 'a2' }],
      settings: { color: 'blue' },
    },
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

  it('by JSON Patch replaces what differs; an object by member', () => {
    expect(requestOf(kindOf(), live, declared)).toEqual({
      method: 'PATCH',
      path: '/v2025/roles/r1',
      query: {},
      headers: headersOf('application/json-patch+json'),
      body: [
        { op: 'replace', path: '/settings/limits/days', value: 4 },
        { op: 'replace', path: '/membership/criteria/op', value: 'NOT_EQUALS' },
        { op: 'replace', path: '/accessProfiles', value: [{ id: 'a2' }, { id: 'a3' }] },
        { op: 'replace', path: '/owner', value: { type: 'IDENTITY', id: 'i2' } },
        { op: 'replace', path: '/description', value: null },
        { op: 'add', path: '/segments', value: ['s1'] },
      ],
    });
  });

  it('by merge patch says what differs', () => {
    expect(requestOf(kindOf({ update: 'merge-patch' }), live, declared)).toEqual({
      method: 'PATCH',
      path: '/v2025/roles/r1',
      query: {},
      headers: headersOf('application/merge-patch+json'),
      body: {
        description: null,
        owner: { type: 'IDENTITY', id: 'i2' },
        accessProfiles: [{ id: 'a2' }, { id: 'a3' }],
        segments: ['s1'],
        membership: { criteria: { op: 'NOT_EQUALS' } },
        settings: { limits: { days: 4 } },
      },
    });
  });

  it('by PUT sends what the manifest omits as it was, and nothing that is the server’s', () => {
    const { description, owner } = declared;
    expect(requestOf(kindOf({ update: 'put' }), live, { description, owner })).toEqual({
      method: 'PUT',
      path: '/v2025/roles/r1',
      query: {},
      headers: json,
      body: {
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
      },
    });
  });
});

it('is deleted by its id', () => {
  const kind = kindOf();
  const object = liveObject(kind, { ...live, id: 'a/1' }, settings, null);
  const given = { source: null, declared: {}, isTombstone: false, protect: false };
  const deletion = object && deletionOf({ ...given, live: object }, null, settings);
  expect(deletion).toMatchObject({ action: 'delete', risk: ['delete'] });
  expect(deletion?.requests).toEqual([
    {
      method: 'DELETE',
      path: '/v2025/roles/a%2F1',
      query: {},
      headers: { ...accept, ...experimental },
      body: null,
    },
  ]);
});
