import { describe, expect, it } from 'vitest';
import {
  concealedPlaces,
  credentialMembers,
  credentialPlaces,
  holdsSettings,
  isCredentialText,
  withoutMasks,
} from '../../src/kinds/credentials.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { isMapOfSettings, markUnchanged, redact, sensitivePlaces } from '../../src/kinds/redact.ts';
import { type Json, type JsonObject, mapMembers, pick } from '../../src/model/json.ts';
import { secretPlaces } from '../../src/model/marker.ts';
import { generalizeIndexes } from '../../src/model/pointer.ts';
import { redacted } from '../../src/model/sensitive.ts';
import { contractSettings as settings } from '../../src/model/tenant.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { libraryObjects } from '../support/library.ts';
import { answers, liveFrom } from '../support/plan.ts';

/** Which values of an object no plan, result or report shows. */

const sim = builtInKinds.get('SimIntegration');

interface Case {
  readonly marked?: readonly string[];
  readonly declared?: JsonObject;
  readonly values?: readonly JsonObject[];
}

const isSensitive = ({ marked = [], declared = {}, values = [] }: Case) =>
  sensitivePlaces(sim, { marked, declared: [declared], values });

describe('a value is sensitive', () => {
  it('in an item of a list of settings, unless each list is as long as the declared one: which item it is, nobody knows', () => {
    const lists = (...all: string[][]) =>
      all.map((list) => ({ attributes: { l: list.map((a) => ({ a })) } }));
    const [declared, ...others] = lists(['x', 'y'], ['old', 'y'], ['old', 'x', 'y']);
    const is = (...values: readonly JsonObject[]) =>
      isSensitive({ ...(declared && { declared }), values })('/attributes/l/0/a', 'old');
    expect(is(...others.slice(0, 1))).toBe(false);
    expect(is(...others.slice(1))).toBe(true);
    expect(is(...others)).toBe(true);
  });

  it('at a place that is marked, and below it', () => {
    const is = isSensitive({ marked: ['/description', '/request/a'] });
    expect(is('/description', 'x')).toBe(true);
    expect(is('/request/a/b', 'x')).toBe(true);
    expect(is('/request/ab', 'x')).toBe(false);
    expect(is('/request', { a: 'x' })).toBe(false);
  });

  it('in every item of a list where it is marked in one', () => {
    const is = isSensitive({ marked: ['/request/headers/0/value'] });
    expect(is('/request/headers/7/value', 'x')).toBe(true);
    expect(is('/request/headers/7/name', 'x')).toBe(false);
  });

  it('where one of the versions has a credential at that place', () => {
    const is = isSensitive({
      declared: { request: { url: 'b' } },
      values: [{ request: { url: 'https://u:hunter2@h.example' } }, { request: { url: 'b' } }],
    });
    expect(is('/request/url', 'b')).toBe(true);
    expect(is('/request/other', 'b')).toBe(true);
  });

  it('among the settings that a manifest leaves out, whatever they are called', () => {
    const attributes = { url: 'u', deep: { a: 1 }, text: '{"b": 2}', gone: null };
    const is = isSensitive({ declared: { attributes } });
    const places = ['color', 'deep/z', 'deep', 'text/c', 'gone', 'url', 'deep/a', 'text/b'];
    const concealed = places.filter((at) => is(`/attributes/${at}`, 'x'));
    expect(concealed).toEqual(['color', 'deep/z', 'deep', 'text/c', 'gone']);
    for (const shown of [7, true, false]) expect(is('/attributes/color', shown)).toBe(true);
  });

  it('in a list of texts, where the list of the manifest does not have it', () => {
    const having = (item: string) => ({ attributes: { list: [item] } });
    const is = isSensitive({ declared: having('a'), values: [having('b')] });
    expect(is('/attributes/list/0', 'b')).toBe(true);
    expect(is('/attributes/list/0', 'a')).toBe(false);
  });

  it('never as null, as an object or as a field that is declared whole', () => {
    const is = isSensitive({ marked: ['/description'] });
    expect(is('/description', null)).toBe(false);
    expect(is('/attributes/color', null)).toBe(false);
    expect(is('/attributes/deep', { a: 'x' })).toBe(false);
    expect(is('/attributes/list', ['x'])).toBe(false);
    expect(is('/request/color', 'x')).toBe(false);
    expect(is('/type', 'x')).toBe(false);
    expect(isSensitive({ declared: { statusMap: { a: 'x' } } })('/statusMap/b', 'x')).toBe(false);
    expect(is('', 'x')).toBe(false);
  });

  it('among the settings, where a manifest clears all of them', () =>
    expect(isSensitive({ declared: { attributes: null } })('/attributes/color', 'x')).toBe(true));
});

it.each([
  ['/a/0', '/a/*'],
  ['/a/0/b/12/c', '/a/*/b/*/c'],
  ['/a/0/1', '/a/*/*'],
  ['/a/b1/1b', '/a/b1/1b'],
  ['/0', '/*'],
  ['', ''],
])('the place %s is %s in any item', (at, expected) => expect(generalizeIndexes(at)).toBe(expected));

it('only members of settings that are declared one by one are a map', () => {
  expect(isMapOfSettings({ is: 'json', declares: 'members', settings: true })).toBe(true);
  expect(isMapOfSettings({ is: 'json', declares: 'members' })).toBe(false);
  expect(isMapOfSettings({ is: 'json', declares: 'whole', settings: true })).toBe(false);
  expect(isMapOfSettings({ is: 'text' })).toBe(false);
  expect(isMapOfSettings(undefined)).toBe(false);
});

describe('a mask', () => {
  it('is seen at any depth, as is ciphertext', () => {
    const value = { a: '***', b: [{ c: '1:ACP:x' }, 'clear'], d: 7, e: null };
    expect(concealedPlaces(value, '/at')).toEqual(['/at/a', '/at/b/0/c']);
    expect(concealedPlaces('••••', '/at')).toEqual(['/at']);
    expect(concealedPlaces('clear', '/at')).toEqual([]);
  });

  const attributes = { password: '****', pin: '1:ACP:abc', url: 'u' };
  const live = liveFrom(answers.integration('1', 'S', { attributes }));
  const input = { key: ['S'], live, fields: {}, changed: new Set<string>(), settings };
  const advised = (body: Json) => {
    const request = { method: 'PUT', path: '/', query: {}, headers: {}, body } as const;
    const write = withoutMasks({ requests: [request] }, input);
    return 'manual' in write ? write.manual : null;
  };

  it.each<[string, Json, boolean]>([
    ['by its place', { attributes: { password: { $live: '/attributes/password' } } }, true],
    ['with what is around it', { attributes: { $jsonText: { $live: '/attributes' } } }, true],
    ['not, but another value is', { attributes: { password: 'new' } }, false],
    ['not, but a secret is', { attributes: { password: { $secret: 'S' } } }, false],
    ['not, but ciphertext is', { attributes: { pin: { $live: '/attributes/pin' } } }, false],
    ['not, and nothing else is', {}, false],
  ])('is told where a write has it %s', (_what, body, expected) =>
    expect(advised(body) !== null).toBe(expected),
  );

  it('is told with what to do about it', () =>
    expect(advised({ attributes: { $live: '/attributes' } })).toBe(
      'The tenant masks /attributes/password of "S", and this change would write the mask over the ' +
        'credential. Make the change by a manifest that declares the credential with !secret, and not under `lifecycle.ignore`, then plan again.',
    ));
});

const secret = { $secret: 'S' };

const isAtPassword = (at: string) => at.endsWith('/password') || at.endsWith('/0/pin');

describe('redacting', () => {
  it('replaces sensitive values at every depth, and keeps the rest', () => {
    const having = (password: Json, pin: string, below: Json) => ({
      ...{ a: 1, password, b: [{ pin, c: null }, { pin: 'y' }], d: { password: below } },
    });
    const shown = redact(having('x', 'x', { e: 1 }), '', isAtPassword);
    expect(shown).toEqual(having(redacted, redacted, redacted));
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
    const rest = redact({ password: 'x', b: [{ pin: 1 }], a: 1 }, '', isAtPassword, leaveOut);
    expect(rest).toEqual({ b: [{}], a: 1 });
    expect(places).toEqual(['/password', '/b/0/pin']);
    expect(redact([1, 2], '/x', (at) => at === '/x/0', leaveOut)).toEqual([null, 2]);
    expect(redact('x', '/password', isAtPassword, leaveOut)).toBeUndefined();
  });

  it('reports a place that was redacted before as one again', () => {
    const leaveOut = () => undefined;
    expect(redact({ a: redacted, b: 1 }, '', (at) => at === '/c', leaveOut)).toEqual({ b: 1 });
  });

  it('shows the name of a secret, never more', () =>
    expect(redact({ a: secret }, '', isAtPassword)).toEqual({ a: secret }));
});

describe('a write carries a marker in the place of a sensitive value that stays', () => {
  const mark = (fields: JsonObject, live: JsonObject) => markUnchanged(fields, live, isAtPassword);

  it('at every depth', () => {
    const marked = { a: { password: { $live: '/a/password' } }, b: [{ pin: { $live: '/b/0/pin' } }] };
    const fields = { a: { password: 'x' }, b: [{ pin: 1 }] };
    expect(mark(fields, fields)).toEqual(marked);
  });

  it('but not where the value changes, is new, or is not sensitive', () => {
    const fields = { a: { password: 'new', user: 'x' }, password: 'new' };
    expect(mark(fields, { a: { password: 'old', user: 'x' } })).toEqual(fields);
    expect(mark({ a: { user: 'x' } }, { a: { user: 'x' } })).toEqual({ a: { user: 'x' } });
  });

  it('also for a text of JSON with such a value in it, and for literals', () => {
    const text = '{"password":"x"}';
    expect(mark({ a: text }, { a: text })).toEqual({ a: { $live: '/a' } });
    expect(mark({ a: '{"user":"x"}' }, { a: '{"user":"x"}' })).toEqual({ a: '{"user":"x"}' });
    expect(mark({ a: '{"password":"y"}' }, { a: text })).toEqual({ a: '{"password":"y"}' });
    const foreign = { $secret: 'S', password: 'x' };
    expect(mark({ a: { $literal: foreign } }, { a: foreign })).toEqual({ a: { $live: '/a' } });
    const open = { a: { $literal: { $secret: 'S' } } };
    expect(mark(open, { a: { $secret: 'S' } })).toEqual(open);
    const literal = mark({ password: { $literal: 'x' } }, { password: 'x' });
    expect(literal).toEqual({ password: { $live: '/password' } });
  });

  it('and leaves secrets and markers of the manifest as they are', () => {
    const fields = { password: secret, a: { password: { $live: '/a/password' } } };
    expect(mark(fields, { password: 'x', a: { password: 'y' } })).toEqual(fields);
  });

  it('also where the tenant has something that looks like them', () => {
    const fields = { password: secret, a: { password: { $live: '/x' } }, other: secret };
    const live = { password: secret, a: { password: { $live: '/x' } }, other: secret };
    expect(mark(fields, live)).toEqual(fields);
  });

  it('and leaves null, which clears, and what the tenant does not have', () => {
    expect(mark({ password: null, list: [null] }, {})).toEqual({ password: null, list: [null] });
    expect(mark({ password: null }, { password: null })).toEqual({ password: null });
  });

  it('and marks a list or an object by its items, or as a whole where it is sensitive itself', () => {
    const list = [{ pin: 1 }, { pin: 2 }];
    expect(mark({ b: list }, { b: list })).toEqual({ b: [{ pin: { $live: '/b/0/pin' } }, { pin: 2 }] });
    const whole = { password: { a: [1] } };
    expect(mark(whole, whole)).toEqual({ password: { $live: '/password' } });
    expect(mark({ password: { a: [2] } }, { password: { a: [1] } })).toEqual({ password: { a: [2] } });
    expect(mark({ a: 7, b: true }, { a: 7, b: true })).toEqual({ a: 7, b: true });
  });
});

it('the places of secrets are those of their markers, and of values that stay', () => {
  const fields = { a: secret, b: [{ c: secret }, 'x'], d: { e: { $live: '/d/e' } }, f: 1 };
  expect(secretPlaces(fields)).toEqual(['/a', '/b/0/c', '/d/e']);
  expect(secretPlaces('x')).toEqual([]);
  expect(secretPlaces(secret)).toEqual(['']);
});

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
  ])('is found %s', (_name, attributes, expected) => expect(inAttributes(attributes)).toEqual(expected));

  it.each<[string, Json]>([
    ['true, false and null', { password: true, token: false, secret: null }],
    ['what is filled in later', { password: { $secret: 'X' }, token: { $live: '/attributes/token' } }],
    ['JSON text without one', { text: '{"a":{"b":"x"}}', list: '["x"]' }],
    ['a text that is not JSON', { text: '{not json' }],
    ['empty settings', ''],
    ['a pair without the name of one', { headers: [{ name: 'Accept', value: 'x' }] }],
    ['the key of a pair', { headers: [{ key: 'Accept', value: 'x' }] }],
    ['the key of a criterion', { criteria: { key: { type: 'IDENTITY', property: 'x' }, stringValue: 'y' } }],
  ])('is not %s', (_name, attributes) => expect(inAttributes(attributes)).toEqual([]));

  it('is looked for in the settings of another system only', () => {
    expect(credentialPlaces(sim, { description: 'https://u:hunter2@h.example' })).toEqual([]);
    const fields = { a: 'value', b: 'set', c: { is: 'reference', to: 'Thing' }, d: 'text' };
    const kind = kindFrom(descriptorFrom({ kind: 'A', path: '/v1/a', update: 'put', fields }));
    const open = { a: { password: 'x', u: 1 }, b: [{ token: 'x' }], c: { id: '1', apiKey: 'x' }, d: 'x' };
    // An object in a field of any type, though nobody described its members.
    expect(credentialPlaces(kind, open)).toEqual(['/a/password', '/b/0/token', '/c/apiKey']);
    expect(credentialPlaces(kind, { a: 'x', b: ['x'], c: '1' })).toEqual([]);
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

const found = (holder: JsonObject) => Object.keys(holder).filter(credentialMembers(holder));

it.each<[JsonObject, string[]]>([
  [{ name: 'password', value: 'x' }, ['value']],
  [{ id: 'API token', defaultValue: 'x', currentValues: 'y', note: 'z' }, ['defaultValue', 'currentValues']],
  [{ name: 'page', value: 'x' }, []],
  [{ name: 1, value: 'x' }, []],
  [{ key: 'x', value: 'y' }, []],
  [{ key: 'password', stringValue: 'x' }, ['stringValue']],
  [{ apiKey: 'x', name: 'page', value: 'y' }, ['apiKey']],
  [{ name: 'password', note: 'x' }, []],
  [{ password: 'x', user: 'y' }, ['password']],
])('the members of an object of %j', (holder, expected) => expect(found(holder)).toEqual(expected));

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
