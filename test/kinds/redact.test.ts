import { describe, expect, it } from 'vitest';
import { kindNamed } from '../../src/kinds/index.ts';
import {
  type IsSensitive,
  markUnchanged,
  redact,
  secretPlaces,
  sensitivePlaces,
  unmarkedSecrets,
} from '../../src/kinds/redact.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { liveMarker, lookupMarker, secretMarker } from '../../src/model/marker.ts';
import { redacted } from '../../src/model/sensitive.ts';

const integration = kindNamed('SimIntegration');
const search = kindNamed('ProfileSearch');
const secret = secretMarker('S');

describe('a place is sensitive', () => {
  const isSensitive = (marked: readonly string[], at: string, value: Json = 'x', kind = integration) =>
    sensitivePlaces(kind, marked)(at, value);

  it('where it is marked, and below it', () => {
    expect(isSensitive(['/attributes/a'], '/attributes/a')).toBe(true);
    expect(isSensitive(['/attributes/a'], '/attributes/a/b/0')).toBe(true);
    expect(isSensitive(['/description'], '/description')).toBe(true);
  });

  it('but neither above it, nor beside it, nor where there is nothing', () => {
    expect(isSensitive(['/description/a'], '/description')).toBe(false);
    expect(isSensitive(['/description'], '/descriptions')).toBe(false);
    expect(isSensitive(['/description'], '/description', null)).toBe(false);
  });

  it('in every item of a list where it is marked in one: the tenant has another order', () => {
    expect(isSensitive(['/rules/0/value'], '/rules/3/value', 'x', search)).toBe(true);
    expect(isSensitive(['/rules/0/value'], '/rules/3/type', 'x', search)).toBe(false);
    expect(isSensitive(['/sources/1'], '/sources/0')).toBe(true);
    expect(isSensitive(['/sources'], '/sources/0')).toBe(true);
  });

  it.each(['/attributes/password', '/attributes/a/apiToken', '/request/client_secret/x', '/statusMap/key'])(
    'where settings have the name of a credential: %s',
    (at) => {
      expect(isSensitive([], at)).toBe(true);
      expect(isSensitive([], at, 7)).toBe(true);
    },
  );

  it('where settings hold a credential in a text, or cannot be parsed', () => {
    expect(isSensitive([], '/attributes/url', 'https://x.example/?token=abc')).toBe(true);
    expect(isSensitive([], '/attributes', 'password=abc')).toBe(true);
    expect(isSensitive([], '/attributes', 'no JSON')).toBe(true);
    expect(isSensitive([], '/attributes', '')).toBe(false);
  });

  it('but not for its name or its text where other fields have it', () => {
    expect(isSensitive([], '/description', 'password=abc')).toBe(false);
    expect(isSensitive([], '/cluster/password')).toBe(false);
    const template = kindNamed('NotificationTemplate');
    expect(isSensitive([], '/slackTemplate/token', 'x', template)).toBe(false);
    expect(isSensitive([], '/body', 'Your password=$x', template)).toBe(false);
  });
});

const isAtPassword: IsSensitive = (at) => at.endsWith('/password') || at.endsWith('/0/pin');

describe('redacting', () => {
  it('replaces sensitive values at every depth, and keeps the rest', () => {
    const value = {
      a: 1,
      password: 'x',
      b: [{ pin: 'x', c: null }, { pin: 'y' }],
      d: { password: { e: 1 } },
    };
    expect(redact(value, '', isAtPassword)).toEqual({
      a: 1,
      password: redacted,
      b: [{ pin: redacted, c: null }, { pin: 'y' }],
      d: { password: redacted },
    });
  });

  it('replaces a text of JSON as a whole where a sensitive value is in it', () => {
    expect(redact({ text: '{"password":"x"}' }, '', isAtPassword)).toEqual({ text: redacted });
    expect(redact({ text: '[{"pin":"x"}]' }, '', isAtPassword)).toEqual({ text: redacted });
    expect(redact({ text: '{password=x}' }, '', isAtPassword)).toEqual({ text: redacted });
    expect(redact({ text: '{"user":"x"}' }, '', isAtPassword)).toEqual({ text: '{"user":"x"}' });
  });

  it('leaves values out where nothing replaces them, and keeps the number of items', () => {
    const places: string[] = [];
    const leaveOut = (at: string) => {
      places.push(at);
      return undefined;
    };
    expect(redact({ password: 'x', b: [{ pin: 1 }], a: 1 }, '', isAtPassword, leaveOut)).toEqual({
      b: [{}],
      a: 1,
    });
    expect(places).toEqual(['/password', '/b/0/pin']);
    expect(redact([1, 2], '/x', (at) => at === '/x/0', leaveOut)).toEqual([null, 2]);
    expect(redact('x', '/password', isAtPassword, leaveOut)).toBeUndefined();
  });

  it('reports a place that was redacted before as one again', () => {
    expect(
      redact(
        { a: redacted },
        '',
        () => false,
        () => undefined,
      ),
    ).toEqual({});
  });

  it('shows the name of a secret, never more', () => {
    expect(redact({ a: secret }, '', isAtPassword)).toEqual({ a: secret });
  });
});

describe('a write carries a marker in the place of a sensitive value that stays', () => {
  const mark = (fields: JsonObject, live: JsonObject) => markUnchanged(fields, live, isAtPassword);

  it('at every depth', () => {
    expect(
      mark({ a: { password: 'x' }, b: [{ pin: 1 }] }, { a: { password: 'x' }, b: [{ pin: 1 }] }),
    ).toEqual({
      a: { password: liveMarker('/a/password') },
      b: [{ pin: liveMarker('/b/0/pin') }],
    });
  });

  it('but not where the value changes, is new, or is not sensitive', () => {
    const fields = { a: { password: 'new', user: 'x' }, password: 'new' };
    expect(mark(fields, { a: { password: 'old', user: 'x' } })).toEqual(fields);
    expect(mark({ a: { user: 'x' } }, { a: { user: 'x' } })).toEqual({ a: { user: 'x' } });
  });

  it('also for a text of JSON with such a value in it, and for literals', () => {
    const text = '{"password":"x"}';
    expect(mark({ a: text }, { a: text })).toEqual({ a: liveMarker('/a') });
    expect(mark({ a: '{"user":"x"}' }, { a: '{"user":"x"}' })).toEqual({ a: '{"user":"x"}' });
    expect(mark({ a: '{"password":"y"}' }, { a: text })).toEqual({ a: '{"password":"y"}' });
    const foreign = { $secret: 'S', password: 'x' };
    expect(mark({ a: { $literal: foreign } }, { a: foreign })).toEqual({ a: liveMarker('/a') });
    expect(mark({ a: { $literal: { $secret: 'S' } } }, { a: { $secret: 'S' } })).toEqual({
      a: { $literal: { $secret: 'S' } },
    });
    expect(mark({ password: { $literal: 'x' } }, { password: 'x' })).toEqual({
      password: liveMarker('/password'),
    });
  });

  it('and leaves secrets and markers of the manifest as they are', () => {
    const fields = { password: secret, a: { password: liveMarker('/a/password') } };
    expect(mark(fields, { password: 'x', a: { password: 'y' } })).toEqual(fields);
  });
});

it('the places of secrets are those of their markers, and of values that stay', () => {
  expect(secretPlaces({ a: secret, b: [{ c: secret }, 'x'], d: { e: liveMarker('/d/e') }, f: 1 })).toEqual([
    '/a',
    '/b/0/c',
    '/d/e',
  ]);
  expect(secretPlaces('x')).toEqual([]);
  expect(secretPlaces(secret, '/at')).toEqual(['/at']);
});

describe('a credential that a manifest does not mark', () => {
  const found = (attributes: Json) => unmarkedSecrets(integration, { attributes });

  it('is found by its name, at every depth, whatever its type', () => {
    expect(found({ password: 'x', a: { apiToken: 7, b: [{ client_secret: true }] }, user: 'x' })).toEqual([
      '/attributes/password',
      '/attributes/a/apiToken',
      '/attributes/a/b/0/client_secret',
    ]);
    expect(found({ password: { value: 'x', list: ['y'] } })).toEqual([
      '/attributes/password/value',
      '/attributes/password/list/0',
    ]);
  });

  it('is found in a text: a URL, settings, JSON', () => {
    expect(found({ url: 'https://x.example/?token=a', b: 'user=x password=y' })).toEqual([
      '/attributes/url',
      '/attributes/b',
    ]);
    expect(found({ json: '[{"a":{"password":"x"}}]' })).toEqual(['/attributes/json']);
    expect(found('no JSON')).toEqual(['/attributes']);
  });

  it('is none where it is a secret, a lookup or nothing, or where the text is harmless', () => {
    const lookup = lookupMarker({ from: 'profiles', where: { name: 'A' }, take: 'id' });
    expect(found({ password: secret, token: lookup, apiKey: null, json: '{"user":"x"}', url: 'x' })).toEqual(
      [],
    );
    expect(unmarkedSecrets(integration, { description: 'password=x', type: 'T' })).toEqual([]);
  });
});
