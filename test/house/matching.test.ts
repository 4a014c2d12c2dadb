import { type Expression, parseSync, type SpreadElement, Visitor } from 'oxc-parser';
import { expect, it } from 'vitest';
import { readSources, type Source } from './sources.ts';

/** Lines at which `toMatchObject` is given `{}`, which any object matches: a test that says "empty" and cannot fail. */
function findEmptyObjects({ path, text }: Source): readonly string[] {
  const found: number[] = [];
  const look = (value: Expression | SpreadElement | null | undefined): void => {
    if (value?.type === 'ArrayExpression') value.elements.forEach(look);
    if (value?.type !== 'ObjectExpression') return;
    if (value.properties.length === 0) found.push(value.start);
    for (const property of value.properties) if (property.type === 'Property') look(property.value);
  };
  new Visitor({
    CallExpression({ callee, arguments: [wanted] }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (callee.property.name === 'toMatchObject') look(wanted);
    },
  }).visit(parseSync(path, text).program);
  return found.map((start) => `${path}:${text.slice(0, start).split('\n').length}`);
}

it('finds {} at any depth of what an object has to match', () => {
  const text = [
    'expect(a).toMatchObject({ proven: {} });',
    'expect(a).toMatchObject({ changes: [{ fields: { x: {} } }] });',
    'expect(a).toMatchObject({});',
    'expect(a).toEqual({ proven: {} });',
    'expect(a).toMatchObject({ list: [], ...(b ? {} : { c: 1 }) });',
  ].join('\n');
  expect(findEmptyObjects({ path: 'x.ts', text })).toEqual(['x.ts:1', 'x.ts:2', 'x.ts:3']);
});

it('expects no object to match {}: toEqual({}) says that one is empty', () => {
  const sources = readSources('test').filter(({ text }) => text.includes('toMatchObject'));
  expect(sources.flatMap(findEmptyObjects)).toEqual([]);
});
