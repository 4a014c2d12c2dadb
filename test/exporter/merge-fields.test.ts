/** Which parts of a field change in a manifest when the tenant has another value, and which stay as they are written. */
import { describe, expect, it } from 'vitest';
import type { Merge } from '../../src/exporter/merge.ts';
import type { LiveObject } from '../../src/kinds/kind.ts';
import { contentDigest } from '../../src/kinds/live-objects.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import {
  asFiles,
  changes,
  codes,
  head,
  keeps,
  merge,
  mergedOne,
  mergeFile,
  mergeOne,
  project,
} from './merging.ts';
import { answer, integration, load, ownObject, search, statusRule, template } from './support.ts';

const desk = 'kind: SimIntegration\nname: I\n';
const withRule = (rule: JsonObject | null, more: JsonObject = {}) =>
  integration('I', { beforeProvisioningRule: rule, ...more });

describe('a value that its schema does not accept', () => {
  it('is not written, and the fields beside it are', () => {
    const manifest = 'kind: AuthProfile\nname: P\ntype: MFA\napplicationId: old\n';
    const live = answer('AuthProfile', { name: 'P', type: 'NEW', applicationId: 'new' }, 'p1');
    expect(mergedOne(manifest, live)).toEqual([manifest.replace('old', 'new'), 'not-declarable']);
  });

  it('is another thing than a setting that is left out', () => {
    const live = integration('I', { attributes: { url: 'new', password: 4711 } });
    expect(mergedOne(`${desk}attributes:\n  url: old\n`, live)).toEqual([`${desk}attributes:\n  url: new\n`]);
  });
});

describe('a reference', () => {
  const byId = `${desk}beforeProvisioningRule:\n  type: RULE # t\n  id: r1 # i\n`;

  it('that is declared by its id needs no name', () => {
    changes(byId, withRule({ type: 'RULE', id: 'r2', name: 'New' }), 'r1', 'r2');
  });

  it('that is declared by its name gets the id that the tenant shows', () => {
    const manifest = `${desk}beforeProvisioningRule:\n  type: RULE # t\n  name: Old # n\n`;
    changes(manifest, withRule({ type: 'RULE', id: 'r2', name: 'New' }), 'Old # n\n', 'New # n\n  id: r2\n');
  });

  it('loses an id that the tenant does not show, and gets the name in its place', () => {
    changes(byId, withRule({ type: 'RULE', name: 'New' }), 'id: r1 # i', 'name: New');
  });

  it('keeps the tags of what stays', () => {
    const manifest = `${desk}beforeProvisioningRule: { type: RULE, id: r1, name: !var host }\n`;
    const merged = mergedOne(manifest, withRule({ type: 'RULE', id: 'r2', name: 'desk' }));
    expect(merged).toEqual([manifest.replace('r1', 'r2')]);
  });

  it('that a tag gives becomes a mapping, with a note', () => {
    const manifest = `${desk}beforeProvisioningRule: !var rule # why\n`;
    keeps(manifest, withRule({ type: 'RULE', id: 'r1', name: 'Mine' }));
    expect(mergedOne(manifest, withRule({ type: 'RULE', id: 'r2', name: 'Theirs' }))).toEqual([
      `${desk}beforeProvisioningRule: # why\n  type: RULE\n  name: Theirs\n  id: r2\n`,
      'tag-replaced',
    ]);
  });

  it('becomes null where the tenant has none, and a mapping where it was null', () => {
    const manifest = `${desk}beforeProvisioningRule: { type: RULE, id: r1 } # why\n`;
    changes(manifest, withRule(null), '{ type: RULE, id: r1 }', 'null');
    const unset = `${desk}beforeProvisioningRule: null\n`;
    changes(unset, withRule({ type: 'RULE', id: 'r1' }), ' null', '\n  type: RULE\n  id: r1');
  });
});

describe('rules', () => {
  const rule = (value: string, more: JsonObject = {}) => ({
    ...{ type: 'ProfileAttributeRule', object_type: 'NeAttribute', condition_object_id: 'a1' },
    ...{ comparison_operator: '==', value, ...more },
  });
  const written = (value: string, more = '') =>
    `kind: ProfileSearch\nlabel: S\nrules:\n  - type: ProfileAttributeRule # why\n    object_type: NeAttribute\n    condition_object_id: a1\n    comparison_operator: "=="\n    value: ${value}\n${more}`;

  it('lose a member that the tenant does not have, and keep one that is declared unset', () => {
    expect(mergeFile(written('x', '    extra: old\n'), search('S', [rule('z')]))).toBe(written('z'));
    const unset = written('x', '    extra: null # none\n');
    changes(unset, search('S', [rule('z')]), 'value: x', 'value: z');
  });

  it('get the value of a member that is declared unset, alone or with others', () => {
    const unset = written('x', '    extra: null # none\n');
    const theirs = (value: string) => search('S', [rule(value, { extra: 'theirs' })]);
    changes(unset, theirs('x'), 'null', 'theirs');
    expect(mergeFile(unset, theirs('z'))).toBe(written('z', '    extra: theirs # none\n'));
  });

  it('do not get members that they do not declare', () =>
    expect(mergeFile(written('x'), search('S', [rule('z', { extra: 'theirs' })]))).toBe(written('z')));

  it('that a tag gives stay while they agree, and become mappings where they do not', () => {
    const manifest = 'kind: ProfileSearch\nlabel: S\nrules:\n  - !var condition # why\n';
    const same = mergeOne(manifest, search('S', [statusRule('Active')]));
    expect([same.changed, codes(same)]).toEqual([[], []]);
    const added = mergeOne(manifest, search('S', [statusRule('Active'), statusRule('Inactive')]));
    expect(added.changed[0]?.content).toContain('  - !var condition # why\n');
    expect(codes(added)).toEqual([]);
    const other = mergeOne(manifest, search('S', [statusRule('Inactive')]));
    expect(other.changed[0]?.content).not.toContain('!var');
    expect(other.changed[0]?.content).toContain('value: Inactive');
    expect(codes(other)).toEqual(['tag-replaced']);
  });

  it('go, and come where there were none', () => {
    const none = 'kind: ProfileSearch\nlabel: S\nrules: []\n';
    expect(mergeFile(written('x'), search('S', []))).toBe(none);
    expect(mergeFile(none, search('S', [rule('x')]))).toContain('value: x }]\n');
  });
});

describe('a side file', () =>
  it('is left where the tenant has no text', () => {
    const files = { 'config/a.yaml': `${head}body: !file a.html # why\n`, 'config/a.html': 'old' };
    const result = merge({ files, live: [template('a', { body: null })] });
    expect(result.changed).toEqual([{ path: 'config/a.yaml', content: `${head}body: null # why\n` }]);
    expect(codes(result)).toEqual(['tag-replaced']);
  }));

describe('a list of ids with a secret in it', () => {
  const manifest = `${desk}sources:\n  - !secret PW\n  - s2\n`;
  const shown = (...ids: string[]) =>
    mergeOne(manifest, integration('I', { managedSources: ids.map((id) => ({ id })) }));

  it('stays without a word where the tenant shows the same', () => {
    for (const result of [shown('clear', 's2'), shown('s2', 'clear')])
      expect(result).toMatchObject({ changed: [], diagnostics: [] });
  });

  it.each([
    ['another id', ['clear', 's3']],
    ['the secret after another id', ['s3', 'clear']],
    ['one more', ['clear', 's2', 's3']],
    ['one less', ['clear']],
    ['another secret', ['x', 's2']],
  ])('stays as a whole where the tenant shows %s: any of its ids may be the secret', (_, ids) => {
    const result = shown(...ids);
    expect(result.changed).toEqual([]);
    expect(result.diagnostics).toMatchObject([{ code: 'secret-kept', severity: 'error' }]);
  });
});

describe('what an overlay sets', () => {
  const noted = (result: Merge) =>
    result.diagnostics.map(({ code, message }) => `${code} ${message.split(' ')[0]}`);

  it('is not written into lists, references and JSON', () => {
    const manifest =
      'kind: SimIntegration\nname: over\ndescription: Old\nsources:\n  - s1\nstatusMap:\n  a: mine\n  b: mine\nbeforeProvisioningRule:\n  type: RULE\n  id: r1\n';
    const statusMap = { a: 'theirs', b: 'theirs' };
    const beforeProvisioningRule = { type: 'RULE', id: 'x2' };
    const theirs = { managedSources: [{ id: 'x1' }], statusMap, beforeProvisioningRule };
    const live = integration('over', { description: 'New', ...theirs });
    const result = mergeOne(manifest, live);
    expect(result.changed[0]?.content).toBe(manifest.replace('Old', 'New').replace('b: mine', 'b: theirs'));
    const places = ['sources', 'statusMap.a', 'beforeProvisioningRule.id'];
    expect(noted(result)).toEqual(places.map((place) => `set-by-overlay ${place}`));
  });

  it.each(['{ a: x }', '{ a: x, gone: mine }'])(
    'is not put back where the overlay removes it from %s, and the rest is merged',
    (statusMap) => {
      const manifest = `kind: SimIntegration\nname: removing\ndescription: Old\nstatusMap: ${statusMap}\n`;
      const theirs = { statusMap: { a: 'x', gone: 'theirs' }, attributes: { user: 'ours' } };
      const live = integration('removing', { description: 'New', ...theirs });
      const result = mergeOne(manifest, live);
      expect(result.changed[0]?.content).toBe(manifest.replace('Old', 'New'));
      expect(noted(result)).toEqual(['set-by-overlay statusMap.gone']);
    },
  );

  it('is no reason to list the credential that the tenant has in its place', () => {
    const manifest = 'kind: SimIntegration\nname: removing\nattributes: { user: mine }\n';
    const theirs = { user: 'https://svc:Sommerwind7@desk.example/' };
    const result = mergeOne(manifest, integration('removing', { attributes: theirs }));
    expect(noted(result)).toEqual(['set-by-overlay attributes.user']);
    expect(result).toMatchObject({ created: [], changed: [] });
  });

  it('keeps the tag of the value that it is merged with, and the rest is merged', () => {
    const manifest =
      'kind: SimIntegration\nname: removing\ndescription: Old\nattributes: !var settings # ours\n';
    const theirs = (attributes: Json) =>
      mergeOne(manifest, integration('removing', { description: 'New', attributes }));
    for (const [attributes, place] of [
      [{ url: 'other', user: 'ours' }, 'attributes'],
      [{ url: 'https://desk/', user: 'theirs' }, 'attributes.user'],
    ] as const) {
      const result = theirs(attributes);
      expect(result.changed[0]?.content).toBe(manifest.replace('Old', 'New'));
      expect(noted(result)).toEqual([`set-by-overlay ${place}`]);
    }
  });
});

describe('an object that is pinned by its id', () => {
  const profile = (name: string | null) => answer('AuthProfile', { name, type: 'MFA' }, 'p1');

  it('keeps its name where the tenant shows none', () => {
    const manifest = 'kind: AuthProfile\nid: "p1"\nname: Mine\ntype: MFA\n';
    expect(mergeOne(manifest, profile(null))).toMatchObject({ changed: [], diagnostics: [] });
    expect(mergeOne(manifest, profile('Mine'))).toMatchObject({ changed: [], diagnostics: [] });
  });

  it('has other secrets than the object that has its former name now', () => {
    const named = (name: string, id: string) => integration(name, { id, attributes: { token: id } });
    const files = { 'config/a.yaml': 'kind: SimIntegration\nid: i1\nname: A\nattributes: null\n' };
    const { changed, created } = merge({ files, live: [named('B', 'i1'), named('A', 'i2')] });
    const secretsIn = (content = '') => content.match(/\bSIM_\w+/g);
    expect(secretsIn(changed[0]?.content)).toEqual(['SIM_INTEGRATION_B_ATTRIBUTES_TOKEN']);
    expect(created.map(({ content }) => secretsIn(content))).toEqual([
      ['SIM_INTEGRATION_A_ATTRIBUTES_TOKEN', 'SIM_INTEGRATION_B_ATTRIBUTES_TOKEN'],
      ['SIM_INTEGRATION_A_ATTRIBUTES_TOKEN'],
    ]);
  });

  it('gets no name that it did not have', () =>
    changes('kind: AuthProfile\nid: "p1"\ntype: PTA\n', profile('Theirs'), 'PTA', 'MFA'));
});

describe('the default that a template was made from', () => {
  const standardOf = (subject: string) => template('a', { subject });
  const digestOf = (standard: LiveObject) => contentDigest(standard.kind, standard);
  const mergeBased = (manifest: string, standard: LiveObject | null) =>
    mergeOne(manifest, template('a', { subject: 'S' }), { standardOf: () => standard }).changed[0]?.content;

  it('is written down where nothing says so yet', () => {
    const standard = standardOf('Default');
    const digest = digestOf(standard);
    const manifest = `${head}subject: S # s\n`;
    expect(mergeBased(manifest, standard)).toBe(`${manifest}lifecycle:\n  basedOn: ${digest}\n`);
    const protectedOne = `${manifest}lifecycle:\n  protect: true # p\n`;
    expect(mergeBased(protectedOne, standard)).toBe(`${protectedOne}  basedOn: ${digest}\n`);
    expect(mergeBased(manifest, null)).toBeUndefined();
  });

  it('stays, so that a default that moved is told', () => {
    const manifest = `${head}subject: S\nlifecycle:\n  basedOn: ${digestOf(standardOf('Default'))}\n`;
    const more = { standardOf: () => standardOf('Moved') };
    expect(mergedOne(manifest, template('a', { subject: 'S' }), more)).toEqual([manifest]);
  });

  it('is not written where an overlay sets what stands beside it', () => {
    const manifest = `${head.replace('key: a', 'key: guarded')}subject: S\n`;
    const more = { standardOf: () => standardOf('Default') };
    expect(mergeOne(manifest, template('guarded', { subject: 'S' }), more).changed).toEqual([]);
  });
});

describe('references of a kind of one’s own', () => {
  const readOnly = (kind: string, path: string) =>
    `kind: ${kind}\nsummary: Only read.\npath: ${path}\nkey: name\n`;
  const kinds = {
    'kinds/Role.kind.yaml':
      'kind: Role\nsummary: Access.\npath: /v2025/roles\nkey: name\nlist: { pageSize: 50 }\nupdate: json-patch\ncreate: true\ndelete: true\nfields:\n  owner: { is: reference, to: Identity, type: IDENTITY }\n  members: { is: references, to: Identity, type: IDENTITY }\n  cluster: { is: value, to: Cluster }\nserverOwned: [id]\n',
    'kinds/Identity.kind.yaml': readOnly('Identity', '/v2025/identities'),
    'kinds/Cluster.kind.yaml': readOnly('Cluster', '/v2025/managed-clusters'),
  };
  const people = { i1: 'Identity/Ann', i2: 'Identity/Ben' };
  const names: Readonly<Record<string, string>> = { c1: 'Cluster/va', c2: 'Cluster/eu', ...people };
  function mergeRole(content: string, raw: JsonObject) {
    const files = { ...kinds, 'config/a.yaml': content };
    const kind = load(asFiles(files), {}, project).environment.kinds.get('Role');
    const live = [ownObject(kind, { name: 'R', ...raw })];
    return merge({ files, live, more: { nameOf: (_, id) => names[id] ?? null } });
  }
  const role = 'kind: Role\nname: R\n';

  it('take the place of ids and of each other without a note', () => {
    for (const before of ['c9', '!ref Cluster/old']) {
      const shown = { cluster: 'c2', more: { id: 'c2', name: 'Europe' } };
      const result = mergeRole(`${role}cluster: ${before} # ours\n`, shown);
      expect(result.changed[0]?.content).toBe(`${role}cluster: !ref Cluster/eu # ours\n`);
      expect(codes(result)).toEqual([]);
    }
  });

  it('take the place of another tag with a note', () => {
    const result = mergeRole(`${role}cluster: !var host\n`, { cluster: 'c2' });
    expect(result.changed[0]?.content).toBe(`${role}cluster: !ref Cluster/eu\n`);
    expect(codes(result)).toEqual(['tag-replaced']);
    const plain = mergeRole(`${role}cluster: !ref Cluster/va\n`, { cluster: 'unknown' });
    expect(plain.changed[0]?.content).toBe(`${role}cluster: unknown\n`);
    expect(codes(plain)).toEqual(['tag-replaced']);
  });

  it('in a list change one by one', () => {
    const manifest = `${role}members:\n  - { type: IDENTITY, id: i9 } # first\n  - { type: IDENTITY, id: i8 } # second\n`;
    const live = { members: ['i8', 'i2', 'i1'].map((id) => ({ type: 'IDENTITY', id })) };
    expect(mergeRole(manifest, live).changed[0]?.content).toBe(
      `${role}members:\n  - !ref Identity/Ann # first\n  - { type: IDENTITY, id: i8 } # second\n  - !ref Identity/Ben\n`,
    );
  });
});
