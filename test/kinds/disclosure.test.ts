/** Which values of an object no plan, result or report shows. */
import { describe, expect, it } from 'vitest';
import { concealedPlaces, withoutMasks } from '../../src/kinds/credentials.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { isMapOfSettings, sensitivePlaces } from '../../src/kinds/redact.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { generalizeIndexes } from '../../src/model/pointer.ts';
import { contractSettings as settings } from '../../src/model/settings.ts';
import { answers, liveFrom } from '../support/plan.ts';

const sim = builtInKinds.get('SimIntegration');

interface Case {
  readonly marked?: readonly string[];
  readonly declared?: JsonObject;
  readonly values?: readonly JsonObject[];
}

const isSensitive = ({ marked = [], declared = {}, values = [] }: Case) =>
  sensitivePlaces(sim, { marked, declared: [declared], values });

describe('a value is sensitive', () => {
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
    const is = isSensitive({
      declared: { attributes: { url: 'u', deep: { a: 1 }, text: '{"b": 2}', gone: null } },
    });
    const places = ['color', 'deep/z', 'deep', 'text/c', 'gone', 'url', 'deep/a', 'text/b'];
    const concealed = places.filter((at) => is(`/attributes/${at}`, 'x'));
    expect(concealed).toEqual(['color', 'deep/z', 'deep', 'text/c', 'gone']);
    for (const shown of [7, true, false]) expect(is('/attributes/color', shown)).toBe(true);
  });

  it('in a list of texts, where the list of the manifest does not have it', () => {
    const is = isSensitive({
      declared: { attributes: { list: ['a'] } },
      values: [{ attributes: { list: ['b'] } }],
    });
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

  it('among the settings, where a manifest clears all of them', () => {
    expect(isSensitive({ declared: { attributes: null } })('/attributes/color', 'x')).toBe(true);
  });
});

it.each([
  ['/a/0', '/a/*'],
  ['/a/0/b/12/c', '/a/*/b/*/c'],
  ['/a/0/1', '/a/*/*'],
  ['/a/b1/1b', '/a/b1/1b'],
  ['/0', '/*'],
  ['', ''],
])('the place %s is %s in any item', (at, expected) => {
  expect(generalizeIndexes(at)).toBe(expected);
});

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

  const live = liveFrom(
    answers.integration('1', 'S', { attributes: { password: '****', pin: '1:ACP:abc', url: 'u' } }),
  );

  const input = { key: ['S'], live, fields: {}, changed: new Set<string>(), settings };
  const advised = (body: Json) => {
    const write = withoutMasks(
      { requests: [{ method: 'PUT', path: '/', query: {}, headers: {}, body }] },
      input,
    );
    return 'manual' in write ? write.manual : null;
  };

  it.each<[string, Json, boolean]>([
    ['by its place', { attributes: { password: { $live: '/attributes/password' } } }, true],
    ['with what is around it', { attributes: { $jsonText: { $live: '/attributes' } } }, true],
    ['not, but another value is', { attributes: { password: 'new' } }, false],
    ['not, but a secret is', { attributes: { password: { $secret: 'S' } } }, false],
    ['not, but ciphertext is', { attributes: { pin: { $live: '/attributes/pin' } } }, false],
    ['not, and nothing else is', {}, false],
  ])('is told where a write has it %s', (_what, body, expected) => {
    expect(advised(body) !== null).toBe(expected);
  });

  it('is told with what to do about it', () => {
    expect(advised({ attributes: { $live: '/attributes' } })).toBe(
      'The tenant masks /attributes/password of "S", and this change would write the mask over the ' +
        'credential. Declare it with !secret, and not under `lifecycle.ignore`, then plan again.',
    );
  });
});
