import { describe, expect, it } from 'vitest';
import {
  type ApiResource,
  apiRequest,
  filterBy,
  identityResource,
  isErrorBody,
  pathOf,
  resourceAt,
} from '../../src/kinds/http.ts';
import { Failure } from '../../src/model/failure.ts';
import type { Json } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/tenant.ts';

it.each([
  ['plain', 'f eq "plain"'],
  ['a"b', 'f eq "a\\"b"'],
  ['a\\', 'f eq "a\\\\"'],
  ['\\"', 'f eq "\\\\\\""'],
  ['" or f pr', 'f eq "\\" or f pr"'],
  ['', 'f eq ""'],
  ['\\" or f pr "', 'f eq "\\\\\\" or f pr \\""'],
])('a filter holds the text %j, whatever is in it', (value, expected) => {
  expect(filterBy('f', 'eq', [value, value])).toBe(expected);
  expect(filterBy('f', 'in', [value, 'b'])).toBe(`${expected.replace(' eq ', ' in (')},"b")`);
});

describe('a path', () => {
  it('encodes its segments', () => {
    expect(pathOf('/v2025/x', 'a/b', 'ü %', 'run')).toBe('/v2025/x/a%2Fb/%C3%BC%20%25/run');
    expect(pathOf('/v2025/x', '...', 'a.b')).toBe('/v2025/x/.../a.b');
  });

  it.each(['', '.', '..', '../x', 'x/..', 'a/../b', 'a\\..\\b', 'a\nb', '\u0000'])(
    'refuses the segment %j, which would leave it',
    (segment) => {
      expect(() => pathOf('/v2025/x', segment)).toThrow(Failure);
      expect(() => pathOf('/v2025/x', segment)).toThrow(`"${segment}" cannot stand in a request path.`);
    },
  );
});

const things = identityResource('Thing', 'v2024', 'things');
const profiles = resourceAt('profiles', 'profiles', '/api/profiles');

describe('a request', () => {
  it('carries the experimental header to the identity service only', () => {
    const to = (resource: ApiResource) => apiRequest('GET', resource, contractSettings).headers;
    const experimental = { accept: 'application/json', 'x-service-experimental': 'true' };
    expect(to(things)).toEqual(experimental);
    expect(to(profiles)).toEqual({ accept: 'application/json' });
    const named = { ...contractSettings, experimentalHeader: 'X-Other' };
    expect(apiRequest('GET', things, named).headers).toHaveProperty('x-other', 'true');
  });

  it('goes where the environment says that its resource is, and is counted there', () => {
    expect(apiRequest('GET', things, contractSettings, { below: ['a/b'] })).toMatchObject({
      path: '/v2024/things/a%2Fb',
      lane: { service: 'identity', group: 'v2024' },
    });
    const paths = { Thing: '/things/v1', toString: '/other/v1' };
    expect(apiRequest('GET', things, { ...contractSettings, paths })).toMatchObject({
      path: '/things/v1',
      headers: { 'x-service-experimental': 'true' },
      lane: { service: 'identity', group: '/things/v1' },
    });
    expect(identityResource('valueOf', 'v2024', 'x').path(contractSettings)).toBe('/v2024/x');
    expect(profiles.lane({ ...contractSettings, paths })).toEqual({ service: 'profiles', group: 'api' });
  });

  it('of a resource of the identity service goes there, also on hosts that serve it under its own path', () => {
    const other = identityResource('Other', 'v2025', 'others');
    expect(other).toMatchObject({ name: 'Other', ownPath: '/others/v1' });
    expect(other.path(contractSettings)).toBe('/v2025/others');
    expect(other.lane(contractSettings)).toEqual({ service: 'identity', group: 'v2025' });
    const mine = resourceAt('Role', 'profiles', '/v2/roles');
    expect(mine).toMatchObject({ name: 'Role', ownPath: null });
    expect(mine.lane(contractSettings)).toEqual({ service: 'profiles', group: 'v2' });
  });

  it('has a content type exactly where it has a body', () => {
    const headers = (more: object) => apiRequest('POST', profiles, contractSettings, more).headers;
    expect(headers({})).not.toHaveProperty('content-type');
    expect(headers({ body: null })).toHaveProperty('content-type', 'application/json');
    expect(headers({ body: [], contentType: 'text/x' })).toHaveProperty('content-type', 'text/x');
    const plain = apiRequest('GET', profiles, contractSettings);
    expect([plain.query, plain.body]).toEqual([{}, null]);
    expect(apiRequest('GET', profiles, contractSettings, { query: { a: 'b' } }).query).toEqual({ a: 'b' });
  });
});

it.each<[boolean, Json]>([
  [true, { error: 'no' }],
  [true, { errors: ['no'], status: 500 }],
  [true, { detailCode: '400.1', trackingId: 't', messages: [], causes: [] }],
  [true, { success: false, message: 'no' }],
  [false, { message: 'deleted' }],
  [false, { error: null, errors: [], message: 'created' }],
  [false, { success: true }],
  [false, { id: 'x', error: 'the last run of this object failed' }],
  [false, {}],
  [false, ['error']],
  [false, null],
])('a body of nothing but an error is told from others (%s): %j', (is, body) =>
  expect(isErrorBody(body)).toBe(is),
);
