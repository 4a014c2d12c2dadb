import { describe, expect, it } from 'vitest';
import { readJsonText } from '../../src/kinds/jsontext.ts';
import type { Json } from '../../src/model/json.ts';
import { planOf, resource } from '../support/plan.ts';

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
    [
      '{summary=Badge for ${user.name}, please, kind=x}',
      { summary: 'Badge for ${user.name}, please', kind: 'x' },
    ],
    ['{open=a { b, kind=x}', { open: 'a { b', kind: 'x' }],
    ['{no map}', '{no map}'],
    ['{a=[ACME] x [y], b=}', { a: '[ACME] x [y]', b: '' }],
    [' {a=b} ', { a: 'b' }],
    ['{ }', {}],
    ['{a={ }, b=x}', { a: {}, b: 'x' }],
    ['{a=one\ntwo}', { a: 'one\ntwo' }],
    ['{a=[x, y], b=[}', { a: ['x', 'y'], b: '[' }],
    ['{"a": 1}', { a: 1 }],
    [' null ', null],
    ['7', '7'],
    ['"text"', '"text"'],
    ['[1, 2]', [1, 2]],
  ])('%j', (text, expected) => {
    expect(readJsonText(text)).toEqual(expected);
  });

  it.each(['a=b}', '{a=b', '[a=b}', 'x{a=b}', '{a=b}x', '{=b}', '{a b=c}', '{', '}', 'null and void'])(
    'is none: %s stays as it is',
    (text) => {
      expect(readJsonText(text)).toBe(text);
    },
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
    const plan = planOf({
      declared: [
        resource('SimIntegration', ['S'], {
          attributes: { url: 'u' },
          request: { a: 'b', c: 'd' },
          statusMap: { Done: 'Committed', Declined: 'Failed' },
        }),
      ],
      live: [{ kind: 'SimIntegration', raw: { id: '1', name: 'S', attributes } }],
    });
    expect(plan.changes).toEqual([]);
  });

  it('stays text where it is JSON nested without end', () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    expect(readJsonText(deep)).toBe(deep);
    const raw = { id: '1', name: 'S', attributes: deep, statusMap: deep };
    const plan = planOf({
      declared: [resource('SimIntegration', ['S'], { description: 'd', attributes: { url: 'u' } })],
      live: [{ kind: 'SimIntegration', raw }],
    });
    expect(plan.summary).toMatchObject({ update: 1 });
  });

  it('that is nested deep is read in no time', () => {
    const deep = `${'{a='.repeat(3000)}x${'}'.repeat(3000)}`;
    expect(JSON.stringify(readJsonText(deep)).length).toBeGreaterThan(0);
  });
});
