import { describe, expect, it } from 'vitest';
import { type ExportedFile, type Merge, type MergeInput, mergeExport } from '../../src/exporter/index.ts';
import type { LiveObject } from '../../src/model/live.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { fillLookups } from '../../src/planner/index.ts';
import { secretsOf } from '../support/plan.ts';
import { answer, integration, load, planFor, search, sender, template } from './support.ts';

const project = `version: 1
manifests: ["config/**/*.yaml"]
environments:
  test:
    sandbox: {}
    variables: { help: help@acme.example, host: desk, settings: { url: "https://desk/", user: svc } }
    overlays:
      - { target: NotificationTemplate/over/*/*, merge: { replyTo: overlay@acme.example } }
`;

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly live: readonly LiveObject[];
  readonly more?: Partial<Pick<MergeInput, 'delete' | 'inScope'>>;
}

const asFiles = (files: Readonly<Record<string, string>>): ExportedFile[] =>
  Object.entries(files).map(([path, content]) => ({ path, content }));

function merge({ files, live, more = {} }: Case): Merge {
  const resources = fillLookups(load(asFiles(files), {}, project).resources, () => 'a1');
  const read = (path: string) => (Object.hasOwn(files, path) ? (files[path] ?? null) : null);
  const rest = {
    settings: contractSettings,
    records: new Map(),
    folder: 'config',
    inScope: () => true,
    secrets: secretsOf({ PW: 'clear' }),
    delete: false,
    ...more,
  };
  return mergeExport({ objects: live, resources, read, ...rest });
}

/** The one file that changes. */
function merged(content: string, ...live: readonly LiveObject[]): string {
  const result = merge({ files: { 'config/a.yaml': content }, live });
  expect(result.created).toEqual([]);
  return result.changed[0]?.content ?? content;
}

const head = 'kind: NotificationTemplate\nkey: a\nmedium: EMAIL\nlocale: en\n';
const codes = ({ diagnostics }: Merge) => diagnostics.map(({ code }) => code);

describe('values', () => {
  it('change where they stand, in their own style', () => {
    const content = `# Top\n${head}subject: 'It''s old'   # why\n\n# the body\nbody: |  # html\n    <p>one</p>\n\n    <p>two</p>\n\nname: "N"\n`;
    const live = template('a', { subject: "It's new", body: '<p>one</p>\n\n<p>2</p>\n', name: 'N' });
    expect(merged(content, live)).toBe(
      content.replace("'It''s old'", "'It''s new'").replace('<p>two</p>', '<p>2</p>'),
    );
  });

  it('stay when only case or line endings differ', () => {
    const content = `${head}replyTo: Help@Acme.example\nbody: "a\\nb"\n`;
    expect(merged(content, template('a', { replyTo: 'help@acme.example', body: 'a\r\nb' }))).toBe(content);
  });

  it('are not added where the manifest says nothing', () => {
    expect(merged(head, template('a', { subject: 'Live', body: 'Text' }))).toBe(head);
  });

  it('become null when the tenant has none', () => {
    expect(merged(`${head}subject: Old # s\n`, template('a', {}))).toBe(`${head}subject: null # s\n`);
  });

  it('keep the line endings and the byte order mark of their file', () => {
    const content = `\ufeff${head}slackTemplate:\n  text: a\n`.replaceAll('\n', '\r\n');
    const live = template('a', { slackTemplate: { text: 'a', blocks: [{ b: 1 }] } });
    expect(merged(content, live)).toBe(`${content}  blocks:\r\n    - b: 1\r\n`);
  });

  it('change behind an alias without touching its anchor', () => {
    const content = `${head}slackTemplate: &t { text: Hi } # one\nteamsTemplate: *t\n`;
    const live = template('a', { slackTemplate: { text: 'Hi' }, teamsTemplate: { text: 'Ho' } });
    expect(merged(content, live)).toBe(content.replace(' *t', '\n  text: Ho'));
  });

  it('change at an anchor without touching what its aliases stand for', () => {
    const content = `${head}slackTemplate: &t { text: Hi } # one\nteamsTemplate: *t\n`;
    const live = template('a', { slackTemplate: { text: 'Ho' }, teamsTemplate: { text: 'Hi' } });
    const result = merged(content, live);
    expect(result).toContain('slackTemplate: &t { text: Ho } # one\n');
    expect(planFor(load(asFiles({ 'config/a.yaml': result }), {}, project), [live]).changes).toEqual([]);
  });
});

describe('tags', () => {
  const content = `${head}replyTo: !var help # h\nsubject: !format "On %{host}"\n`;

  it('are kept while their value fits', () => {
    expect(merged(content, template('a', { replyTo: 'help@acme.example', subject: 'On desk' }))).toBe(
      content,
    );
  });

  it('give way to a plain value, and a remark, when it does not', () => {
    const result = merge({
      files: { 'config/a.yaml': content },
      live: [template('a', { replyTo: 'other@acme.example', subject: 'On desk' })],
    });
    expect(result.changed[0]?.content).toBe(content.replace('!var help', 'other@acme.example'));
    expect(result.diagnostics).toMatchObject([
      { code: 'tag-replaced', severity: 'info', source: { file: 'config/a.yaml', line: 5 } },
    ]);
  });

  it('stay when they give a whole mapping that fits, and become one when it does not', () => {
    const manifest = 'kind: SimIntegration\nname: I\nattributes: !var settings # s\n';
    const same = integration('I', { attributes: { url: 'https://desk/', user: 'svc', more: 1 } });
    expect(merged(manifest, same)).toBe(manifest);
    const other = integration('I', { attributes: { url: 'https://other/', user: 'svc' } });
    expect(merged(manifest, other)).toBe(
      'kind: SimIntegration\nname: I\nattributes:\n  url: https://other/\n  user: svc # s\n',
    );
  });

  it('of lookups stay while the record is the same', () => {
    const rule = (id: string) => ({
      type: 'ProfileAttributeRule',
      object_type: 'NeAttribute',
      comparison_operator: '==',
      value: 'x',
      condition_object_id: id,
    });
    const lookup = '!lookup { from: ne_attributes, where: { uid: dep }, take: id }';
    const manifest = `kind: ProfileSearch\nlabel: S\nrules:\n  - type: ProfileAttributeRule\n    object_type: NeAttribute\n    comparison_operator: ==\n    value: 'x'  # v\n    condition_object_id: ${lookup}\n`;
    expect(merged(manifest, search('S', [rule('a1')]))).toBe(manifest);
    expect(merged(manifest, search('S', [{ ...rule('a1'), value: 'y' }]))).toBe(
      manifest.replace("'x'", "'y'"),
    );
  });
});

describe('secrets', () => {
  const manifest =
    'kind: SimIntegration\nname: I\nattributes: { url: a, password: !secret PW, list: [!secret L] }\n';

  it('are never replaced by a text', () => {
    const result = merge({
      files: { 'config/a.yaml': manifest },
      live: [integration('I', { attributes: { url: 'b', password: 'clear', list: ['clear'] } })],
    });
    expect(result.changed[0]?.content).toBe(manifest.replace('url: a', 'url: b'));
    expect(codes(result)).toEqual(['secret-kept']);
  });

  it('are told when the tenant shows something else', () => {
    const live = integration('I', { attributes: { url: 'a', password: 'changed' } });
    const content = 'kind: SimIntegration\nname: I\nattributes: { url: a, password: !secret PW }\n';
    const result = merge({ files: { 'config/a.yaml': content }, live: [live] });
    expect(result.changed).toEqual([]);
    expect(codes(result)).toEqual(['secret-kept']);
  });

  it('that somebody wrote down are taken out when they change', () => {
    const plain = manifest.replace('!secret PW', 'old');
    const result = merge({
      files: { 'config/a.yaml': plain },
      live: [integration('I', { attributes: { url: 'a', password: 'new', list: ['x'] } })],
    });
    expect(result.changed[0]?.content).toContain('password: !secret SIM_INTEGRATION_I_ATTRIBUTES_PASSWORD,');
    expect(result.created).toMatchObject([{ path: 'config/.env.example' }]);
    expect(JSON.stringify(result)).not.toContain('"new"');
  });

  it('get a name that no manifest uses already', () => {
    const taken = manifest.replace('!secret PW', '!secret SIM_INTEGRATION_J_ATTRIBUTES_PASSWORD');
    const result = merge({
      files: { 'config/a.yaml': taken },
      live: [
        integration('I', { attributes: { url: 'a', password: '********', list: ['x'] } }),
        integration('J', { attributes: { password: 'x' } }),
      ],
    });
    const created = result.created.find(({ path }) => path.endsWith('j.yaml'))?.content;
    expect(created).toMatch(/password: !secret SIM_INTEGRATION_J_ATTRIBUTES_PASSWORD_[0-9A-F]{8}\n/);
  });
});

describe('side files', () => {
  const manifest = `${head}body: !file a.html # b\n`;

  it('get the new text, byte for byte, and the manifest stays', () => {
    const result = merge({
      files: { 'config/a.yaml': manifest, 'config/a.html': 'old' },
      live: [template('a', { body: '<p>\r\n new </p> ' })],
    });
    expect(result.changed).toEqual([{ path: 'config/a.html', content: '<p>\r\n new </p> ' }]);
    expect(result.diagnostics).toEqual([]);
  });

  it('of JSON fields are written as JSON, unless a credential would be in them', () => {
    const json = 'kind: SimIntegration\nname: I\nattributes: !file a.json\n';
    const files = { 'config/a.yaml': json, 'config/a.json': '{"url":"a"}' };
    const result = merge({ files, live: [integration('I', { attributes: { url: 'b' } })] });
    expect(result.changed).toEqual([{ path: 'config/a.json', content: '{\n  "url": "b"\n}\n' }]);
    const secret = merge({ files, live: [integration('I', { attributes: { url: 'b', password: 'x' } })] });
    expect(secret.changed.map(({ path }) => path)).toEqual(['config/a.yaml']);
    expect(secret.changed[0]?.content).toContain('password: !secret SIM_INTEGRATION_I_ATTRIBUTES_PASSWORD');
  });

  it('that others need as they are stay; the text goes into the manifest', () => {
    const other = manifest.replace('key: a', 'key: b');
    const result = merge({
      files: { 'config/a.yaml': manifest, 'config/b.yaml': other, 'config/a.html': 'old' },
      live: [template('a', { body: 'new' }), template('b', { body: 'old' })],
    });
    expect(result.changed).toEqual([{ path: 'config/a.yaml', content: `${head}body: new # b\n` }]);
    expect(codes(result)).toEqual(['side-file-left']);
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
    expect(merged(manifest, live('s3', 's1'))).toBe(manifest.replace("  - 's2'\n", ''));
    expect(merged(manifest, live('s1', 's2', 's3', 's4'))).toBe(`${manifest}  - s4\n`);
    expect(merged(manifest, live('s1', 'x', 's3'))).toBe(manifest.replace("'s2'", "'x'"));
    expect(merged(manifest, live())).toContain('sources: []\n');
  });

  it('in flow style stay in it', () => {
    const flow = 'kind: SimIntegration\nname: I\nsources: [ s1,\n  s2, # two\n  s3\n]\n';
    expect(merged(flow, live('s1', 's2', 's3', 's4'))).toBe(flow.replace('  s3\n', '  s3,\n  s4\n'));
    expect(merged(flow, live('s1', 's3'))).toBe(flow.replace('  s2, # two\n', ''));
  });

  it('of rules keep those that fit, wherever they stand', () => {
    const status = (value: string) => ({ type: 'ProfileStatusRule', comparison_operator: '==', value });
    const type = { type: 'ProfileTypeRule', comparison_operator: '==', value: 't1' };
    const rules = `kind: ProfileSearch\nlabel: S\nrules:\n  # who\n  - { type: ProfileStatusRule, comparison_operator: "==", value: Active } # a\n  - type: ProfileTypeRule # t\n    comparison_operator: ==\n    value: t1\n`;
    expect(merged(rules, search('S', [type, status('Inactive')]))).toBe(
      rules.replace('value: Active', 'value: Inactive'),
    );
    expect(merged(rules, search('S', [type]))).not.toContain('ProfileStatusRule');
  });
});

describe('overlays', () => {
  it('are not written into manifests', () => {
    const manifest = head.replace('key: a', 'key: over');
    const result = merge({
      files: { 'config/a.yaml': `${manifest}replyTo: mine@acme.example\nsubject: Old\n` },
      live: [template('over', { replyTo: 'live@acme.example', subject: 'New' })],
    });
    expect(result.changed[0]?.content).toBe(`${manifest}replyTo: mine@acme.example\nsubject: New\n`);
    expect(codes(result)).toEqual(['set-by-overlay']);
  });
});

describe('objects', () => {
  const senders =
    '# ours\nkind: SenderAddress\nemail: a@acme.example\n---\n# theirs\nkind: SenderAddress\nemail: b@acme.example # b\n';
  const files = { 'config/sender-addresses.yaml': senders };

  it('that are new get files, and those of flat kinds join theirs', () => {
    const result = merge({
      files,
      live: [
        sender('a@acme.example'),
        sender('b@acme.example'),
        sender('c@acme.example'),
        template('n', { subject: 'N' }),
      ],
    });
    expect(result.changed).toEqual([
      {
        path: 'config/sender-addresses.yaml',
        content: `${senders}---\nkind: SenderAddress\nemail: c@acme.example\n`,
      },
    ]);
    expect(result.created.map(({ path }) => path)).toEqual(['config/notification-templates/n.email.en.yaml']);
  });

  it('never take the place of a file that is there', () => {
    const path = 'config/notification-templates/n.email.en.yaml';
    const result = merge({ files: { [path]: head }, live: [template('a'), template('n', { subject: 'N' })] });
    expect(result.changed).toEqual([]);
    expect(result.created[0]?.path).toMatch(
      /^config\/notification-templates\/n\.email\.en-[0-9a-f]{8}\.yaml$/,
    );
  });

  it('that are gone are told, and their documents removed when asked for', () => {
    const told = merge({ files, live: [sender('a@acme.example')] });
    expect(told).toMatchObject({ changed: [], deleted: [], gone: ['SenderAddress/b%40acme.example'] });
    expect(codes(told)).toEqual(['object-gone']);
    const removed = merge({ files, live: [sender('a@acme.example')], more: { delete: true } });
    expect(removed.changed[0]?.content).toBe('# ours\nkind: SenderAddress\nemail: a@acme.example\n');
    expect(merge({ files, live: [], more: { delete: true } }).deleted).toEqual([
      'config/sender-addresses.yaml',
    ]);
  });

  it('take their side files with them, unless others need those', () => {
    const manifest = `${head}body: !file a.html\n`;
    const result = merge({
      files: { 'config/a.yaml': manifest, 'config/a.html': 'x' },
      live: [],
      more: { delete: true },
    });
    expect(result.deleted).toEqual(['config/a.html', 'config/a.yaml']);
  });

  it('of which nothing was read stay as they are', () => {
    const result = merge({
      files,
      live: [],
      more: { delete: true, inScope: ({ key }) => key[0] === 'b@acme.example' },
    });
    expect(result.gone).toEqual(['SenderAddress/b%40acme.example']);
  });

  it('declared absent stay declared so', () => {
    const manifest = 'kind: SenderAddress\nemail: a@acme.example\nensure: absent\n';
    const result = merge({ files: { 'config/a.yaml': manifest }, live: [sender('a@acme.example')] });
    expect(result).toMatchObject({ changed: [], created: [], gone: [] });
    expect(codes(result)).toEqual(['object-still-there']);
  });

  it('pinned by id take the name they have now', () => {
    const manifest = 'kind: AuthProfile\nid: "p1"\nname: Old # n\ntype: MFA\n';
    const live = answer('AuthProfile', { name: 'New', type: 'MFA' }, 'p1');
    expect(merged(manifest, live)).toBe(manifest.replace('Old', 'New'));
  });

  it('with ignored fields keep them', () => {
    const manifest = `${head}subject: Mine\nlifecycle: { ignore: [/subject] }\n`;
    expect(merged(manifest, template('a', { subject: 'Theirs' }))).toBe(manifest);
  });
});
