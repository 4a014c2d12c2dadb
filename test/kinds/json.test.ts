import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch, jsonPatch, mergePatch, replacingPatch } from '../../src/kinds/json-patch.ts';
import { readJsonText } from '../../src/kinds/jsontext.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { valueAt, withValueAt } from '../../src/model/pointer.ts';
import { answers, planOf, resource } from '../support/plan.ts';

describe('a JSON Patch', () => {
  it('is empty where nothing differs', () =>
    expect(jsonPatch({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]));

  it('replaces, adds and removes single members, at every depth', () =>
    expect(jsonPatch({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 9, 'e/f': 4 }, d: 3 })).toEqual(
      expect.arrayContaining([
        { op: 'replace', path: '/a/b', value: 9 },
        { op: 'remove', path: '/a/c' },
        { op: 'add', path: '/a/e~1f', value: 4 },
      ]),
    ));

  it.each<[JsonObject]>([[{ a: null }], [{ a: [] }], [{}]])(
    'adds where the tenant has %j: it has nothing to replace',
    (before) => expect(jsonPatch(before, { a: [1] })).toEqual([{ op: 'add', path: '/a', value: [1] }]),
  );

  it('sets null where the wanted value is null', () => {
    expect(jsonPatch({ a: 1 }, { a: null })).toEqual([{ op: 'replace', path: '/a', value: null }]);
    expect(jsonPatch({ a: 1, b: 2 }, { b: 2 })).toEqual([{ op: 'remove', path: '/a' }]);
  });

  const replacing = (path: string, value: Json) => [{ op: 'replace', path, value }];

  it('replaces lists as a whole, since the tenant may have another order', () => {
    expect(jsonPatch({ a: [1, 2, 3] }, { a: [1, 3] })).toEqual(replacing('/a', [1, 3]));
    const patch = jsonPatch({ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } });
    expect(patch).toEqual(replacing('/a/b', [{ c: 2 }]));
  });

  it.each<[Json]>([[['x']], [{ x: 1 }], [7], [true]])(
    'replaces a text that reads like the wanted %j',
    (a) => {
      const patch = jsonPatch({ a: JSON.stringify(a) }, { a }, new Set(['a']));
      expect(patch).toEqual(replacing('/a', a));
    },
  );

  it.each([{ $secret: 'S' }, { $jsonText: { a: 1 } }, { $literal: { b: 1 } }])(
    'takes the marker %j for one value',
    (marker) => {
      expect(jsonPatch({ a: { x: 1 } }, { a: marker })).toEqual(replacing('/a', marker));
      expect(jsonPatch({ a: marker }, { a: marker })).toEqual([]);
    },
  );

  it('goes into objects that only look a little like a marker', () => {
    const [one, other] = [{ $secret: 'S' }, { $secret: 'T' }];
    expect(jsonPatch({ a: { $x: 1 } }, { a: { $x: 2 } })).toEqual(replacing('/a/$x', 2));
    expect(jsonPatch({ a: { ...one, b: 1 } }, { a: { ...one, b: 2 } })).toEqual(replacing('/a/b', 2));
    expect(jsonPatch({ a: { b: one } }, { a: { b: other } })).toEqual(replacing('/a/b', other));
    expect(jsonPatch({ a: {} }, { a: { b: 1 } })).toEqual([{ op: 'add', path: '/a/b', value: 1 }]);
  });

  it('leaves out what stays as the tenant has it', () => {
    const stays = { $live: '/a/b' };
    const patch = jsonPatch({ a: { b: 'secret', c: 1 } }, { a: { b: stays, c: 2 } });
    expect(patch).toEqual(replacing('/a/c', 2));
    expect(jsonPatch({ a: 'x' }, { a: stays })).toEqual(replacing('/a', stays));
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
])('a patch for a host that only knows replace %s', (_what, before, after, expected) =>
  expect(only(before, after)).toEqual(expected),
);

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
    const patch = mergePatch({ a: { b: 'x', c: 1 } }, { a: { b: { $live: '/a/b' }, c: 2 } });
    expect(patch).toEqual({ a: { c: 2 } });
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
  ])('makes of %j with %j: %j', (value, patch, expected) =>
    expect(applyMergePatch(value, patch)).toEqual(expected),
  );
});

describe('map text', () => {
  it.each<[string, Json]>([
    ['{}', {}],
    [
      '{url=https://x.example/?a=b, user=x, none=null}',
      { url: 'https://x.example/?a=b', user: 'x', none: null },
    ],
    [
      '{user=x, map={Done=Committed, No=Failed}, z=1}',
      { user: 'x', map: { Done: 'Committed', No: 'Failed' }, z: '1' },
    ],
    ['{a=[x, {b=c, d=e}, []], f={}}', { a: ['x', { b: 'c', d: 'e' }, []], f: {} }],
    ['{summary=For ${user.name}, please, kind=x}', { summary: 'For ${user.name}, please', kind: 'x' }],
    ['{open=a { b, kind=x}', { open: 'a { b', kind: 'x' }],
    ['{no map}', '{no map}'],
    ['{a=[ACME] x [y], b=}', { a: '[ACME] x [y]', b: '' }],
    [' {a=b} ', { a: 'b' }],
    ['{ }', {}],
    ['{a={ }, b=x}', { a: {}, b: 'x' }],
    ['{a=one\ntwo}', { a: 'one\ntwo' }],
    ['{a=[x, y], b=[}', { a: ['x', 'y'], b: '[' }],
    [
      '{url=u, assignment group=IAM, Für=x/y, a/b=1}',
      { url: 'u', 'assignment group': 'IAM', Für: 'x/y', 'a/b': '1' },
    ],
    ['{"a": 1}', { a: 1 }],
    ['{"link": "https://x/?id=$id", "count": $n}', '{"link": "https://x/?id=$id", "count": $n}'],
    ['{#if($a)x=y#end, b=c}', '{#if($a)x=y#end, b=c}'],
    [' null ', null],
    ['7', '7'],
    ['"text"', '"text"'],
    ['[1, 2]', [1, 2]],
  ])('%j', (text, expected) => expect(readJsonText(text)).toEqual(expected));

  it.each(['a=b}', '{a=b', '[a=b}', 'x{a=b}', '{a=b}x', '{=b}', '{ =b}', '{', '}', 'null and void'])(
    'is none: %s stays as it is',
    (text) => expect(readJsonText(text)).toBe(text),
  );

  it('is read to a depth of twenty maps inside a map; what is deeper stays text', () => {
    const nested = (levels: number): string => (levels === 0 ? 'x' : `{a=${nested(levels - 1)}}`);
    const depthOf = (value: Json): number =>
      typeof value === 'object' && value !== null ? 1 + depthOf(Object.values(value)[0] ?? null) : 0;
    expect(depthOf(readJsonText(nested(21)))).toBe(21);
    expect(depthOf(readJsonText(nested(40)))).toBe(21);
  });

  it('inside attributes gives a status map that is not written again and again', () => {
    const attributes = '{url=u, user=x, request={a=b, c=d}, statusMap={Done=Committed, Declined=Failed}}';
    const statusMap = { Done: 'Committed', Declined: 'Failed' };
    const fields = { attributes: { url: 'u' }, request: { a: 'b', c: 'd' }, statusMap };
    const live = [answers.integration('1', 'S', { attributes })];
    expect(planOf({ declared: [resource('SimIntegration', ['S'], fields)], live }).changes).toEqual([]);
  });

  it('stays text where it is JSON nested without end', () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    expect(readJsonText(deep)).toBe(deep);
    const declared = [resource('SimIntegration', ['S'], { description: 'd', attributes: { url: 'u' } })];
    const live = [answers.integration('1', 'S', { attributes: deep, statusMap: deep })];
    expect(planOf({ declared, live }).summary).toMatchObject({ update: 1 });
  });

  it('that is nested deep is read in no time', () => {
    const deep = `${'{a='.repeat(3000)}x${'}'.repeat(3000)}`;
    expect(JSON.stringify(readJsonText(deep)).length).toBeGreaterThan(0);
  });
});
