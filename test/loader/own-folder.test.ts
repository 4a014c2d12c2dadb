/** Nothing that tenantctl writes leaves the project, whatever links the repository holds. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireInside, requireOutputFile, requireOwnFolder } from '../../src/loader/paths.ts';
import { project, thrown } from './fixture.ts';

const codeOf = (run: () => void) => thrown(run).diagnostics.map(({ code }) => code);

/** For somebody who is in another folder. */
const requireOwnFile = (file: string) => requireOutputFile(file, project({}));

/** A project, and a folder outside it. */
function createLink(path: string, target: (outside: string) => string): string {
  const [root, outside] = [project({ '.tenantctl/kept': '' }), project({})];
  symlinkSync(target(outside), join(root, path));
  return root;
}

describe('a file in `.tenantctl`', () => {
  it('is written inside the project', () => {
    const root = createLink('.tenantctl/inside', () => '../config');
    mkdirSync(join(root, 'config'));
    requireOwnFolder(root);
    for (const path of ['.tenantctl/new/result.json', '.tenantctl/inside/a.json'])
      requireOwnFile(join(root, path));
  });

  it.each([
    ['a folder outside', (outside: string) => outside],
    ['what does not exist yet', (outside: string) => join(outside, 'none')],
  ])('is not written through a link to %s', (_what, target) => {
    const root = createLink('.tenantctl/results', target);
    expect(codeOf(() => requireOwnFile(join(root, '.tenantctl/results/a.json')))).toEqual([
      'outside-project',
    ]);
    expect(codeOf(() => requireOwnFolder(root))).toEqual(['outside-project']);
  });

  it('is judged by the innermost `.tenantctl`, and only there', () => {
    const root = createLink('config', (outside) => outside);
    for (const path of ['config/a.json', '.git/a.json']) requireOwnFile(join(root, path));
    const inner = project({ '.tenantctl/copy/.tenantctl/kept': '' });
    symlinkSync('../..', join(inner, '.tenantctl/copy/.tenantctl/up'));
    const up = join(inner, '.tenantctl/copy/.tenantctl/up/a.json');
    expect(codeOf(() => requireOwnFile(up))).toEqual(['outside-project']);
  });
});

it('a broken link out of the project is refused as one that leads there', () => {
  const root = createLink('data', (outside) => join(outside, 'none'));
  expect(codeOf(() => requireInside(root, 'data'))).toEqual(['outside-project']);
});

it('a file in the place of a folder is left to what makes the folder', () => {
  const root = project({ results: 'a file' });
  requireInside(root, 'results/new/a.json');
  requireOwnFolder(root);
  requireOwnFile(join(root, '.tenantctl/a.json'));
});
