import { describe, expect, it } from 'vitest';
import {
  credentialMembers,
  credentialPlaces,
  holdsSettings,
  isCredentialText,
} from '../../src/kinds/credentials.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';

const sim = builtInKinds.get('SimIntegration');
const inAttributes = (attributes: Json) => credentialPlaces(sim, { attributes });

describe('what looks like a credential', () => {
  it.each<[string, Json, string[]]>([
    ['by its name', { password: 'x', url: 'u' }, ['/attributes/password']],
    ['also as a number', { password: 1234 }, ['/attributes/password']],
    [
      'below the name',
      { credentials: { user: 'u', list: ['x', 1] } },
      ['/user', '/list/0', '/list/1'].map((at) => `/attributes/credentials${at}`),
    ],
    ['by its form', { text: 'https://u:hunter2@h.example' }, ['/attributes/text']],
    ['by its form in a list', { texts: ['a', 'https://u:hunter2@h.example'] }, ['/attributes/texts/1']],
    ['in a pair in JSON text', { text: '[{"name":"Authorization","value":"x"}]' }, ['/attributes/text']],
    ['in JSON text', { text: '{"a":{"password":"x"}}' }, ['/attributes/text']],
    ['in a pair', { headers: [{ name: 'Authorization', value: 'x' }] }, ['/attributes/headers/0/value']],
    ['as settings that cannot be parsed', '{"password":', ['/attributes']],
  ])('is found %s', (_name, attributes, expected) => {
    expect(inAttributes(attributes)).toEqual(expected);
  });

  it.each<[string, Json]>([
    ['true, false and null', { password: true, token: false, secret: null }],
    ['what is filled in later', { password: { $secret: 'X' }, token: { $live: '/attributes/token' } }],
    ['JSON text without one', { text: '{"a":{"b":"x"}}', list: '["x"]' }],
    ['a text that is not JSON', { text: '{not json' }],
    ['empty settings', ''],
    ['a pair without the name of one', { headers: [{ name: 'Accept', value: 'x' }] }],
    ['the key of a pair', { headers: [{ key: 'Accept', value: 'x' }] }],
    ['the key of a criterion', { criteria: { key: { type: 'IDENTITY', property: 'x' }, stringValue: 'y' } }],
  ])('is not %s', (_name, attributes) => {
    expect(inAttributes(attributes)).toEqual([]);
  });

  it('is looked for in the settings of another system only', () => {
    expect(credentialPlaces(sim, { description: 'https://u:hunter2@h.example' })).toEqual([]);
    expect(credentialPlaces(sim, {})).toEqual([]);
    expect(holdsSettings(sim, '/attributes/url')).toBe(true);
    expect(holdsSettings(sim, '/description')).toBe(false);
    expect(holdsSettings(sim, '')).toBe(false);
    expect(holdsSettings(sim, '/password')).toBe(false);
    const template = builtInKinds.get('NotificationTemplate');
    expect(holdsSettings(template, '/slackTemplate/blocks')).toBe(false);
    expect(credentialPlaces(template, { slackTemplate: { token: 'x' } })).toEqual([]);
  });

  it('is text: a number alone is none', () => {
    expect(isCredentialText(123456)).toBe(false);
    expect(isCredentialText('{"password":"x"}')).toBe(true);
    expect(isCredentialText('"password"')).toBe(false);
  });
});

describe('the members of an object', () => {
  const found = (holder: JsonObject) => Object.keys(holder).filter(credentialMembers(holder));

  it.each<[JsonObject, string[]]>([
    [{ name: 'password', value: 'x' }, ['value']],
    [
      { id: 'API token', defaultValue: 'x', currentValues: 'y', note: 'z' },
      ['defaultValue', 'currentValues'],
    ],
    [{ name: 'page', value: 'x' }, []],
    [{ name: 1, value: 'x' }, []],
    [{ key: 'x', value: 'y' }, []],
    [{ key: 'password', stringValue: 'x' }, ['stringValue']],
    [{ apiKey: 'x', name: 'page', value: 'y' }, ['apiKey']],
    [{ name: 'password', note: 'x' }, []],
    [{ password: 'x', user: 'y' }, ['password']],
  ])('of %j', (holder, expected) => {
    expect(found(holder)).toEqual(expected);
  });
});
