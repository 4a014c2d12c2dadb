/** What can be known of a `!ref` without a tenant: its kind, its key, and whether the field takes one. */
import { describe, expect, it } from 'vitest';
import { brief, type Files, failureOf, load } from './fixture.ts';

const kindFile = (kind: string, more: string) =>
  `kind: ${kind}\nsummary: A kind of the tests.\nservice: identity\npath: /v2025/${kind.toLowerCase()}\n${more}`;
const kinds: Files = {
  'kinds/Identity.kind.yaml': kindFile('Identity', 'key: name\n'),
  'kinds/Text.kind.yaml': kindFile('Text', 'key: [name, locale]\n'),
  'kinds/Role.kind.yaml': kindFile(
    'Role',
    'key: name\nfields:\n  description: text\n  owner: { is: reference, to: Identity }\n  texts: { is: references, to: Text }\n  other: { is: value, to: Wombat }\n',
  ),
};
const role = (line: string) => ({ ...kinds, 'config/a.yaml': `kind: Role\nname: a\n${line}\n` });

const fieldsWith = (line: string) => load(role(line)).resources[0]?.fields;
const refusals = (files: Files) =>
  failureOf(files)
    .filter(({ severity }) => severity === 'error')
    .map((each) => [brief(each), each.message, each.hint]);

describe('a reference is taken', () => {
  it.each([
    ['owner: !ref Identity/Ann', { owner: { $ref: 'Identity/Ann' } }],
    ['owner: { id: !ref Identity/Ann }', { owner: { id: { $ref: 'Identity/Ann' } } }],
    [
      'texts: [!ref Text/a/en, !ref Text/b%2Fc/de]',
      { texts: [{ $ref: 'Text/a/en' }, { $ref: 'Text/b%2Fc/de' }] },
    ],
  ])('in %s', (line, fields) => {
    expect(fieldsWith(line)).toEqual(fields);
  });

  it('where a variable gives it', () => {
    const variables =
      'version: 1\nenvironments:\n  test: { sandbox: {}, variables: { who: !ref Identity/Ann } }\n';
    const { resources } = load({ ...role('owner: !var who'), 'tenantctl.yaml': variables });
    expect(resources[0]?.fields).toEqual({ owner: { $ref: 'Identity/Ann' } });
  });
});

describe('a reference is refused at its place, with what to write', () => {
  it('with all kinds where none is near', () => {
    const [[, , hint] = []] = refusals(role('other: !ref Zzz/a'));
    expect(hint).toMatch(/^The kinds are Identity, .*Role, .*SimIntegration/);
  });

  it('with no more of an endless kind than is needed', () => {
    for (const line of ['owner', 'other']) {
      const [[, message = ''] = []] = refusals(role(`${line}: !ref ${'W'.repeat(200)}/a`));
      expect(message).toContain('W'.repeat(80));
      expect(message).not.toContain('W'.repeat(81));
    }
  });

  it.each(['Identity', '[Identity/Ann]', '"Identity/"', '/Ann', 'Identity/a%zz', '"Identity/\\ud800"'])(
    'that is none: !ref %s',
    (text) => {
      const [[at, message, hint] = []] = refusals(role(`owner: !ref ${text}`));
      expect(at).toBe('invalid-ref config/a.yaml:3:8');
      expect(message).toBe('`!ref` takes a kind and a key with a slash between them.');
      expect(hint).toContain('!ref Source/HR');
    },
  );

  it('each of several', () => {
    const lines = 'owner: !ref Text/a/en\ntexts: [!ref Text/a, !ref Text/b/en, !ref Text/c]';
    expect(refusals(role(lines)).map(([at]) => at)).toEqual([
      'ref-kind config/a.yaml:3:8',
      'invalid-ref config/a.yaml:4:9',
      'invalid-ref config/a.yaml:4:38',
    ]);
  });
});
