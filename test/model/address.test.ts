import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { formatAddress, matchAddresses, parseAddress, scopeFilter } from '../../src/model/address.ts';

const names = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ minLength: 1, unit: fc.constantFrom(...'*?[]{}()!+@|\\/.%-a b^$,#~\'"') }),
);

describe('an address', () => {
  test('is that of one key only', () => {
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 3 }), (key) => {
        expect(parseAddress(formatAddress('Kind', key))).toEqual({ kind: 'Kind', key });
      }),
    );
    expect(formatAddress('Kind', ['a%2Fb'])).not.toBe(formatAddress('Kind', ['a/b']));
  });

  test('given to --only is that address, and no glob', () => {
    fc.assert(
      fc.property(names, names, (name, other) => {
        const [address, another] = [formatAddress('Kind', [name]), formatAddress('Kind', [other])];
        const isIncluded = scopeFilter({ only: [address], except: [] });
        expect(isIncluded(address)).toBe(true);
        expect(isIncluded(another)).toBe(another === address);
        expect(scopeFilter({ only: [], except: [address] })(address)).toBe(false);
      }),
    );
  });

  test('is matched by a star, whatever its names are', () => {
    fc.assert(
      fc.property(names, (name) => {
        const address = formatAddress('Kind', [name]);
        for (const glob of ['Kind/*', 'Kind/**', '**', '*/*', 'K*/*']) {
          expect(matchAddresses([glob])(address), `${glob} ${address}`).toBe(true);
        }
      }),
    );
  });

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
    for (const name of ['help@acme.example', '[HR] Desk', '..']) {
      expect(matches(formatAddress('Kind', [name])), name).toBe(true);
    }
    expect(matches(formatAddress('Kind', ['other']))).toBe(false);
  });
});

it('of a name with half of a character has its three bytes, which no other name has', () => {
  expect(formatAddress('Kind', ['a é\ud83d/b\udc00'])).toBe('Kind/a%20%C3%A9%ED%A0%BD%2Fb%ED%B0%80');
});
