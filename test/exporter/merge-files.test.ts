import { describe, expect, it } from 'vitest';
import { changes, codes, head, keeps, merge, mergedOne, mergeFile, mergeOne } from './merging.ts';
import { answer, integration, search, sender, statusRule, template, typeRule } from './support.ts';

describe('side files', () => {
  const manifest = `${head}body: !file a.html # b\n`;

  it('get the new text, byte for byte, and the manifest stays', () => {
    const files = { 'config/a.yaml': manifest, 'config/a.html': 'old' };
    const result = merge({ files, live: [template('a', { body: '<p>\r\n new </p> ' })] });
    expect(result.changed).toEqual([{ path: 'config/a.html', content: '<p>\r\n new </p> ' }]);
    expect(result.diagnostics).toEqual([]);
  });

  it('of JSON fields are written as JSON, unless a credential would be in them', () => {
    const json = 'kind: SimIntegration\nname: I\nattributes: !file a.json\n';
    const files = { 'config/a.yaml': json, 'config/a.json': '{"url":"a"}' };
    const result = merge({ files, live: [integration('I', { attributes: { url: 'b' } })] });
    expect(result.changed).toEqual([{ path: 'config/a.json', content: '{\n  "url": "b"\n}\n' }]);
    const clear = { ...files, 'config/a.json': '{"url":"a","password":"old"}' };
    const live = [integration('I', { attributes: { url: 'b', password: 'new' } })];
    const secret = merge({ files: clear, live });
    expect(secret.changed.map(({ path }) => path)).toEqual(['config/a.yaml']);
    expect(secret.changed[0]?.content).toContain('password: !secret SIM_INTEGRATION_I_ATTRIBUTES_PASSWORD');
  });

  it('keep the byte order mark that an editor put there, and get none as part of a text', () => {
    const files = { 'config/a.yaml': manifest, 'config/a.html': '\uFEFFold' };
    const changed = (body: string) => merge({ files, live: [template('a', { body })] }).changed;
    expect(changed('old')).toEqual([]);
    expect(changed('new')).toEqual([{ path: 'config/a.html', content: '\uFEFFnew' }]);
    const inManifest = { path: 'config/a.yaml', content: `${head}body: "\\ufeffnew" # b\n` };
    expect(changed('\uFEFFnew')).toEqual([inManifest]);
  });

  it('that others need as they are stay; the text goes into the manifest', () => {
    const other = manifest.replace('key: a', 'key: b');
    const result = merge({
      files: { 'config/a.yaml': manifest, 'config/b.yaml': other, 'config/a.html': 'old' },
      live: [template('a', { body: 'new' }), template('b', { body: 'old' })],
    });
    const used = merge({
      files: { 'config/a.yaml': manifest, 'config/a.html': 'old' },
      live: [template('a', { body: 'new' })],
      more: { isUsedElsewhere: (path) => path === 'config/a.html' },
    });
    for (const each of [result, used]) {
      expect(each.changed).toEqual([{ path: 'config/a.yaml', content: `${head}body: new # b\n` }]);
      expect(codes(each)).toEqual(['tag-replaced']);
    }
  });

  describe('that two fields of one document share', () => {
    const shared = `${manifest}header: !file a.html\n`;
    const files = { 'config/a.yaml': shared, 'config/a.html': 'old' };
    const merging = (body: string, header: string) =>
      merge({ files, live: [template('a', { body, header })] });
    const manifestOf = (fields: string) => [{ path: 'config/a.yaml', content: head + fields }];

    it('stay where the fields no longer want the same; the texts go into the manifest', () => {
      const one = merging('new', 'old');
      expect(one.changed).toEqual(manifestOf('body: new # b\nheader: !file a.html\n'));
      expect(codes(one)).toEqual(['tag-replaced']);
      expect(merging('BODY', 'HEADER').changed).toEqual(manifestOf('body: BODY # b\nheader: HEADER\n'));
    });

    it('get the new text where they want the same', () =>
      expect(merging('new', 'new').changed).toEqual([{ path: 'config/a.html', content: 'new' }]));
  });
});

describe('lists', () => {
  const manifest = `kind: SimIntegration
name: I
# what it serves
sources:
  - s1   # first
  # second
  - 's2'
  - s3
`;
  const live = (...sources: readonly string[]) =>
    integration('I', { managedSources: sources.map((id) => ({ id })) });

  it('lose, gain and change items in place', () => {
    changes(manifest, live('s3', 's1'), "  - 's2'\n", '');
    expect(mergeFile(manifest, live('s1', 's2', 's3', 's4'))).toBe(`${manifest}  - s4\n`);
    changes(manifest, live('s1', 'x', 's3'), "'s2'", "'x'");
    expect(mergeFile(manifest, live())).toContain('sources: []\n');
  });

  it('in flow style stay in it', () => {
    const flow = 'kind: SimIntegration\nname: I\nsources: [ s1,\n  s2, # two\n  s3\n]\n';
    changes(flow, live('s1', 's2', 's3', 's4'), '  s3\n', '  s3,\n  s4\n');
    changes(flow, live('s1', 's3'), '  s2, # two\n', '');
  });

  it('of rules keep those that fit, wherever they stand', () => {
    const type = typeRule('t1');
    const rules = `kind: ProfileSearch\nlabel: S\nrules:\n  # who\n  - { type: ProfileStatusRule, comparison_operator: "==", value: Active } # a\n  - type: ProfileTypeRule # t\n    comparison_operator: ==\n    value: t1\n`;
    changes(rules, search('S', [type, statusRule('Inactive')]), 'value: Active', 'value: Inactive');
    expect(mergeFile(rules, search('S', [type]))).not.toContain('ProfileStatusRule');
  });

  it('of rules lose and gain several at once', () => {
    const line = (value: string) =>
      `  - { type: ProfileStatusRule, comparison_operator: "==", value: ${value} } # ${value}\n`;
    const head = 'kind: ProfileSearch\nlabel: S\nrules:\n';
    const rules = (...values: string[]) => head + values.map(line).join('');
    const three = ['Active', 'Inactive', 'Terminated'];
    expect(mergeFile(rules(...three), search('S', [statusRule('Inactive')]))).toBe(rules('Inactive'));
    const all = mergeFile(rules('Active'), search('S', three.map(statusRule)));
    expect([...all.matchAll(/value: (\w+)/g)].map(([, value]) => value)).toEqual(three);
  });
});

describe('names beside ids', () => {
  const live = (cluster: string, ...sources: string[]) =>
    integration('I', {
      clusterRef: { id: cluster, name: `name of ${cluster}` },
      managedSources: sources.map((id) => ({ id, name: `name of ${id}` })),
    });
  const before =
    'kind: SimIntegration\nname: I\ncluster: c1  # name of c1\nsources:\n  - s1  # name of s1\n  - s2  # name of s2\n';

  it('change with the id, come with a new one, and go with one that is gone', () => {
    keeps(before, live('c1', 's1', 's2'));
    expect(mergeFile(before, live('c2', 's1', 's3', 's4'))).toBe(
      before
        .replace('c1  # name of c1', 'c2  # name of c2')
        .replace('s2  # name of s2\n', 's3  # name of s3\n  - s4  # name of s4\n'),
    );
    changes(before, live('c1', 's2'), '  - s1  # name of s1\n', '');
  });

  it('are not written into lists on one line, nor changed where the id stays', () => {
    const inline = 'kind: SimIntegration\nname: I\ncluster: c1 # ours\nsources: [s1, s2] # both\n';
    changes(inline, live('c1', 's1', 's3'), 's2', 's3');
  });
});

describe('overlays', () =>
  it('are not written into manifests', () => {
    const manifest = head.replace('key: a', 'key: over');
    const text = (subject: string) => `${manifest}replyTo: mine@acme.example\nsubject: ${subject}\n`;
    const live = template('over', { replyTo: 'live@acme.example', subject: 'New' });
    expect(mergedOne(text('Old'), live)).toEqual([text('New'), 'set-by-overlay']);
  }));

describe('objects', () => {
  const senders =
    '# ours\nkind: SenderAddress\nemail: a@acme.example\n---\n# theirs\nkind: SenderAddress\nemail: b@acme.example # b\n';
  const files = { 'config/sender-addresses.yaml': senders };
  const three = ['a', 'b', 'c'].map((name) => sender(`${name}@acme.example`));

  it('that are new get files, and those of flat kinds join theirs', () => {
    const [flat, own] = ['config/sender-addresses.yaml', 'config/notification-templates/n/email.en.yaml'];
    const result = merge({ files, live: [...three, template('n', { subject: 'N' })] });
    const content = `${senders}---\nkind: SenderAddress\nemail: c@acme.example\n`;
    expect(result.changed).toEqual([{ path: flat, content }]);
    expect(result.created.map(({ path }) => path)).toEqual([own]);
    expect(result.newManifests.toSorted()).toEqual([own, flat]);
  });

  it('that are in no manifest are counted, and added only where that is asked for', () => {
    const live = [...three, template('n', {}, 'PIGEON')];
    const result = merge({ files, live, more: { all: false } });
    expect(result).toMatchObject({ changed: [], created: [], undeclared: 1, diagnostics: [] });
    const all = merge({ files, live });
    expect(all).toMatchObject({ changed: { length: 1 }, undeclared: 0 });
    expect(codes(all)).toEqual(['not-declarable']);
  });

  it('of the layout before are updated where they are, others go to the folder of their key', () => {
    const old = 'config/notification-templates/a.email.en';
    const before = {
      [`${old}.yaml`]: `${head}body: !file a.email.en.body.html\n`,
      [`${old}.body.html`]: 'Plain\ntext\nof\nfour lines',
    };
    const same = template('a', { body: before[`${old}.body.html`] ?? '' });
    expect(merge({ files: before, live: [same] })).toMatchObject({ changed: [], created: [], deleted: [] });
    const live = [template('a', { body: 'New' }), template('a', {}, 'EMAIL', 'de')];
    const result = merge({ files: before, live });
    expect(result.changed).toEqual([{ path: `${old}.body.html`, content: 'New' }]);
    expect(result.created.map(({ path }) => path)).toEqual(['config/notification-templates/a/email.de.yaml']);
  });

  it('that are new look for a few files each, however many there are', () => {
    const lookUps = (count: number) => {
      const live = Array.from({ length: count }, (_, at) => template(`t${at}`, { body: `<p>${at}</p>` }));
      let looked = 0;
      const read = () => {
        looked += 1;
        return null;
      };
      expect(merge({ files: {}, live, more: { read } }).created).toHaveLength(2 * count);
      return looked;
    };
    expect(lookUps(40)).toBeLessThanOrEqual(2 * lookUps(20));
  });

  it('never take the place of a file that is there', () => {
    const path = 'config/notification-templates/n/email.en.yaml';
    const result = merge({ files: { [path]: head }, live: [template('a'), template('n', { subject: 'N' })] });
    expect(result.changed).toEqual([]);
    const [{ path: other } = { path: '' }] = result.created;
    expect(other).toMatch(/^config\/notification-templates\/n\/email\.en-[0-9a-f]{8}\.yaml$/);
  });

  it('that are gone are reported, and their documents removed when asked for', () => {
    const reported = merge({ files, live: [sender('a@acme.example')] });
    expect(reported).toMatchObject({ changed: [], deleted: [], gone: ['SenderAddress/b%40acme.example'] });
    expect(codes(reported)).toEqual(['object-gone']);
    const removed = merge({ files, live: [sender('a@acme.example')], more: { delete: true } });
    expect(removed.changed[0]?.content).toBe('# ours\nkind: SenderAddress\nemail: a@acme.example\n');
    const message = 'The tenant no longer has SenderAddress/b%40acme.example; its document was removed.';
    expect(removed.diagnostics).toMatchObject([{ message }]);
    expect(merge({ files, live: [], more: { delete: true } }).deleted).toEqual(Object.keys(files));
  });

  it.each([
    ['between two others', 'a', 'c', 'kind: A\n...\n# c\nkind: C\n'],
    ['before another', 'b', 'c', '---\n# b\nkind: B\n...\n# c\nkind: C\n'],
    ['after others', 'a', 'b', 'kind: A\n---\n# b\nkind: B\n...\n'],
    ['more than one', 'c', 'c', '...\n# c\nkind: C\n'],
  ])('%s are removed, but no end that another may need', (_, one, other, left) => {
    const asSender = (text: string) =>
      text.replaceAll(/kind: (.)/g, 'kind: SenderAddress\nemail: $1@acme.example').replaceAll(/.@/g, lower);
    const lower = (name: string) => name.toLowerCase();
    const text = asSender('kind: A\n---\n# b\nkind: B\n...\n# c\nkind: C\n');
    const live = [one, other].map((name) => sender(`${name}@acme.example`));
    const { changed } = merge({ files: { 'config/a.yaml': text }, live, more: { delete: true } });
    expect(changed[0]?.content).toBe(asSender(left));
  });

  it('after the end of another change like others', () => {
    const text = `${head}subject: S\n...\n# c\n${head.replace('key: a', 'key: c')}subject: Old # why\n`;
    const live = [template('a', { subject: 'S' }), template('c', { subject: 'New' })];
    const changed = [{ path: 'config/a.yaml', content: text.replace('Old', 'New') }];
    expect(merge({ files: { 'config/a.yaml': text }, live })).toMatchObject({ changed, diagnostics: [] });
  });

  it('take their side files with them, unless others need those', () => {
    const files = { 'config/a.html': 'x', 'config/a.yaml': `${head}body: !file a.html\n` };
    expect(merge({ files, live: [], more: { delete: true } }).deleted).toEqual(Object.keys(files));
  });

  it('of which nothing was read stay as they are', () => {
    const inScope = ({ key }: { key: readonly string[] }) => key[0] === 'b@acme.example';
    const result = merge({ files, live: [], more: { delete: true, inScope } });
    expect(result.gone).toEqual(['SenderAddress/b%40acme.example']);
  });

  it('declared absent stay declared so', () => {
    const manifest = 'kind: SenderAddress\nemail: a@acme.example\nensure: absent\n';
    const result = mergeOne(manifest, sender('a@acme.example'));
    expect(result).toMatchObject({ changed: [], created: [], gone: [] });
    expect(codes(result)).toEqual(['object-still-there']);
    const files = { 'config/a.yaml': 'kind: SimIntegration\nname: I\nensure: absent\n' };
    expect(merge({ files, live: [integration('I', { description: 'x' })] }).changed).toEqual([]);
    const gone = merge({ files, live: [], more: { delete: true } });
    expect(gone).toMatchObject({ changed: [], deleted: [], gone: [], diagnostics: [] });
  });

  it('pinned by id take the name they have now', () => {
    const manifest = 'kind: AuthProfile\nid: "p1"\nname: Old # n\ntype: MFA\n';
    const live = answer('AuthProfile', { name: 'New', type: 'MFA' }, 'p1');
    changes(manifest, live, 'Old', 'New');
  });

  it('that a manifest renames get no second one, where the rename does not happen', () => {
    const manifest = 'kind: SimIntegration\nname: New\ntype: Jira\nlifecycle: { renamedFrom: Old }\n';
    const live = [integration('New', { type: 'Jira' }), integration('Old', { type: 'Jira' })];
    const files = { 'config/a.yaml': manifest };
    const result = merge({ files, live });
    expect(result).toMatchObject({ changed: [], created: [], undeclared: 0 });
    const at = (line: number) => ({ file: 'config/a.yaml', line });
    const message = expect.stringContaining('SimIntegration/New exists as well');
    const told = { code: 'not-exported', address: 'SimIntegration/Old', message, source: at(4) };
    expect(result.diagnostics).toMatchObject([told]);
    expect(merge({ files, live, more: { all: false } }).diagnostics).toEqual([]);
    expect(merge({ files, live: live.slice(0, 1) }).diagnostics).toEqual([]);
    const kept = { code: 'rename-kept', address: 'SimIntegration/New', source: at(4) };
    const renamed = merge({ files, live: live.slice(1) });
    expect(renamed).toMatchObject({ changed: [], created: [], diagnostics: [kept] });
    const elsewhere = { inScope: ({ key }: { key: readonly string[] }) => key[0] === 'New' };
    expect(merge({ files, live, more: elsewhere }).diagnostics).toEqual([]);
  });

  it('with ignored fields keep them', () => {
    const manifest = `${head}subject: Mine\nlifecycle: { ignore: [/subject] }\n`;
    keeps(manifest, template('a', { subject: 'Theirs' }));
  });
});
