/** Numbers and texts of many digits: none of them may change on its way through a manifest. */
import { expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { mergeFile } from './merging.ts';
import { exportOf, integration, load, planFor, search, typeRule } from './support.ts';

const attributes = (digits: Json) => integration('I', { attributes: { digits }, request: {}, statusMap: {} });

function manifestOf(live: ReturnType<typeof integration>): string {
  const { files } = exportOf([live]);
  expect(planFor(load(files), [live]).changes).toEqual([]);
  return files[0]?.content ?? '';
}

it.each<[Json, string]>([
  ['1234567890123456789', 'digits: "1234567890123456789"'],
  ['9007199254740993', 'digits: "9007199254740993"'],
  ['0012', 'digits: "0012"'],
  ['1e21', 'digits: "1e21"'],
  ['1_000', 'digits: "1_000"'],
  ['0x1F', 'digits: "0x1F"'],
  ['12:30:45', 'digits: "12:30:45"'],
  [9007199254740991, 'digits: 9007199254740991'],
  [12345678901234567000, 'digits: 12345678901234567000'],
  [-0.5, 'digits: -0.5'],
])('%j is exported as %s', (value, line) => {
  expect(manifestOf(attributes(value))).toContain(line);
});

it('an id of 19 digits stays a text in lists and rules', () => {
  const id = '1234567890123456789';
  expect(manifestOf(integration('I', { managedSources: [{ id }], request: {}, statusMap: {} }))).toContain(
    `["${id}"]`,
  );
  const rule = typeRule(id);
  expect(manifestOf(search('S', [rule]))).toContain(`value: "${id}"`);
});

it('a number that differs in its last digit only is another one', () => {
  const id = (last: string) => `123456789012345678${last}`;
  const manifest = `kind: SimIntegration\nname: I\nattributes:\n  digits: "${id('9')}"\n`;
  expect(mergeFile(manifest, attributes(id('9')))).toBe(manifest);
  expect(mergeFile(manifest, attributes(id('8')))).toBe(manifest.replace('789"', '788"'));
});
