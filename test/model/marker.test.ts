import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import {
  containsMarker,
  fillLive,
  fillPointer,
  fillRefs,
  isFilledInLater,
  literal,
  literalTexts,
  livePlace,
  lookupMarker,
  lookupOf,
  markersIn,
  renderBody,
  secretName,
  withLiveValue,
} from '../../src/model/marker.ts';

const reveal = (name: string) => `value of ${name}`;
const markers: Json[] = [
  { $secret: 'S' },
  lookupMarker({ from: 'profiles', where: { name: 'A' }, take: 'id' }),
  { $live: '/a' },
  { $jsonText: { a: 1 } },
  { $literal: 1 },
  { '$ref:Source/HR': 1 },
];

it('a live value is set in the objects around it, and with the list that it is in', () => {
  const other = { a: { b: { c: 1, x: 2 } }, d: [1, 2] };
  expect(withLiveValue(other, { e: 3 }, '/a/b/c')).toEqual({ a: { b: { c: 1 } }, e: 3 });
  expect(withLiveValue(other, { a: { b: { c: 9, y: 4 } } }, '/a/b/c')).toEqual({ a: { b: { c: 1, y: 4 } } });
  expect(withLiveValue(other, {}, '/d/0')).toEqual({ d: [1, 2] });
  expect(withLiveValue(other, { e: 3 }, '/a/z/c')).toEqual({ e: 3 });
  expect(withLiveValue(other, { a: { z: 5 } }, '/a/z')).toEqual({ a: {} });
  expect(withLiveValue({ a: [{ $secret: 'S' }] }, {}, '/a/0')).toEqual({ a: { $live: '/a' } });
});

it('an id that is known fills in the name of a member, and the others stay', () => {
  const body = { '$ref:Source/New': { at: { $ref: 'Source/New' } }, '$ref:Source/Other': 1, kept: 2 };
  const idOf = (to: string) => (to === 'Source/New' ? 7 : undefined);
  expect(markersIn(body, '$ref')).toEqual(['Source/New', 'Source/Other', 'Source/New']);
  expect(fillRefs(body, idOf)).toEqual({ '7': { at: 7 }, '$ref:Source/Other': 1, kept: 2 });
  expect(fillRefs(literal(body), idOf)).toEqual({ $literal: body });
  expect(fillPointer('/limits/$ref:Source~1New/$ref:Source~1Other', idOf)).toBe(
    '/limits/7/$ref:Source~1Other',
  );
});

describe("a tenant's value that looks like a marker", () => {
  it.each(markers)('is sent as it is: %j', (value) => {
    for (const foreign of [value, [value], { deep: [{ er: value }] }]) {
      expect(containsMarker(foreign)).toBe(true);
      const body = literal(foreign);
      expect(renderBody(body, reveal)).toEqual(foreign);
      expect(renderBody({ inside: [body] }, reveal)).toEqual({ inside: [foreign] });
      expect(fillLive(body, () => 'read')).toEqual(body);
    }
  });

  it('is recognised beside other members too, so that no later change of it makes it one', () => {
    expect(literal({ $secret: 'S', other: 1 })).toEqual({ $literal: { $secret: 'S', other: 1 } });
  });

  it('is none where only a text or a longer name has the signs', () => {
    for (const plain of ['$secret', { a: '$secret' }, { $secrets: 'S' }, { secret: 'S' }, [], {}, null, 1]) {
      expect(containsMarker(plain)).toBe(false);
      expect(literal(plain)).toBe(plain);
    }
  });
});

describe('rendering a body', () => {
  it('fills in secrets at every depth, and turns JSON into text last', () => {
    const body = {
      list: [{ $secret: 'A' }, 'plain', null, 3],
      text: { $jsonText: { inner: { $secret: 'B' }, foreign: { $literal: { $secret: 'C' } } } },
    };
    expect(renderBody(body, reveal)).toEqual({
      list: ['value of A', 'plain', null, 3],
      text: '{"inner":"value of B","foreign":{"$secret":"C"}}',
    });
  });

  it('escapes a secret inside JSON text', () => {
    expect(renderBody({ $jsonText: { a: { $secret: 'A' } } }, () => '"\\\n')).toBe('{"a":"\\"\\\\\\n"}');
  });

  it('leaves objects alone that only resemble a marker', () => {
    for (const body of [{ $secret: 'A', more: 1 }, { $secret: 7 }, { $live: 7 }]) {
      expect(renderBody(body, reveal)).toEqual(body);
      expect(fillLive(body, () => 'read')).toEqual(body);
    }
  });
});

describe("filling in an object's own values", () => {
  it('reads each place, and marks what it read as foreign', () => {
    const read = (at: string) => ({ $secret: at });
    const body = { a: { $live: '/x' }, b: [{ $live: '/y/0' }, 'plain', 1], c: null };
    expect(fillLive(body, read)).toEqual({
      a: { $literal: { $secret: '/x' } },
      b: [{ $literal: { $secret: '/y/0' } }, 'plain', 1],
      c: null,
    });
    expect(renderBody(fillLive(body, read), reveal)).toMatchObject({ a: { $secret: '/x' } });
  });
});

it('the texts inside literals are found at every depth, and no others', () => {
  const body = { own: 'no', a: [{ $literal: { x: 'one', y: ['two', null] } }], b: { $literal: 'three' } };
  expect(literalTexts(body)).toEqual(['one', 'two', 'three']);
  expect(literalTexts('own')).toEqual([]);
  expect(literalTexts({ a: literal({ $secret: 7, b: [true, null] }) })).toEqual(['7']);
});

describe('reading a marker', () => {
  it('gives what is in it', () => {
    expect(secretName({ $secret: 'S' })).toBe('S');
    expect(livePlace({ $live: '/a' })).toBe('/a');
    const lookup = { from: 'profiles', where: { name: 'A', uid: 'b' }, take: 'id' };
    expect(lookupOf(lookupMarker(lookup))).toEqual(lookup);
    expect(lookupOf({ $lookup: { ...lookup, where: { name: 7 } } })).toEqual({
      ...lookup,
      where: { name: '7' },
    });
  });

  it('gives nothing for other values', () => {
    for (const other of ['$secret', null, [], {}, { $secret: 1 }, { $secret: 'S', b: 1 }, undefined]) {
      expect(secretName(other)).toBeNull();
      expect(livePlace(other)).toBeNull();
      expect(lookupOf(other)).toBeNull();
    }
    const whole = { from: 'a', where: {}, take: 'b' };
    for (const part of [{ from: 1 }, { take: 1 }, { where: 'x' }, { where: null }]) {
      expect(lookupOf({ $lookup: { ...whole, ...part } })).toBeNull();
    }
    expect(lookupOf({ $lookup: 'text' })).toBeNull();
  });
});

describe('what is filled in later', () => {
  it('is a secret, a lookup or a value of the tenant, and nothing else', () => {
    const lookup = lookupMarker({ from: 'profiles', where: { name: 'A' }, take: 'id' });
    for (const marker of [{ $secret: 'S' }, lookup, { $live: '/a' }]) {
      expect(isFilledInLater(marker)).toBe(true);
      expect(isFilledInLater([marker])).toBe(false);
    }
    for (const value of [undefined, null, 'text', {}, { $jsonText: 1 }, { $literal: { $secret: 'S' } }]) {
      expect(isFilledInLater(value)).toBe(false);
    }
  });

  it('names its secrets at every depth, but not those in foreign data', () => {
    const body = {
      a: { $secret: 'A' },
      list: [{ b: { $secret: 'B' } }, { $secret: 'A' }],
      text: { $jsonText: { c: { $secret: 'C' } } },
      foreign: { $literal: { $secret: 'D' } },
      plain: 'E',
    };
    expect(markersIn(body, '$secret')).toEqual(['A', 'B', 'A', 'C']);
    expect(markersIn({ $literal: { $secret: 'D' } }, '$secret')).toEqual([]);
    expect(markersIn(null, '$secret')).toEqual([]);
  });
});
