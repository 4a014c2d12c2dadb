/** What the manifests of a project declare of live objects, as far as they can be read. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noticesOf } from '../../src/kinds/resource.ts';
import { openProjects } from '../../src/loader/index.ts';
import { liveFrom } from '../support/plan.ts';
import { brief, config, type Files, failureOf, load, project } from './fixture.ts';

const declarationsIn = (files: Files) =>
  openProjects({ configFile: join(project(files), 'tenantctl.yaml'), env: {} }).declarations(undefined);
const desk = (name: string, id: string) => liveFrom({ kind: 'SimIntegration', raw: { id, name }, id });
const sender = (email: string) => liveFrom({ kind: 'SenderAddress', raw: { id: 's', email }, id: 's' });

describe('a live object', () => {
  const files = {
    'config/a.yaml':
      'kind: SimIntegration\nname: Desk\nattributes: { a: x, p: !secret P, in: [!secret Q] }\n',
    'config/b.yaml':
      '# first\nkind: SimIntegration\nid: x1\ntype: t\n---\nkind: SenderAddress\nemail: A@b.example\n',
    'config/c.yaml': 'kind: SimIntegration\nname: Broken\nnonsense: 1\ntype: [t]\n',
  };

  it('is found by its key, by its id, in the case of its kind, and in a manifest with mistakes', () => {
    const { find } = declarationsIn(files);
    const placeOf = (object: Parameters<typeof find>[0]) => {
      const source = find(object);
      return source && `${source.file}:${source.line}:${source.column}`;
    };
    expect(placeOf(desk('Desk', 'y'))).toBe('config/a.yaml:1:1');
    expect(placeOf(desk('Other', 'x1'))).toBe('config/b.yaml:2:1');
    expect(placeOf(sender('a@B.example'))).toBe('config/b.yaml:6:1');
    expect(placeOf(desk('Broken', 'y'))).toBe('config/c.yaml:1:1');
    expect(placeOf(desk('desk', 'y'))).toBeNull();
    expect(placeOf(sender('other@b.example'))).toBeNull();
  });

  it('has what its manifest declares, and the names of its secrets by their places', () => {
    const { fieldsOf, secretsOf } = declarationsIn(files);
    expect(fieldsOf(desk('Desk', 'y'))).toEqual({
      attributes: { a: 'x', p: { $secret: 'P' }, in: [{ $secret: 'Q' }] },
    });
    expect([...secretsOf(desk('Desk', 'y'))]).toEqual([
      ['/attributes/p', 'P'],
      ['/attributes/in/0', 'Q'],
    ]);
    expect(fieldsOf(desk('None', 'y'))).toEqual({});
    expect([...secretsOf(desk('None', 'y'))]).toEqual([]);
  });

  it('is that of the first manifest, where two declare it', () => {
    const twice =
      'kind: SimIntegration\nname: Desk\ntype: one\n---\nkind: SimIntegration\nname: Desk\ntype: two\n';
    expect(declarationsIn({ 'config/a.yaml': twice }).fieldsOf(desk('Desk', 'y'))).toEqual({ type: 'one' });
  });

  it('may be declared under its former name', () => {
    const renamed = 'kind: SimIntegration\nname: New\nlifecycle: { renamedFrom: Old }\n';
    expect(declarationsIn({ 'config/a.yaml': renamed }).find(desk('Old', 'y'))).toMatchObject({ line: 1 });
  });
});

it('a new file would be a manifest where the globs say so, and it is nothing else', () => {
  const { covers, globs } = declarationsIn({
    'tenantctl.yaml': `${config()}manifests: ["**/*.yaml", "!drafts/**"]\n`,
    'kinds/Role.kind.yaml': 'kind: Role\nsummary: s\nservice: identity\npath: /r\nkey: name\n',
  });
  const paths = ['a.yaml', 'x/b.yaml', 'a.yml', 'drafts/a.yaml', 'tenantctl.yaml', 'environments/new.yaml'];
  expect(paths.filter(covers)).toEqual(['a.yaml', 'x/b.yaml']);
  expect(covers('kinds/Role.kind.yaml')).toBe(false);
  expect(globs).toEqual({
    patterns: ['**/*.yaml', '!drafts/**'],
    source: { file: 'tenantctl.yaml', line: 5, column: 12 },
  });
});

it('the second of two manifests for one object is refused, with where the first one is', () => {
  const one = (name: string, former = 'z') =>
    `kind: SimIntegration\nname: ${name}\nlifecycle: { renamedFrom: ${former} }\n`;
  const found = failureOf({
    'config/a.yaml': one('a', 'y'),
    'config/b.yaml': `\n${one('b/c')}---\n${one('a', 'x')}---\n${one('d')}`,
  }).filter(({ severity }) => severity === 'error');
  const hint = 'Keep one of the two manifests.';
  expect(found.map((each) => [brief(each), each.message, each.address, each.hint])).toEqual([
    [
      'duplicate-object config/b.yaml:6:1',
      'SimIntegration/a is declared twice; first in config/a.yaml, line 1.',
      'SimIntegration/a',
      hint,
    ],
    [
      'duplicate-object config/b.yaml:10:1',
      'SimIntegration/z is declared twice; first in config/b.yaml, line 2.',
      'SimIntegration/d',
      hint,
    ],
  ]);
});

it('two objects that swap their names are refused, with the way to do it', () => {
  const named = (name: string, former: string) =>
    `kind: ProfileSearch\nlabel: ${name}\nlifecycle: { renamedFrom: ${former} }\n`;
  const found = failureOf({ 'config/a.yaml': `${named('a', 'b')}---\n${named('b', 'a')}` });
  expect(found.map(({ code, message }) => [code, message.split(';')[0]])).toEqual([
    [
      'duplicate-object',
      'ProfileSearch/b is the name of one object here and the former name of another there',
    ],
    [
      'duplicate-object',
      'ProfileSearch/a is the name of one object here and the former name of another there',
    ],
  ]);
  for (const { hint } of found) expect(hint).toContain('a third name');
});

it('what is known of a kind is told once, where it is declared first', () => {
  const { resources } = load({
    'config/a.yaml': 'kind: ProfileSearch\nlabel: a\n---\nkind: SimIntegration\nname: a\n',
    'config/b.yaml': 'kind: SimIntegration\nname: b\n',
  });
  expect(noticesOf(resources).map(brief)).toEqual(['sim-deprecated config/a.yaml:4:1']);
});
