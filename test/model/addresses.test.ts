import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  formatAddress,
  matchAddresses,
  parseAddress,
  scopeFilter,
  slowGlob,
} from '../../src/model/address.ts';
import { makeFolder } from '../../src/model/files.ts';

const names = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.string({ minLength: 1, unit: fc.constantFrom(...'*?[]{}()!+@|\\/.%-a b^$,#~\'"ä') }),
  fc.constantFrom('%2F', 'a%41', '..', '**', '~1'),
);

describe('an address', () => {
  it('stands for exactly one object, whatever its key contains', () =>
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 3 }), (key) => {
        expect(parseAddress(formatAddress('Kind', key))).toEqual({ kind: 'Kind', key });
      }),
      { numRuns: 300 },
    ));

  it.each([
    ['100%', 'Kind/100%25'],
    ['a/b', 'Kind/a%2Fb'],
    ['a%2Fb', 'Kind/a%252Fb'],
    ['help@acme.example', 'Kind/help%40acme.example'],
    ['plain_text-1.2', 'Kind/plain_text-1.2'],
    ['two words', 'Kind/two%20words'],
    // In a glob, these would mean other names too.
    ['(EU)*!', 'Kind/%28EU%29%2A%21'],
  ])('encodes %j as %s', (part, address) => expect(formatAddress('Kind', [part])).toBe(address));

  it.each(['', '/key', 'Kind/', 'Kind//b', 'Kind/a/', 'Kind/%', 'Kind/%zz', 'Kind/%ff'])(
    'is not %j',
    (text) => expect(parseAddress(text)).toBeNull(),
  );

  it('given to --only is that address, and no glob', () =>
    fc.assert(
      fc.property(names, names, (name, other) => {
        const [address, another] = [formatAddress('Kind', [name]), formatAddress('Kind', [other])];
        const isIncluded = scopeFilter({ only: [address], except: [] });
        expect(isIncluded(address)).toBe(true);
        expect(isIncluded(another)).toBe(another === address);
        expect(scopeFilter({ only: [], except: [address] })(address)).toBe(false);
      }),
    ));

  it('is matched by a star, whatever its names are', () =>
    fc.assert(
      fc.property(names, (name) => {
        const address = formatAddress('Kind', [name]);
        for (const glob of ['Kind/*', 'Kind/**', '**', '*/*', 'K*/*'])
          expect(matchAddresses([glob])(address), `${glob} ${address}`).toBe(true);
      }),
    ));

  it.each(['.', '..', '...', '.hidden', '', '*', '[a]', '{a,b}', '!x', 'a/../b'])(
    'of the name %j is covered by globs for all names',
    (name) => {
      const address = formatAddress('Kind', [name]);
      expect(matchAddresses(['Kind/*'])(address)).toBe(true);
      expect(matchAddresses(['Kind/**'])(address)).toBe(true);
      expect(matchAddresses(['Other/**'])(address)).toBe(false);
      const [first, second] = [formatAddress('Kind', [name, 'b']), formatAddress('Kind', ['b', name])];
      expect(matchAddresses(['Kind/*/b'])(first)).toBe(true);
      expect(matchAddresses(['Kind/b/*'])(second)).toBe(true);
    },
  );

  it('can be written with plain text', () => {
    const matches = matchAddresses(['Kind/help@acme.example', 'Kind/[HR] Desk', 'Kind/..']);
    for (const name of ['help@acme.example', '[HR] Desk', '..'])
      expect(matches(formatAddress('Kind', [name])), name).toBe(true);
    expect(matches(formatAddress('Kind', ['other']))).toBe(false);
  });
});

describe('globs of addresses', () => {
  const matches = (glob: string, address: string) => matchAddresses([glob])(address);

  it.each([
    ['Template/*/EMAIL/en', 'Template/a/EMAIL/en', true],
    ['Template/**', 'Template/a/EMAIL/en', true],
    ['**', 'Template/a/EMAIL/en', true],
    ['Sender/help@acme.example', 'Sender/help%40acme.example', true],
    ['Sender/help%40acme.example', 'Sender/help%40acme.example', true],
    ['Sender/*@acme.example', 'Sender/help%40acme.example', true],
    ['Search/*', 'Search/.hidden', true],
    ['Search/two words', 'Search/two%20words', true],
    ['Search/{a,b}', 'Search/b', true],
    ['Search/*', 'Search/%', true],
    ['Search/[!a]', 'Search/b', false],
    ['Search/a (b)', 'Search/a%20b', false],
    ['Search/a?', 'Search/ab', false],
    ['Template/*', 'Template/a/EMAIL/en', false],
    ['Template/b/**', 'Template/a/EMAIL/en', false],
    ['!Search/a', 'Search/b', false],
    ['Search/a', 'Search/ab', false],
    ['search/a', 'Search/a', false],
  ])('%s matches %s: %s', (glob, address, expected) => expect(matches(glob, address)).toBe(expected));

  it.each([
    ['Sim/Prod A*', ['Prod A/B']],
    ['Sim/Prod A%*', ['Prod A%/B']],
    ['Sim/Prod A*', ['Prod A\nB']],
    ['Sim/Prod A**', ['Prod A\u2028/B']],
    ['Sim/Prod A/*', ['Prod A', '']],
    ['Sim/Prod A/*', ['Prod A', '..']],
    ['Sim/Prod A/**', ['Prod A', 'x\ny', 'z']],
    ['Sim/Käse */x', ['Käse a/b', 'x']],
  ])('%s matches the plain text of %j, whatever a star stands for', (glob, key) =>
    expect(matches(glob, formatAddress('Sim', key))).toBe(true),
  );

  it('of a part do not match two', () =>
    expect(matches('Sim/Prod A*', formatAddress('Sim', ['Prod A', 'B']))).toBe(false));

  it('of guards match however accents are encoded', () => {
    const [composed, decomposed] = ['K\u00e4se *', 'Ka\u0308se x'];
    const isGuarded = (glob: string, name: string) =>
      matchAddresses([`Sim/${glob}`], { isGuard: true })(formatAddress('Sim', [name]));
    expect(isGuarded(composed, decomposed)).toBe(true);
    expect(isGuarded(composed.normalize('NFD'), decomposed.normalize('NFC'))).toBe(true);
    expect(matches(`Sim/${composed}`, formatAddress('Sim', [decomposed]))).toBe(false);
  });

  it.each([
    ['ServiceNow (EU)*', 'ServiceNow (EU) 2'],
    ['ServiceNow (EU)', 'servicenow (eu)'],
    ['"EU" tickets*', '"EU" tickets 2'],
    ['EU|US*', 'EU|US tickets'],
    ['EU\\US*', 'EU\\US tickets'],
    ['EU+(US)*', 'EU+(US) tickets'],
    ['EU {old}*', 'EU {old}1'],
    ['{EU,US}*', '{EU,US} tickets'],
  ])('of guards mean signs other than stars as they are, too: %s', (glob, name) => {
    const guarded = matchAddresses([`Sim/${glob}`], { isGuard: true });
    expect(guarded(formatAddress('Sim', [name]))).toBe(true);
    expect(guarded(formatAddress('Sim', ['another']))).toBe(false);
  });

  it('of guards still take groups for alternatives', () => {
    const guarded = matchAddresses(['Sim/Tickets {EU,US}*'], { isGuard: true });
    const names = ['Tickets EU', 'Tickets US 2', 'Tickets x'];
    expect(names.map((name) => guarded(formatAddress('Sim', [name])))).toEqual([true, true, false]);
  });

  it('match where one of several does; no globs match nothing', () => {
    expect(matchAddresses(['Search/a', 'Search/b'])('Search/b')).toBe(true);
    expect(matchAddresses([])('Search/b')).toBe(false);
  });
});

describe('the scope', () => {
  const addresses = ['Search/a', 'Search/b', 'Sender/c'];
  const inScope = (only: string[], except: string[]) =>
    addresses.filter((address) => scopeFilter({ only, except })(address));

  it('is everything where nothing is chosen', () => expect(inScope([], [])).toEqual(addresses));

  it('is what --only names, less what --except names, also where both name it', () => {
    expect(inScope(['Search/*'], [])).toEqual(['Search/a', 'Search/b']);
    expect(inScope([], ['Search/*'])).toEqual(['Sender/c']);
    expect(inScope(['Search/*'], ['Search/b'])).toEqual(['Search/a']);
    expect(inScope(['Search/a'], ['Search/a'])).toEqual([]);
    expect(inScope(['Search/a'], ['Sender/*'])).toEqual(['Search/a']);
  });
});

it.each([10, 12, 30])(
  'a glob of %i pairs of empty braces is slow: each doubles the ways to match',
  (pairs) => {
    expect(slowGlob(`config/${'{,}'.repeat(pairs)}*.yaml`)?.code).toBe('slow-glob');
    expect(slowGlob(`config/${'(|)'.repeat(pairs)}*.yaml`)?.code).toBe('slow-glob');
    expect(slowGlob(`config/${'?(a)'.repeat(pairs)}.yaml`)?.code).toBe('slow-glob');
  },
);

it('a glob is slow that is longer than any name', () =>
  expect([4096, 4097].map((length) => slowGlob('a'.repeat(length)) !== null)).toEqual([false, true]));

it.each(['config/**/*.{yaml,yml,YAML,YML}', '{eu,us,ap}-{prod,test,dev}-{a,b,c,d}/**', 'x/{,}{,}{,}*'])(
  'a glob that people write is not: %s',
  (glob) => expect(slowGlob(glob)).toBeNull(),
);

const temporary = () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenantctl-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

it('makes a folder and those above it, all with one mode, and keeps what is there', () => {
  const folder = temporary();
  makeFolder(join(folder, 'a/b'), 0o700);
  for (const each of ['a', 'a/b']) expect(statSync(join(folder, each)).mode & 0o777).toBe(0o700);
  makeFolder(join(folder, 'a/b'));
  expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700);
});

it('throws the error of the system where a file is in its way, or no folder can be', () => {
  const folder = temporary();
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(folder, 'file/below'))).toThrow(/EEXIST|ENOTDIR/);
  if (process.platform === 'linux') expect(() => makeFolder('/proc/none/below')).toThrow('ENOENT');
});
