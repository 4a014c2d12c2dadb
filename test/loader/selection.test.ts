import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseShard, selectEnvironments } from '../../src/loader/selection.ts';
import { Failure } from '../../src/model/failure.ts';

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
  ])('%s selects %s, each once and in the order of the project file', (selectors, names) => {
    expect(select(...selectors.split(' '))).toEqual(names.split(' '));
  });

  it('ignores blanks around commas', () => {
    expect(select(' us-1, test ')).toEqual(['test', 'us-1']);
  });

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

  it.each(['0/4', '5/4', '1', '1/0', 'a/b', '1/2/3', ''])('refuses %j', (text) => {
    expect(() => parseShard(text)).toThrow('such as 2/4');
  });
});
