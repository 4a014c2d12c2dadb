import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documents, root, textOf } from './documents.ts';

describe('every link leads somewhere', () => {
  test.each(documents())('%s', (path) => {
    expect(linksOf(textOf(path)).filter((link) => !leads(path, link))).toEqual([]);
  });
});

test('every document can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const path of reached) {
    for (const link of linksOf(textOf(path))) {
      const target = join(dirname(path), link.split('#')[0] ?? '');
      if (target.endsWith('.md') && existsSync(join(root, target))) reached.add(target);
    }
  }
  expect(documents().filter((path) => !reached.has(path))).toEqual([]);
});

test('the files that documents for developers name are there', () => {
  const named = ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/adding-a-kind.md'].flatMap((path) =>
    [...textOf(path).matchAll(/`([\w./-]+(?:\/|\.ts|\.mjs))`/g)].map(([, file = '']) => file),
  );
  const isThere = (file: string) => existsSync(join(root, file)) || existsSync(join(root, 'src', file));
  expect(named.length).toBeGreaterThan(30);
  // A kind that somebody is about to write.
  expect(named.filter((file) => !file.includes('your-kind') && !isThere(file))).toEqual([]);
});

test('every library that runs is listed with what it does', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(textOf('package.json'));
  const [, section = ''] = textOf('CONTRIBUTING.md').split('\n## Dependencies\n');
  const [table = ''] = section.split('\n## ');
  const listed = [...table.matchAll(/^\| `([\w-]+)` \| .*\w/gm)].map(([, name]) => name);
  expect(listed).toEqual(Object.keys(dependencies));
});

/** Relative links and pictures; code is no place for links. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)];
  return links
    .map(([, inline, attribute]) => inline ?? attribute ?? '')
    .filter((link) => !/^\w+:/.test(link));
}

function leads(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || anchorsOf(textOf(path)).includes(anchor);
}

/** The anchors that a forge gives to headings. */
function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
