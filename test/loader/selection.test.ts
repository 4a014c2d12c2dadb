import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseShard, selectEnvironments } from '../../src/loader/selection.ts';
import { Failure } from '../../src/model/failure.ts';
import { brief, type Files, failureOf, load } from './fixture.ts';

const project = {
  environments: ['sandbox', 'test', 'eu-1', 'eu-2', 'us-1'],
  groups: { production: ['eu-*', 'us-1'], none: ['asia-*'], outside: ['*-*', '!eu-1'] },
  defaultEnvironment: 'test',
};
const select = (...selectors: string[]) => selectEnvironments(selectors, project);

function problemsOf(...selectors: string[]) {
  try {
    select(...selectors);
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.diagnostics.map(({ code, message, hint }) => [code, message, hint]);
  }
}

describe('--env', () => {
  it.each([
    ['test', 'test'],
    ['eu-*', 'eu-1 eu-2'],
    ['us-1,test eu-1', 'test eu-1 us-1'],
    ['@production', 'eu-1 eu-2 us-1'],
    ['@production eu-2 *-1', 'eu-1 eu-2 us-1'],
    ['[eu][us]-1', 'eu-1 us-1'],
    ['[!st]*', 'eu-1 eu-2 us-1'],
    ['eu-{1,2}', 'eu-1 eu-2'],
    ['eu-{1,{2,3}},us-1', 'eu-1 eu-2 us-1'],
    ['test,{eu,us}-1,!us-{1,2}', 'test eu-1'],
    ['* !eu-*', 'sandbox test us-1'],
    ['!eu-*,* !us-1', 'sandbox test'],
    ['!@production', 'sandbox test'],
    ['@production !eu-2', 'eu-1 us-1'],
    ['@outside', 'eu-2 us-1'],
    ['!(eu|us)-*', 'sandbox test'],
  ])('%s selects %s, each once and in the order of the project file', (selectors, names) =>
    expect(select(...selectors.split(' '))).toEqual(names.split(' ')),
  );

  it('ignores blanks around commas', () => expect(select(' us-1, test ')).toEqual(['test', 'us-1']));

  it('does not take a group of nothing for all', () => {
    const empty = { ...project, groups: { nobody: [] } };
    expect(() => selectEnvironments(['@nobody'], empty)).toThrow('`@nobody` matches no environment');
  });

  it('reports an empty name between commas once', () => {
    const problem = [
      'unknown-environment',
      'There is no environment ``.',
      'Is a variable in your script unset?',
    ];
    expect([problemsOf(','), problemsOf('test,')]).toEqual([[problem], [problem]]);
  });

  it('reports everything that selects nothing, with what is near', () => {
    expect(problemsOf('tset', 'asia-*', '@prodution', '@none', 'eu-1')).toEqual([
      ['unknown-environment', 'There is no environment `tset`.', 'Did you mean `test`?'],
      [
        'unknown-environment',
        'No environment matches `asia-*`.',
        'The environments are: sandbox, test, eu-1, eu-2, us-1.',
      ],
      ['unknown-group', 'There is no group `@prodution`.', 'Did you mean `@production`?'],
      [
        'empty-group',
        'The group `@none` matches no environment.',
        'The environments are: sandbox, test, eu-1, eu-2, us-1.',
      ],
    ]);
    expect(problemsOf('@toString')).toEqual([
      ['unknown-group', 'There is no group `@toString`.', 'The groups are: @production, @none, @outside.'],
    ]);
    expect(problemsOf('')).toHaveLength(1);
  });

  it('reports what is left out by a name that is none, and a selection of nothing', () => {
    expect(problemsOf('*', '!tset', '!@prodution').map(([, message]) => message)).toEqual([
      'There is no environment `tset`.',
      'There is no group `@prodution`.',
    ]);
    expect(problemsOf('eu-1', '!eu-*')).toEqual([
      [
        'unknown-environment',
        '`eu-1,!eu-*` leaves no environment.',
        'The environments are: sandbox, test, eu-1, eu-2, us-1.',
      ],
    ]);
  });

  it('is the default of the project where it is left out, and never all of them', () => {
    expect(select()).toEqual(['test']);
    expect(() => selectEnvironments([], { ...project, defaultEnvironment: null })).toThrow(
      'No environment is selected.',
    );
  });
});

describe('--shard', () => {
  it('gives each part its own environments, and all of them together', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/), { maxLength: 40 });
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 12 }), (all, count) => {
        const parts = Array.from({ length: count }, (_, at) => parseShard(`${at + 1}/${count}`)(all));
        expect(parts.flat().toSorted()).toEqual(all.toSorted());
        const sizes = parts.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is the same for environments in any order', () => {
    const select = parseShard('1/2');
    expect(select(['c', 'a', 'b'])).toEqual(select(['a', 'b', 'c']));
  });

  it.each(['0/4', '5/4', '1', '1/0', 'a/b', '1/2/3', ''])('refuses %j', (text) =>
    expect(() => parseShard(text)).toThrow('such as 2/4'),
  );
});

/** What can be known of a `!ref` without a tenant: its kind, its key, and whether the field takes one. */

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
  ])('in %s', (line, fields) => expect(fieldsWith(line)).toEqual(fields));

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
