import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { changes, head, keeps, merge, mergedOne, mergeFile, mergeOne } from './merging.ts';
import { integration, search, statusRule, template, typeRule } from './support.ts';

describe('values', () => {
  it('change in place, in their own style', () => {
    const content = `# Top\n${head}subject: 'It''s old'   # why\n\n# the body\nbody: |  # html\n    <p>one</p>\n\n    <p>two</p>\n\nname: "N"\n`;
    const live = template('a', { subject: "It's new", body: '<p>one</p>\n\n<p>2</p>\n', name: 'N' });
    expect(mergeFile(content, live)).toBe(
      content.replace("'It''s old'", "'It''s new'").replace('<p>two</p>', '<p>2</p>'),
    );
  });

  it.each([
    ['that only an escape can show', 'crlf\r\nend', '"crlf\\r\\nend"  # html'],
    ['whose first line is indented', '  a\nb\n', '"  a\\nb\\n"  # html'],
    ['on one line', 'a: b', '|-  # html\n  a: b'],
    ['with nothing in it', '', 'null  # html'],
  ])('keep the comment beside the header of their block for a text %s', (_, body, written) => {
    const content = `${head}body: |  # html\n  one\n  two\nname: N\n`;
    changes(content, template('a', { body, name: 'N' }), '|  # html\n  one\n  two', written);
  });

  it('stay when only case or line endings differ', () => {
    const content = `${head}replyTo: Help@Acme.example\nbody: "a\\nb"\n`;
    keeps(content, template('a', { replyTo: 'help@acme.example', body: 'a\r\nb' }));
  });

  it('are not added where the manifest says nothing', () =>
    keeps(head, template('a', { subject: 'Live', body: 'Text' })));

  it('become null when the tenant has none', () =>
    expect(mergeFile(`${head}subject: Old # s\n`, template('a', {}))).toBe(`${head}subject: null # s\n`));

  it('keep the line endings and the byte order mark of their file', () => {
    const content = `\ufeff${head}slackTemplate:\n  text: a\n`.replaceAll('\n', '\r\n');
    const live = template('a', { slackTemplate: { text: 'a', blocks: [{ b: 1 }] } });
    expect(mergeFile(content, live)).toBe(`${content}  blocks:\r\n    - b: 1\r\n`);
  });

  it('change behind an alias without touching its anchor', () => {
    const content = `${head}slackTemplate: &t { text: Hi } # one\nteamsTemplate: *t\n`;
    const live = template('a', { slackTemplate: { text: 'Hi' }, teamsTemplate: { text: 'Ho' } });
    changes(content, live, ' *t', '\n  text: Ho');
  });

  it('stay at an anchor whose aliases still stand for the same', () => {
    const content = `${head}slackTemplate: &t { text: Hi } # one\nteamsTemplate: *t\n`;
    const live = template('a', { slackTemplate: { text: 'Ho' }, teamsTemplate: { text: 'Hi' } });
    const { changed, diagnostics } = mergeOne(content, live);
    expect(changed).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: 'cannot-edit' }]);
  });
});

describe('tags', () => {
  const content = `${head}replyTo: !var help # h\nsubject: !format "On %{host}"\n`;

  it('are kept while their value fits', () =>
    keeps(content, template('a', { replyTo: 'help@acme.example', subject: 'On desk' })));

  it('are replaced with a plain value, and a note, when it does not', () => {
    const result = mergeOne(content, template('a', { replyTo: 'other@acme.example', subject: 'On desk' }));
    expect(result.changed[0]?.content).toBe(content.replace('!var help', 'other@acme.example'));
    expect(result.diagnostics).toMatchObject([
      {
        code: 'tag-replaced',
        severity: 'info',
        source: { file: 'config/a.yaml', line: 5 },
        hint: 'Every environment that reads the manifest gets that value. If only one should, take the tag back and change what it gives there, such as a variable.',
      },
    ]);
  });

  it('stay when they give a whole mapping that fits, and become one when it does not', () => {
    const manifest = 'kind: SimIntegration\nname: I\nattributes: !var settings # s\n';
    const same = integration('I', { attributes: { url: 'https://desk/', user: 'svc', more: 1 } });
    keeps(manifest, same);
    const other = integration('I', { attributes: { url: 'https://other/', user: 'svc' } });
    expect(mergeFile(manifest, other)).toBe(
      'kind: SimIntegration\nname: I\nattributes: # s\n  url: https://other/\n  user: svc\n',
    );
  });

  it('of lookups stay while the record is the same, and find another one without a note', () => {
    const rule = (id: string) => ({
      type: 'ProfileAttributeRule',
      object_type: 'NeAttribute',
      comparison_operator: '==',
      value: 'x',
      condition_object_id: id,
    });
    const lookup = '!lookup { from: ne_attributes, where: { uid: dep }, take: id }';
    const manifest = `kind: ProfileSearch\nlabel: S\nrules:\n  - type: ProfileAttributeRule\n    object_type: NeAttribute\n    comparison_operator: ==\n    value: 'x'  # v\n    condition_object_id: ${lookup}\n`;
    keeps(manifest, search('S', [rule('a1')]));
    changes(manifest, search('S', [{ ...rule('a1'), value: 'y' }]), "'x'", "'y'");
    const typed =
      'kind: ProfileSearch\nlabel: S\nrules:\n  - type: ProfileTypeRule\n    comparison_operator: ==\n    value: !lookup { from: profile_types, where: { uid: guest }, take: id }\n';
    const types = [
      { id: 'a1', uid: 'guest' },
      { id: 'a2', uid: 'vendor' },
    ];
    expect(
      mergedOne(typed, search('S', [typeRule('a2')]), { records: new Map([['profile_types', types]]) }),
    ).toEqual([typed.replace('uid: guest', 'uid: vendor')]);
  });
});

describe('secrets', () => {
  const manifest =
    'kind: SimIntegration\nname: I\nattributes: { url: a, password: !secret PW, list: [!secret L] }\n';

  it('are never replaced by a text', () =>
    expect(
      mergedOne(manifest, integration('I', { attributes: { url: 'b', password: 'clear', list: ['clear'] } })),
    ).toEqual([manifest.replace('url: a', 'url: b'), 'secret-kept']));

  it('are reported when the tenant shows something else', () => {
    const live = integration('I', { attributes: { url: 'a', password: 'changed' } });
    const content = 'kind: SimIntegration\nname: I\nattributes: { url: a, password: !secret PW }\n';
    expect(mergedOne(content, live)).toEqual([content, 'secret-kept']);
  });

  it('in plain text are replaced with a secret when they change', () => {
    const plain = manifest.replace('!secret PW', 'old');
    const result = mergeOne(
      plain,
      integration('I', { attributes: { url: 'a', password: 'new', list: ['x'] } }),
    );
    expect(result.changed[0]?.content).toContain('password: !secret SIM_INTEGRATION_I_ATTRIBUTES_PASSWORD,');
    expect(result.created).toMatchObject([{ path: '.env.example' }]);
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

describe('the names of ids in a rule', () => {
  const rows = new Map([
    [
      'profile_types',
      [
        { id: 't1', name: 'Employee' },
        { id: 't2', name: 'Employee' },
      ],
    ],
  ]);
  const start =
    'kind: ProfileSearch\nlabel: S\nrules:\n  - type: ProfileStatusRule\n    comparison_operator: "=="\n    value: Active\n';
  const mergedWith = (content: string, ...rules: readonly JsonObject[]) =>
    mergeOne(content, search('S', rules), { records: rows }).changed[0]?.content;

  it('come with a rule that is new', () =>
    expect(mergedWith(start, typeRule('t1'), statusRule('Active'))).toBe(
      `${start}  - type: ProfileTypeRule\n    comparison_operator: "=="\n    value: t1  # Employee\n`,
    ));

  it('stay as they are beside an id that stays: the comment may be a person’s own', () => {
    const own = `${start}  - type: ProfileTypeRule\n    comparison_operator: "=="\n    value: t1  # our staff\n`;
    expect(mergedWith(own, statusRule('Active'), typeRule('t1'))).toBeUndefined();
  });
});
