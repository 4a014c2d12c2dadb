import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch, jsonPatch, mergePatch, replacingPatch } from '../../src/kinds/json-patch.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { valueAt, withValueAt } from '../../src/model/pointer.ts';

describe('a JSON Patch', () => {
  it('is empty where nothing differs', () => {
    expect(jsonPatch({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]);
  });

  it('replaces, adds and removes single members, at every depth', () => {
    expect(jsonPatch({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 9, 'e/f': 4 }, d: 3 })).toEqual(
      expect.arrayContaining([
        { op: 'replace', path: '/a/b', value: 9 },
        { op: 'remove', path: '/a/c' },
        { op: 'add', path: '/a/e~1f', value: 4 },
      ]),
    );
  });

  it.each<[JsonObject]>([[{ a: null }], [{ a: [] }], [{}]])(
    'adds where the tenant has %j: it has nothing to replace',
    (before) => {
      expect(jsonPatch(before, { a: [1] })).toEqual([{ op: 'add', path: '/a', value: [1] }]);
    },
  );

  it('sets null where the wanted value is null', () => {
    expect(jsonPatch({ a: 1 }, { a: null })).toEqual([{ op: 'replace', path: '/a', value: null }]);
    expect(jsonPatch({ a: 1, b: 2 }, { b: 2 })).toEqual([{ op: 'remove', path: '/a' }]);
  });

  it('replaces lists as a whole, since the tenant may have another order', () => {
    expect(jsonPatch({ a: [1, 2, 3] }, { a: [1, 3] })).toEqual([
      { op: 'replace', path: '/a', value: [1, 3] },
    ]);
    expect(jsonPatch({ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } })).toEqual([
      { op: 'replace', path: '/a/b', value: [{ c: 2 }] },
    ]);
  });

  it.each<[Json]>([[['x']], [{ x: 1 }], [7], [true]])(
    'replaces a text that reads like the wanted %j',
    (wanted) => {
      expect(jsonPatch({ a: JSON.stringify(wanted) }, { a: wanted }, new Set(['a']))).toEqual([
        { op: 'replace', path: '/a', value: wanted },
      ]);
    },
  );

  it.each([{ $secret: 'S' }, { $jsonText: { a: 1 } }, { $literal: { b: 1 } }])(
    'takes the marker %j for one value',
    (marker) => {
      expect(jsonPatch({ a: { x: 1 } }, { a: marker })).toEqual([
        { op: 'replace', path: '/a', value: marker },
      ]);
      expect(jsonPatch({ a: marker }, { a: marker })).toEqual([]);
    },
  );

  it('goes into objects that only look a little like a marker', () => {
    expect(jsonPatch({ a: { $x: 1 } }, { a: { $x: 2 } })).toEqual([
      { op: 'replace', path: '/a/$x', value: 2 },
    ]);
    expect(jsonPatch({ a: { $secret: 'S', b: 1 } }, { a: { $secret: 'S', b: 2 } })).toEqual([
      { op: 'replace', path: '/a/b', value: 2 },
    ]);
    expect(jsonPatch({ a: { b: { $secret: 'S' } } }, { a: { b: { $secret: 'T' } } })).toEqual([
      { op: 'replace', path: '/a/b', value: { $secret: 'T' } },
    ]);
    expect(jsonPatch({ a: {} }, { a: { b: 1 } })).toEqual([{ op: 'add', path: '/a/b', value: 1 }]);
  });

  it('leaves out what stays as the tenant has it', () => {
    const stays = { $live: '/a/b' };
    expect(jsonPatch({ a: { b: 'secret', c: 1 } }, { a: { b: stays, c: 2 } })).toEqual([
      { op: 'replace', path: '/a/c', value: 2 },
    ]);
    expect(jsonPatch({ a: 'x' }, { a: stays })).toEqual([{ op: 'replace', path: '/a', value: stays }]);
  });

  it('makes the wanted object of the present one', () => {
    const value = fc.oneof(
      fc.constantFrom(1, 'x', true),
      fc.array(fc.integer(), { minLength: 1, maxLength: 2 }),
    );
    const object = fc.dictionary(
      fc.constantFrom('a', 'b/c', 'd~e', ''),
      fc.oneof(value, fc.dictionary(fc.constantFrom('f', 'g'), value, { maxKeys: 2 })),
      { maxKeys: 3 },
    );
    fc.assert(
      fc.property(object, object, (before, after) => {
        const made = jsonPatch(before, after).reduce<JsonObject>((at, { op, path, value: set = null }) => {
          const place = String(path);
          expect(op === 'add').toBe(valueAt(at, place) === undefined);
          return withValueAt(at, place, op === 'remove' ? undefined : set);
        }, before);
        expect(made).toEqual(after);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a patch for a host that only knows replace', () => {
  const only = (before: JsonObject, after: JsonObject) =>
    replacingPatch(before, after).map(({ op, path, value }) => {
      expect(op).toBe('replace');
      return [path, value];
    });

  it.each<[string, JsonObject, JsonObject, [string, Json][]]>([
    ['replaces a member', { a: { b: 1, c: 2 } }, { a: { b: 9, c: 2 } }, [['/a/b', 9]]],
    ['replaces what gets a member', { a: { b: 1 } }, { a: { b: 1, c: 2 } }, [['/a', { b: 1, c: 2 }]]],
    ['replaces what loses a member', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, [['/a', { b: 1 }]]],
    [
      'replaces the nearest object above',
      { a: { b: { c: 1 }, d: 2 } },
      { a: { b: { c: 1, e: 3 }, d: 2 } },
      [['/a/b', { c: 1, e: 3 }]],
    ],
    ['replaces a field that is not set', { a: null }, { a: { b: 1 } }, [['/a', { b: 1 }]]],
    ['replaces a field that is not there', {}, { a: 1 }, [['/a', 1]]],
    ['clears a field', { a: 1 }, { a: null }, [['/a', null]]],
    ['clears a field that goes', { a: 1, b: 2 }, { b: 2 }, [['/a', null]]],
    [
      'replaces a whole once, and nothing inside it',
      { a: { b: 1, c: { d: 1 } }, e: 1 },
      { a: { b: 9, c: { d: 9 }, f: 1 }, e: 2 },
      [
        ['/e', 2],
        ['/a', { b: 9, c: { d: 9 }, f: 1 }],
      ],
    ],
    [
      'takes a name that begins like another for another',
      { a: { x: 1 }, ab: { y: 1 } },
      { a: { x: 1, z: 1 }, ab: { y: 2 } },
      [
        ['/ab/y', 2],
        ['/a', { x: 1, z: 1 }],
      ],
    ],
  ])('%s', (_what, before, after, expected) => {
    expect(only(before, after)).toEqual(expected);
  });
});

describe('a merge patch', () => {
  it('names what differs, and sets to null what goes', () => {
    expect(mergePatch({ a: 1, b: 2, c: { d: 1, e: 2 } }, { a: 1, b: 3, c: { d: 1 }, f: 4 })).toEqual({
      b: 3,
      c: { e: null },
      f: 4,
    });
    expect(mergePatch({ a: { b: 1 } }, { a: { b: 1 } })).toEqual({});
    expect(mergePatch({ a: { b: 1 } }, { a: { b: 1, c: null } })).toEqual({});
  });

  it('replaces lists, markers, and the members that are named, as a whole', () => {
    expect(mergePatch({ a: [1, 2] }, { a: [1] })).toEqual({ a: [1] });
    expect(mergePatch({ a: { b: 1 } }, { a: { $secret: 'S' } })).toEqual({ a: { $secret: 'S' } });
    expect(mergePatch({ a: { b: 1, c: 2 } }, { a: { b: 1 } }, new Set(['a']))).toEqual({ a: { b: 1 } });
    expect(mergePatch({ a: 'x' }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  });

  it('leaves out what stays as the tenant has it, at every depth', () => {
    expect(mergePatch({ a: { b: 'x' } }, { a: { b: { $live: '/a/b' } } })).toEqual({});
    expect(mergePatch({ a: { b: 'x', c: 1 } }, { a: { b: { $live: '/a/b' }, c: 2 } })).toEqual({
      a: { c: 2 },
    });
    expect(mergePatch({ a: 'x' }, { a: { $live: '/b' } })).toEqual({ a: { $live: '/b' } });
  });

  it.each<[Json, Json, Json]>([
    [
      { a: 1, b: 2 },
      { a: null, c: 3 },
      { b: 2, c: 3 },
    ],
    [{ a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    ['x', { a: { b: 1, c: null } }, { a: { b: 1 } }],
    [{ a: 1 }, 'x', 'x'],
    [{ a: 1 }, [1], [1]],
    [{ a: { b: 1 } }, { a: { $secret: 'S' } }, { a: { $secret: 'S' } }],
  ])('makes of %j with %j: %j', (value, patch, expected) => {
    expect(applyMergePatch(value, patch)).toEqual(expected);
  });
});
