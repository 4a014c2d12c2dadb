import { describe, expect, it } from 'vitest';
import { kindNamed } from '../../src/kinds/index.ts';
import { sensitivePlaces, unmarkedSecrets } from '../../src/kinds/redact.ts';
import type { Json } from '../../src/model/json.ts';
import { lookupMarker, secretMarker } from '../../src/model/marker.ts';

const integration = kindNamed('SimIntegration');
const search = kindNamed('ProfileSearch');

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
    expect(
      found({ password: secretMarker('S'), token: lookup, apiKey: null, json: '{"user":"x"}', url: 'x' }),
    ).toEqual([]);
    expect(unmarkedSecrets(integration, { description: 'password=x', type: 'T' })).toEqual([]);
  });
});
