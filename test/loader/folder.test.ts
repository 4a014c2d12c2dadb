/** A folder of manifests beside a project: nothing outside it is read, and messages name its files as the user does. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { manifestFolder } from '../../src/loader/source.ts';
import { project, thrown } from './fixture.ts';

const files = {
  'out/a.yaml': 'a',
  'out/deep/b.yml': 'b',
  'out/environments/c.yaml': 'c',
  'out/kinds/Role.kind.yaml': 'd',
  'out/[odd]*.yaml': 'odd',
  'outside.yaml': 'secret',
};

it('its manifests are named from the working directory on, and read', () => {
  const cwd = project(files);
  const { source, manifests } = manifestFolder('out', cwd);
  expect(source.glob(manifests)).toEqual(['out/[odd]*.yaml', 'out/a.yaml', 'out/deep/b.yml']);
  expect(source.text('out/deep/b.yml')).toBe('b');
});

it('one file may be named, whatever its name looks like', () => {
  const cwd = project({ ...files, 'out/d1.yaml': 'what it would match as a glob' });
  const { source, manifests } = manifestFolder('out/[odd]*.yaml', cwd);
  expect(source.glob(manifests)).toEqual(['out/[odd]*.yaml']);
});

it('the working directory itself may be the folder', () => {
  const { source, manifests } = manifestFolder('.', join(project(files), 'out'));
  expect(source.glob(manifests)).toContain('deep/b.yml');
  expect(source.text('deep/b.yml')).toBe('b');
});

it.each(['outside.yaml', 'outer/a.yaml', 'out/../outside.yaml', 'x/out/a.yaml'])(
  'nothing outside it is read, such as %s',
  (path) => {
    const cwd = project({ ...files, 'outer/a.yaml': 'x', 'x/out/a.yaml': 'x' });
    const { source } = manifestFolder('out', cwd);
    const [found] = thrown(() => source.text(path)).diagnostics;
    expect(found).toMatchObject({ code: 'outside-project' });
  },
);

it('a refusal says what to do', () => {
  const { source } = manifestFolder('out', project(files));
  const [found] = thrown(() => source.text('outside.yaml')).diagnostics;
  expect(found?.message).toContain('out of out.');
  expect(found?.hint).toContain('inside it');
});

it('a link out of it is not followed', () => {
  const cwd = project(files);
  symlinkSync('../outside.yaml', join(cwd, 'out/link.yaml'));
  const { source } = manifestFolder('out', cwd);
  expect(thrown(() => source.text('out/link.yaml')).diagnostics).toMatchObject([{ code: 'outside-project' }]);
});
