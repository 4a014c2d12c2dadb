import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}docs/safety.md`, 'utf8');
const rows = page.split('\n').filter((line) => /^\|(?!---| Promise )/.test(line));

it('every promise names a test, and every test that is named is there', () => {
  expect(rows.length).toBeGreaterThan(30);
  for (const row of rows) {
    const tests = [...row.matchAll(/\]\(\.\.\/(test\/[\w./-]+\.test\.ts)\)/g)].map(([, file = '']) => file);
    expect(tests, row).not.toEqual([]);
    expect(tests.filter((file) => !existsSync(`${root}${file}`))).toEqual([]);
  }
});

it('every test of safety stands for a promise', () => {
  const files = readdirSync(`${root}test/safety`).filter((file) => file.endsWith('.test.ts'));
  expect(files.filter((file) => file !== 'promises.test.ts' && !page.includes(`/safety/${file}`))).toEqual(
    [],
  );
});
