import { type Expression, parseSync, type SpreadElement, Visitor } from 'oxc-parser';
import { expect, it } from 'vitest';
import { readSources, type Source } from './sources.ts';

type Part = Expression | SpreadElement | null | undefined;

/** The messages of diagnostics in a file that are no sentences. One that ends with a value is judged where that is made. */
function findFragments({ path, text }: Source): readonly string[] {
  const found = new Set<string>();
  const look = (value: Part): void => {
    if (value?.type === 'ConditionalExpression') [value.consequent, value.alternate].forEach(look);
    const isText = value?.type === 'Literal' && typeof value.value === 'string';
    if (!isText && value?.type !== 'TemplateLiteral') return;
    const written = text.slice(value.start + 1, value.end - 1);
    const isSentence = /[.?…]$/.test(written) || (value.type === 'TemplateLiteral' && written.endsWith('}'));
    if (!isSentence) found.add(`${path}: ${written}`);
  };
  new Visitor({
    ObjectExpression({ properties }) {
      const named = new Map(
        properties.flatMap((each) =>
          each.type === 'Property' && each.key.type === 'Identifier' ? [[each.key.name, each.value]] : [],
        ),
      );
      if (named.has('code') || named.has('hint')) look(named.get('message'));
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && id.name === 'message') look(init);
    },
    CallExpression({ callee, arguments: [, message] }) {
      const name = text.slice(callee.start, callee.end);
      if (name === 'fail' || name.endsWith('problems.add')) look(message);
    },
  }).visit(parseSync(path, text).program);
  return [...found];
}

it('finds messages without a full stop', () => {
  const text = [
    "const message = 'a';",
    "throw fail('code', isOne ? 'b' : 'c.', { hint });",
    "problems.add('code', `d ${e}`, place);",
    "const problem = { code: 'code', message: `f \\`${g}\\`` };",
    "const row = { message: 'h' };",
  ].join('\n');
  expect(findFragments({ path: 'x.ts', text })).toEqual(['x.ts: a', 'x.ts: b', 'x.ts: f \\`${g}\\`']);
});

it('ends every message with a full stop: others are put behind it', () => {
  // The embedded tenant speaks as a host does.
  const sources = readSources('src').filter(({ path }) => !/^src\/(?:generated|sandbox)\//.test(path));
  expect(sources.flatMap(findFragments)).toEqual([]);
});
