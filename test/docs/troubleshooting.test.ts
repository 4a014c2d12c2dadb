import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codesInSource } from './codes.ts';

const text = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8');
const entries = [...text.matchAll(/^### (\S+)\n(.*)/gm)].map(([, code = '', words = '']) => ({
  code,
  words,
}));
const documented = entries.map(({ code }) => code);

test('every code that the program can emit has its entry', () => {
  const codes = [...codesInSource()];
  expect(codes.length).toBeGreaterThan(100);
  expect(codes.filter((code) => !documented.includes(code))).toEqual([]);
});

test('no entry is about a code that the program does not have', () => {
  const codes = codesInSource();
  expect(documented.filter((code) => !codes.has(code))).toEqual([]);
});

test('each entry stands once, and says something', () => {
  expect(documented.filter((code, at) => documented.indexOf(code) !== at)).toEqual([]);
  expect(entries.filter(({ words }) => words.trim() === '')).toEqual([]);
});

test('its table of contents has every section, in order', () => {
  const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect([...text.matchAll(/^- \[(.*)\]\(#/gm)].map(([, heading]) => heading)).toEqual(sections);
});
