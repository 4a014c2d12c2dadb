import { describe, expect, it } from 'vitest';
import { markUnchanged, redact } from '../../src/kinds/redact.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { secretPlaces } from '../../src/model/marker.ts';
import { redacted } from '../../src/model/sensitive.ts';

const secret = { $secret: 'S' };

const isAtPassword = (at: string) => at.endsWith('/password') || at.endsWith('/0/pin');

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
    const leaveOut = () => undefined;
    expect(redact({ a: redacted, b: 1 }, '', (at) => at === '/c', leaveOut)).toEqual({ b: 1 });
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
    ).toEqual({ a: { password: { $live: '/a/password' } }, b: [{ pin: { $live: '/b/0/pin' } }] });
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
    expect(mark({ a: { $literal: { $secret: 'S' } } }, { a: { $secret: 'S' } })).toEqual({
      a: { $literal: { $secret: 'S' } },
    });
    expect(mark({ password: { $literal: 'x' } }, { password: 'x' })).toEqual({
      password: { $live: '/password' },
    });
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
    expect(mark({ password: { a: [1] } }, { password: { a: [1] } })).toEqual({
      password: { $live: '/password' },
    });
    expect(mark({ password: { a: [2] } }, { password: { a: [1] } })).toEqual({ password: { a: [2] } });
    expect(mark({ a: 7, b: true }, { a: 7, b: true })).toEqual({ a: 7, b: true });
  });
});

it('the places of secrets are those of their markers, and of values that stay', () => {
  expect(secretPlaces({ a: secret, b: [{ c: secret }, 'x'], d: { e: { $live: '/d/e' } }, f: 1 })).toEqual([
    '/a',
    '/b/0/c',
    '/d/e',
  ]);
  expect(secretPlaces('x')).toEqual([]);
  expect(secretPlaces(secret)).toEqual(['']);
});
