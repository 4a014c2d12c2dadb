import { describe, expect, it } from 'vitest';
import { apiRequest, eq, isIn, or, pathOf, serviceOf } from '../../src/kinds/http.ts';
import { Failure } from '../../src/model/failure.ts';
import { contractSettings } from '../../src/model/settings.ts';

describe('a filter', () => {
  it.each([
    ['plain', 'f eq "plain"'],
    ['a"b', 'f eq "a\\"b"'],
    ['a\\', 'f eq "a\\\\"'],
    ['\\"', 'f eq "\\\\\\""'],
    ['" or f pr', 'f eq "\\" or f pr"'],
    ['', 'f eq ""'],
  ])('holds the text %j, whatever is in it', (value, expected) => {
    expect(eq('f', value)).toBe(expected);
  });

  it('joins', () => {
    expect(isIn('key', ['a', 'b"'])).toBe('key in ("a","b\\"")');
    expect(or([eq('a', '1'), eq('a', '2')])).toBe('a eq "1" or a eq "2"');
  });
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
    },
  );
});

describe('a request', () => {
  it('carries the experimental header to the identity service only', () => {
    const to = (path: string) => apiRequest('GET', path, contractSettings).headers;
    const experimental = { accept: 'application/json', 'x-service-experimental': 'true' };
    expect(to('/v2024/x')).toEqual(experimental);
    expect(to('/v2025/x')).toEqual(experimental);
    expect(to('/api/profiles')).toEqual({ accept: 'application/json' });
    expect(['/v2025/x', '/api/v2025/x', '/v25/x', '/v2025x'].map(serviceOf)).toEqual([
      'identity',
      'profiles',
      'profiles',
      'profiles',
    ]);
    const named = { ...contractSettings, experimentalHeader: 'X-Other' };
    expect(apiRequest('GET', '/v2025/x', named).headers).toHaveProperty('x-other', 'true');
  });

  it('has a content type exactly where it has a body', () => {
    const headers = (more: object) => apiRequest('POST', '/api/x', contractSettings, more).headers;
    expect(headers({})).not.toHaveProperty('content-type');
    expect(headers({ body: null })).toHaveProperty('content-type', 'application/json');
    expect(headers({ body: [], contentType: 'text/x' })).toHaveProperty('content-type', 'text/x');
    expect(apiRequest('GET', '/api/x', contractSettings)).toMatchObject({ query: {}, body: null });
    expect(apiRequest('GET', '/api/x', contractSettings, { query: { a: 'b' } }).query).toEqual({ a: 'b' });
  });
});
