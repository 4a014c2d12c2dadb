import { describe, expect, it } from 'vitest';
import {
  credentialMembers,
  credentialPlaces,
  holdsSettings,
  isCredentialText,
} from '../../src/kinds/credentials.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { type Json, type JsonObject, mapMembers, pick } from '../../src/model/json.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { libraryObjects } from '../support/library.ts';

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

describe('in objects of the real shape, of which no policy says anything', () => {
  /** All members are JSON that may hold credentials: nothing but names and values tells them. */
  const placesIn = (kind: string, object: JsonObject) => {
    const fields = Object.fromEntries(
      Object.keys(object)
        .map((name) => [name, 'json'] as const)
        .filter(([name]) => !['name', 'id'].includes(name)),
    );
    const described = kindFrom(descriptorFrom({ kind, path: '/v2025/things', key: 'name', fields }));
    return credentialPlaces(described, pick(object, Object.keys(fields))).map((at) => `${kind}${at}`);
  };
  // A text in the place of JSON may be anything.
  const jsonOf = (object: JsonObject) =>
    mapMembers(object, (value) => (typeof value === 'object' ? value : undefined));

  it('none is told but the one that is there', () => {
    const told = Object.entries(libraryObjects).flatMap(([kind, objects]) =>
      objects.flatMap((object) => placesIn(kind, jsonOf(object))),
    );
    expect(told).toEqual(['Source/connectorAttributes/password']);
  });

  it.each<[string, JsonObject]>([
    ['clientSecret', { attributes: { clientSecret: 'Zx8!kk2P' } }],
    ['oAuthClientSecret', { attributes: { oAuthClientSecret: 'not.an.expression' } }],
    ['a header', { attributes: { headers: [{ key: 'Authorization', value: 'Basic Z3Vlc3Q6c2VjcmV0' }] } }],
    ['key', { attributes: { key: '4f3c0a9b71d2e' } }],
    ['password', { config: { elementType: 'TEXT', password: 'hunter2hunter2' } }],
    ['token', { jsonRequestBody: { token: 'eyJhbGciOi.eyJzdWIiOi.c2ln' } }],
  ])('a credential among the words of a step or a form is not missed: %s', (_name, part) => {
    const [workflow = {}] = libraryObjects.Workflow ?? [];
    const definition = { ...(workflow.definition as JsonObject), steps: { Call: part } };
    expect(placesIn('Workflow', { definition })).toHaveLength(1);
  });
});
