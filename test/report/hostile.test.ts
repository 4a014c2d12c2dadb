import { describe, expect, it } from 'vitest';
import { renderSearch } from '../../src/commands/search.ts';
import type { Plan } from '../../src/model/documents.ts';
import { type Document, type Format, formatsOf } from '../../src/report/report.ts';
import { renderRequests } from '../../src/report/text.ts';
import { renderReport } from '../../src/report/writers.ts';
import { difference, plain, plan, render, update } from './fixtures.ts';
import { commandsIn, evil, hostileDocuments } from './hostile.ts';

type SearchFormat = Parameters<typeof renderSearch>[1];

const documents = hostileDocuments();
const hostilePlan = planOf(documents);
const cases = documents.flatMap((document) =>
  formatsOf(document.is).map((format) => ({ document, format, is: document.is })),
);
const of = (format: Format): { is: string; text: string }[] =>
  documents
    .filter(({ is }) => formatsOf(is).includes(format))
    .map((document) => ({ is: document.is, text: render(document, format) }));

function planOf(all: readonly Document[]): Plan {
  for (const document of all) if (document.is === 'plan') return document.plan;
  throw new Error('one of the documents is a plan');
}

/** Markdown without its fenced blocks and code spans: what GitHub reads as markup. */
function live(markdown: string): string {
  const kept: string[] = [];
  let fence = '';
  for (const line of markdown.split('\n')) {
    const run = /^ *(`{3,})[a-z]*$/.exec(line)?.[1] ?? '';
    if (fence === '' && run !== '') fence = run;
    else if (fence !== '' && run.length >= fence.length && line.trim() === run) fence = '';
    else if (fence === '') kept.push(line.replace(/(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)/g, ''));
  }
  expect(fence).toBe('');
  return kept.join('\n');
}

describe('hostile text', () => {
  it.each(cases)('controls no terminal, and ends with a line: $is as $format', ({ document, format }) => {
    const report = render(document, format);
    expect(report).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u);
    expect(report).toMatch(/\n$/);
  });

  it('controls no terminal in a dry run', () =>
    expect(renderRequests(hostilePlan, plain)).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u));

  it('makes no element in HTML', () => {
    for (const { text } of of('html')) {
      expect(text.match(/<script/g)).toHaveLength(1);
      expect(text.match(/<style/g)).toHaveLength(2);
      expect(text).not.toMatch(/<img|<iframe|<textarea|href="(?!#entries|#change\/)/);
    }
  });

  it('makes no element in JUnit', () => {
    for (const { text } of of('junit')) {
      const tags = new Set([...text.matchAll(/<\/?([a-z-]+)/gi)].map(([, name]) => name));
      const known = ['testsuites', 'testsuite', 'testcase', 'failure', 'skipped', 'system-out'];
      expect([...tags].filter((name) => name === undefined || !known.includes(name))).toEqual([]);
      expect(text).not.toContain(']]>');
    }
  });

  it.each(cases.filter(({ format }) => format !== 'github'))(
    'gives no command to a CI system: $is as $format',
    ({ document, format }) => {
      expect(commandsIn(render(document, format))).toEqual([]);
      for (const width of format === 'text' ? [27] : []) {
        const wrapped = { colour: false, width, verbose: true };
        expect(commandsIn(renderReport(document, format, wrapped))).toEqual([]);
      }
    },
  );

  it('gives no command to a CI system in a dry run, a search or a status', () => {
    expect(commandsIn(renderRequests(hostilePlan, plain))).toEqual([]);
    const lines = evil.split('\n');
    const profiles = lines.map((id) => ({ id, [id]: id, attributes: { [id]: [evil, { [id]: id }] } }));
    for (const format of ['table', 'json', 'csv'] satisfies SearchFormat[]) {
      const found = { label: '::error::x', profiles, more: true, rules: 'saved' } as const;
      expect(commandsIn(renderSearch(found, format, { colour: false, width: 30 }))).toEqual([]);
    }
  });

  it('starts no workflow command of its own', () => {
    for (const { text } of of('github')) {
      const lines = text.trimEnd().split('\n');
      for (const line of lines) expect(line).toMatch(/^::(error|warning|notice) [^\n]*::/);
      for (const line of lines) expect(line.split('::')[1]).toMatch(/^(error|warning|notice) /);
      for (const line of lines) expect(commandsIn(line)).toEqual([line]);
      expect(text).not.toMatch(/##\w*\[|section_start:/);
    }
  });

  it('breaks out of no Markdown', () => {
    for (const { text } of of('markdown')) {
      const rest = live(text).replace(/<\/?(details|summary|code|b|p)( open)?>/g, '');
      expect(rest).not.toMatch(/<[a-z/!]/i);
      const markdown = rest
        .split('\n')
        .filter((line) => !line.includes('&quot;'))
        .join('\n');
      expect(markdown).not.toMatch(/@\w|\]\((?!<https)|(?<!\\)\[x|https?:\/\/|www\./);
      expect(text.match(/^<details/gm)?.length ?? 0).toBe(live(text).match(/^<\/details>$/gm)?.length ?? 0);
    }
  });

  it('arrives unchanged in JSON', () => {
    expect(JSON.parse(render(hostilePlan, 'json'))).toEqual(hostilePlan);
    for (const { text } of of('sarif')) expect(JSON.parse(text).version).toBe('2.1.0');
  });
});

describe('a line of a million characters', () => {
  const million = 1_000_000;
  const problem = (text: string): Document => ({
    is: 'diagnostics',
    diagnostics: [
      { code: 'x', severity: 'error', message: text, excerpt: `1 | ${text}\n  | ${' '.repeat(20)}^` },
    ],
  });

  it('is cut around the caret of an excerpt', () => {
    const text = render(problem('ab '.repeat(million / 3)), 'text');
    expect(text).toMatch(/\n {4}1 \| ab ab [ab ]*…\n {6}\| {21}\^\n/);
  });

  it('may be nothing but backticks', () =>
    expect(render(problem('` '.repeat(million / 2)), 'markdown')).toContain('Not shown: 1 error'));
});

it.each([
  ['short', ''],
  ['long', 'A text of more than one line.\n'.repeat(9)],
])('shows a letter that looks like another one in a %s value', (_, lead) => {
  const hosts = ['acme.example', '\u0430cme.example'].map((host) => `${lead}https://${host}/`);
  const [before = '', after = ''] = hosts;
  const changes = [update('SenderAddress/a', difference('/note', before, after))];
  for (const format of ['text', 'markdown', 'html'] as const) {
    const text = render(plan(changes), format)
      .replace(/<\/?(?:mark|ins|del|span)[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>');
    expect(text).toContain('https://<U+0430>cme.example/');
  }
});
