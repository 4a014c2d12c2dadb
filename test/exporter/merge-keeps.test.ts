/** What a merge leaves alone: ignored values, files that others use, line ends, characters that UTF-8 cannot hold. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { changes, head, keeps, merge, mergeFile, mergeOne } from './merging.ts';
import { exportOf, integration, search, sender, statusRule, template, typeRule } from './support.ts';

describe('what stands under lifecycle.ignore', () => {
  const ignoring = (fields: string, ...places: string[]) =>
    `kind: SimIntegration\nname: I\n${fields}lifecycle:\n  ignore: ${JSON.stringify(places)}\n`;

  it('stays, also where the tenant has nothing there or something else', () => {
    const manifest = ignoring('attributes:\n  a: mine\n  b: mine\n', '/attributes/b');
    for (const b of ['theirs', null, 7, { c: 1 }])
      changes(manifest, integration('I', { attributes: { a: 'theirs', b } }), 'a: mine', 'a: theirs');
    changes(manifest, integration('I', { attributes: { a: 'theirs' } }), 'a: mine', 'a: theirs');
  });

  it('stays below a place that is ignored', () => {
    const manifest = ignoring('attributes:\n  a:\n    deep: mine\n', '/attributes/a');
    keeps(manifest, integration('I', { attributes: { a: { deep: 'theirs' } } }));
    const whole = ignoring('statusMap:\n  a: mine\n  b: mine\n', '/statusMap/b');
    changes(whole, integration('I', { statusMap: { a: 'theirs' } }), 'a: mine', 'a: theirs');
  });

  it.each([[null], [['theirs']]])('keeps an object around it where the tenant has %j', (attributes) => {
    const manifest = ignoring('attributes:\n  a: mine\n  b: mine\n', '/attributes/b');
    changes(manifest, integration('I', { attributes }), '  a: mine\n', '');
  });

  it('is not added to a value that is declared whole', () => {
    const manifest = ignoring('statusMap:\n  a: mine\n', '/statusMap/b');
    keeps(manifest, integration('I', { statusMap: { a: 'mine', b: 'theirs' } }));
  });

  it('stays in a reference, with whatever else changes', () => {
    const rule = 'beforeProvisioningRule:\n  type: RULE\n  id: r1\n  name: Mine\n';
    const manifest = ignoring(rule, '/beforeProvisioningRule/name');
    const theirs = (fields: object) =>
      integration('I', { beforeProvisioningRule: { type: 'RULE', id: 'r2', ...fields } });
    changes(manifest, theirs({ name: 'Theirs' }), 'r1', 'r2');
    changes(manifest, theirs({}), 'r1', 'r2');
    const without = ignoring(rule.replace('  type: RULE\n', ''), '/beforeProvisioningRule/type');
    changes(without, theirs({ name: 'Mine' }), 'r1', 'r2');
  });
});

describe('what the tenant does not show', () => {
  const desk = (fields: string) => `kind: SimIntegration\nname: I\n${fields}`;

  it('stays: a field, a masked member, and a secret that no answer has', () => {
    const manifest = desk(
      'sources: [s1]\nstatusMap: { a: mine }\nattributes:\n  url: u\n  pin: plain\n  password: !secret PW\n',
    );
    keeps(manifest, integration('I', { attributes: { url: 'u', pin: '********' } }));
    changes(manifest, integration('I', { attributes: { url: 'v', pin: '********' } }), 'url: u', 'url: v');
  });

  it('keeps no item of a list that stands behind a masked one', () => {
    const manifest = desk('attributes:\n  list: [x, y]\n');
    changes(manifest, integration('I', { attributes: { list: ['********'] } }), ', y', '');
  });

  it('is taken over as a secret where null is declared, or told in a list and of a whole field: a plan would clear it', () => {
    const merged = mergeOne(
      desk('attributes:\n  url: u\n  pin: null\n'),
      integration('I', { attributes: { url: 'u', pin: '********' } }),
    );
    expect(merged.changed[0]?.content).toContain('  pin: !secret SIM_INTEGRATION_I_ATTRIBUTES_PIN\n');
    const isTold = (fields: string, attributes: Json) =>
      expect(mergeOne(desk(fields), integration('I', { attributes }))).toMatchObject({
        ...{ changed: [], diagnostics: [{ code: 'not-declarable' }] },
      });
    isTold('attributes:\n  url: u\n  more: [null]\n', { url: 'u', more: ['********'] });
    isTold('attributes: null\n', '********');
  });

  it('is told where an overlay gives it, and nothing of it is written', () => {
    const manifest = 'kind: SimIntegration\nname: over\nstatusMap: { b: mine }\n';
    const live = integration('over', { sources: ['s9'], statusMap: { b: 'mine' } });
    const { changed, diagnostics } = mergeOne(manifest, live);
    expect(changed).toEqual([]);
    expect(diagnostics.map(({ code, message }) => `${code} ${message.split(' ')[0]}`)).toEqual([
      'set-by-overlay statusMap.a',
      'set-by-overlay beforeProvisioningRule',
    ]);
  });
});

describe('objects outside the scope', () =>
  it('get no manifest', () => {
    const live = [sender('in@acme.example'), sender('out@acme.example')];
    const more = { inScope: ({ address }: { address: string }) => address.includes('in%40') };
    const { created } = merge({ files: {}, live, more });
    expect(created.map(({ content }) => content).join()).toContain('in@acme.example');
    expect(created.map(({ content }) => content).join()).not.toContain('out@acme.example');
  }));

describe('a side file of a removed manifest', () => {
  const remove = (files: Readonly<Record<string, string>>) =>
    merge({ files, live: [template('b', { body: 'x', header: null })], more: { delete: true } }).deleted;
  const gone = `${head}body: !file a.html\n`;
  const stays = (path: string) => `${head.replace('key: a', 'key: b')}body: !file ${path}\n`;
  const texts = { 'config/a.html': 'x', 'config/a.yaml': gone };

  it.each(['a.html', './a.html', '../config/a.html'])('stays where another names it as %s', (path) =>
    expect(remove({ ...texts, 'config/b.yaml': stays(path) })).toEqual(['config/a.yaml']),
  );

  it('stays where a manifest in another folder or in the same file uses it', () => {
    expect(remove({ ...texts, 'config/more/b.yaml': stays('../a.html') })).toEqual(['config/a.yaml']);
    const files = { 'config/a.html': 'x', 'config/a.yaml': `${gone}---\n${stays('a.html')}` };
    const together = merge({ files, live: [template('b', { body: 'x' })], more: { delete: true } });
    expect(together.deleted).toEqual([]);
    expect(together.changed.map(({ path }) => path)).toEqual(['config/a.yaml']);
  });

  it('stays where a manifest uses it that was not read', () => {
    const files = { ...texts, 'config/b.yaml': stays('a.html') };
    const more: Parameters<typeof merge>[0]['more'] = { delete: true, inScope: ({ key }) => key[0] === 'a' };
    expect(merge({ files, live: [], more }).deleted).toEqual(['config/a.yaml']);
  });

  it('stays where it is inside the JSON of another', () => {
    const json = 'kind: SimIntegration\nname: I\nattributes:\n  a: !file a.html\n';
    const [files, live] = [{ ...texts, 'config/i.yaml': json }, integration('I', { attributes: { a: 'x' } })];
    expect(merge({ files, live: [live], more: { delete: true } }).deleted).toEqual(['config/a.yaml']);
  });

  it('stays where something else uses it', () => {
    const more = { delete: true, isUsedElsewhere: (path: string) => path === 'config/a.html' };
    expect(merge({ files: texts, live: [], more }).deleted).toEqual(['config/a.yaml']);
  });

  it('goes where only removed manifests use it', () =>
    expect(remove({ ...texts, 'config/b.yaml': stays('b.html'), 'config/b.html': 'x' })).toEqual([
      'config/a.html',
      'config/a.yaml',
    ]));
});

describe('the line ends of a file', () => {
  const desk = 'kind: SimIntegration\nname: I\n';
  const managedSources = ['s1', 's2', 's3'].map((id) => ({ id }));
  const crlf = (text: string) => text.replaceAll('\n', '\r\n');
  const bareFeeds = (text = '') => text.match(/(?<!\r)\n/g)?.length ?? 0;

  it.each<[string, string, ReturnType<typeof template>]>([
    ['a text of several lines', `${head}body: x\n`, template('a', { body: 'one\ntwo\n\nthree\nfour\n' })],
    ['a literal block', `${head}body: |\n  one\n  two\n`, template('a', { body: 'one\nnew\n\nthree\n' })],
    ['a block that ends with blank lines', `${head}body: |\n  one\n`, template('a', { body: 'new\n\n\n' })],
    ['a folded block', `${head}body: >\n  one\n  two\n`, template('a', { body: 'one\nnew\nthree\n' })],
    ['a mapping', `${desk}statusMap: x\n`, integration('I', { statusMap: { a: 'b', c: 'd' } })],
    ['new items of a list', `${desk}sources:\n  - s1\n`, integration('I', { managedSources })],
    [
      'new members',
      `${desk}statusMap:\n  a: b\n`,
      integration('I', { statusMap: { a: 'b', c: 'd', e: 'f' } }),
    ],
    [
      'new rules',
      'kind: ProfileSearch\nlabel: S\nrules:\n  - { type: ProfileStatusRule, comparison_operator: "==", value: Active }\n',
      search('S', [statusRule('Active'), typeRule('t')]),
    ],
  ])('stay CRLF around %s', (_, manifest, live) => {
    const result = mergeFile(crlf(manifest), live);
    expect(result).not.toBe(crlf(manifest));
    expect(bareFeeds(result)).toBe(0);
    const plain = mergeFile(manifest, live);
    expect(plain).not.toContain('\r');
    expect(result).toBe(crlf(plain));
  });

  it('stay CRLF in a side file, and stay as they are in one with others', () => {
    const text = 'one\ntwo\nthree\n';
    const change = (before: string, body: string) => {
      const files = { 'config/a.yaml': `${head}body: !file a.html\n`, 'config/a.html': before };
      return merge({ files, live: [template('a', { body })] }).changed[0]?.content;
    };
    const changed = text.replace('two', '2');
    expect(change(crlf(text), changed)).toBe(crlf(changed));
    expect(change(crlf(text), crlf(changed))).toBe(crlf(changed));
    expect(change(text, changed)).toBe(changed);
  });

  it('stay CRLF where new objects join the file', () => {
    const files = { 'config/sender-addresses.yaml': crlf('kind: SenderAddress\nemail: a@acme.example\n') };
    const live = ['a', 'b', 'c'].map((name) => sender(`${name}@acme.example`));
    const [changed] = merge({ files, live }).changed;
    expect(changed?.content).toContain('c@acme.example');
    expect(bareFeeds(changed?.content)).toBe(0);
  });
});

const [path, manifest] = ['config/a.yaml', `${head}subject: Mine\n`];

it.each([
  ['broken', 'subject: ['],
  ['empty', ''],
  ['a comment', '# nothing\n'],
  ['nested too deeply', `${manifest}a: ${'['.repeat(500)}${']'.repeat(500)}\n`],
  ['with an alias of itself', `${manifest}x: &x [*x]\n`],
  ['gone', null],
])(
  'a manifest that somebody changed after it was loaded stays as it is, with an error, where it is %s now',
  (_, text) => {
    const now: Record<string, string> = text === null ? {} : { [path]: text };
    const result = merge({ files: { [path]: manifest }, now, live: [template('a', { subject: 'Theirs' })] });
    expect(result).toMatchObject({ changed: [], created: [], deleted: [] });
    const address = 'NotificationTemplate/a/EMAIL/en';
    const source = { file: path };
    expect(result.diagnostics).toMatchObject([{ code: 'cannot-edit', severity: 'error', address, source }]);
  },
);

describe('half of a surrogate pair', () => {
  const text = `one\ntwo\nthree\nfour \ud83d five\n${'long '.repeat(60)}`;
  const files = { 'config/a.yaml': `${head}body: !file a.html\n`, 'config/a.html': 'old' };

  it('is not written into a side file, which would lose it', () => {
    const { files } = exportOf([template('a', { body: text })]);
    expect(files.map(({ path }) => path)).toEqual([expect.stringMatching(/\.yaml$/)]);
    expect(files[0]?.content).toContain('\\ud83d');
  });

  it('moves the text into the manifest where a side file had it', () => {
    const result = merge({ files, live: [template('a', { body: text })] });
    expect(result.changed.map(({ path }) => path)).toEqual(['config/a.yaml']);
    expect(result.changed[0]?.content).toContain('\\ud83d');
    expect(result.diagnostics.map(({ code }) => code)).toEqual(['tag-replaced']);
  });

  it('leaves whole pairs in their side files', () => {
    const whole = text.replace('\ud83d', '👩');
    const result = merge({ files, live: [template('a', { body: whole })] });
    expect(result.changed).toEqual([{ path: 'config/a.html', content: whole }]);
  });
});

describe('files that are there already', () => {
  it('are no place for the side file of a new manifest', () => {
    const mine = 'config/notification-templates/n/email.en.body.html';
    const result = merge({ files: { [mine]: 'mine' }, live: [template('n', { body: '<p>theirs</p>' })] });
    expect(result.changed).toEqual([]);
    const [side, manifest, ...others] = result.created;
    expect(others).toEqual([]);
    expect(side?.path).toMatch(/^config\/notification-templates\/n\/email\.en-[0-9a-f]{8}\.body\.html$/);
    expect(manifest?.content).toContain(`body: !file ${side?.path.split('/').at(-1)}\n`);
  });

  it.each([
    ['that holds nothing but blanks', '  \n\n', ''],
    ['without a last line end', 'kind: SenderAddress\nemail: a@acme.example', '\n---\n'],
    ['of Windows without a last line end', 'kind: SenderAddress\r\nemail: a@acme.example', '\r\n---\r\n'],
  ])('get new objects of their kind: one %s', (_, text, gap) => {
    const files = { 'config/sender-addresses.yaml': text };
    const live = [sender('a@acme.example'), sender('b@acme.example')].slice(gap === '' ? 1 : 0);
    const [changed] = merge({ files, live }).changed;
    const added = 'kind: SenderAddress\nemail: b@acme.example\n';
    const eol = gap.includes('\r') ? '\r\n' : '\n';
    expect(changed?.content).toBe(gap === '' ? added : text + gap + added.replaceAll('\n', eol));
  });
});

const managedSources = [
  { id: 's1', name: 'HR' },
  { id: 's2', name: 'AD' },
];

describe('comments beside a value that becomes a block', () => {
  const desk = 'kind: SimIntegration\nname: I\n';

  it('stay on the line of its key, also where ids in it get names', () => {
    const live = integration('I', { managedSources });
    const merged = mergeFile(`${desk}sources: !var ids # why\n# end\n`, live);
    expect(merged).toBe(`${desk}sources: # why\n  - s1  # HR\n  - s2  # AD\n# end\n`);
  });

  it('stay where they stood behind the mark of a text', () => {
    const text = `${desk}statusMap: | # why\n  {"a": "old"}\n\n# end\ndescription: d\n`;
    expect(mergeFile(text, integration('I', { statusMap: { a: 'x' }, description: 'd' }))).toBe(
      `${desk}statusMap: # why\n  a: x\n\n# end\ndescription: d\n`,
    );
  });
});

describe('a manifest that is written as JSON', () => {
  const declared = {
    ...{ kind: 'SimIntegration', name: 'I', cluster: 'c1', sources: ['s1'], description: 'old' },
    ...{ attributes: { url: 'a' }, statusMap: { a: 'x' } },
  };
  const statusMap = { a: { b: ['x', null, true] }, more: 'y' };
  const fields = { description: null, attributes: { url: 'b: c\u2028' }, statusMap };
  const live = integration('I', { clusterRef: { id: 'c2', name: 'East' }, managedSources, ...fields });
  const expected = { ...declared, cluster: 'c2', sources: ['s1', 's2'], ...fields };

  it.each([undefined, 2])('stays JSON, indented by %s', (indent) => {
    const { cluster, ...others } = declared;
    // An id in the last line would have room for a comment with its name.
    for (const members of [declared, { ...others, cluster }]) {
      const merged = mergeFile(`${JSON.stringify(members, null, indent)}\n`, live);
      expect(JSON.parse(merged)).toEqual(expected);
      keeps(merged, live);
    }
  });

  it('stays JSON where a member is added, such as the digest of a default', () => {
    const written = { kind: 'NotificationTemplate', key: 'a', medium: 'EMAIL', locale: 'en', subject: 's' };
    const files = { 'config/a.yaml': JSON.stringify(written, null, 2) };
    const theirs = template('a', { subject: 's' });
    const { changed } = merge({ files, live: [theirs], more: { standardOf: () => theirs } });
    const lifecycle = { basedOn: expect.stringMatching(/^sha256:/) };
    expect(JSON.parse(changed[0]?.content ?? '')).toEqual({ ...written, lifecycle });
  });
});
