import { describe, expect, it } from 'vitest';
import { formatAddress, matchAddresses, parseAddress, scopeFilter } from '../../src/model/address.ts';
import { planDigest } from '../../src/model/digest.ts';
import type { Change } from '../../src/model/plan.ts';
import { pointer, segmentsOf, valueAt, withValueAt } from '../../src/model/pointer.ts';
import { change, difference, plan } from '../report/fixtures.ts';

describe('a pointer', () => {
  it.each([['a/b'], ['~'], ['~1'], ['~0'], ['~01'], ['a~b/c'], [''], ['%2F']])(
    'comes back with the name %j',
    (name) => {
      expect(segmentsOf(pointer('x', name))).toEqual(['x', name]);
      const value = { x: { [name]: 1, other: 2 } };
      expect(valueAt(value, pointer('x', name))).toBe(1);
      expect(withValueAt(value, pointer('x', name), undefined)).toEqual({ x: { other: 2 } });
    },
  );

  it('is written as RFC 6901 says', () => {
    expect(pointer('a/b', 'm~n', '~1')).toBe('/a~1b/m~0n/~01');
  });
});

describe('an address', () => {
  it.each([['a%2Fb'], ['a/b'], ['100%'], ['ä @'], ['..'], ['*'], ['!a']])(
    'comes back with the key %j',
    (part) => {
      const address = formatAddress('SenderAddress', [part, 'x']);
      expect(parseAddress(address)).toEqual({ kind: 'SenderAddress', key: [part, 'x'] });
    },
  );

  it('differs for keys that differ only in how they are encoded', () => {
    expect(formatAddress('A', ['a%2Fb'])).not.toBe(formatAddress('A', ['a/b']));
    expect(formatAddress('A', ['a', 'b'])).not.toBe(formatAddress('A', ['a/b']));
  });

  it.each(['A/', '/a', 'A//b', 'A/%', 'A/%zz', ''])('is not %j', (text) => {
    expect(parseAddress(text)).toBe(null);
  });

  it('is matched as it is shown and as it is written', () => {
    const matches = matchAddresses(['SenderAddress/help@*', 'NotificationTemplate/**']);
    expect(matches('SenderAddress/help%40acme.example')).toBe(true);
    expect(matches('SenderAddress/other%40acme.example')).toBe(false);
    expect(matches('NotificationTemplate/a/EMAIL/en')).toBe(true);
  });

  it('is left out by --except also where --only includes it', () => {
    const isInScope = scopeFilter({ only: ['A/*'], except: ['A/b'] });
    expect(['A/a', 'A/b', 'B/a'].filter(isInScope)).toEqual(['A/a']);
    expect(['A/a', 'A/b'].filter(scopeFilter({ only: [], except: ['A/b'] }))).toEqual(['A/a']);
    expect(['A/a', 'A/b'].filter(scopeFilter({ only: [], except: [] }))).toEqual(['A/a', 'A/b']);
  });
});

describe('the digest of a plan', () => {
  const item = change({
    address: 'SenderAddress/a',
    action: 'update',
    diff: [difference('/a', 1, 2)],
    requests: [{ method: 'POST', path: '/v2025/x', query: {}, headers: {}, body: { a: 2 } }],
    warnings: ['w'],
    risk: ['sends-mail'],
  });
  const whole = plan([item]);

  const others: readonly Partial<Change>[] = [
    { address: 'SenderAddress/b' },
    { kind: 'MailFrom' },
    { key: ['b'] },
    { action: 'create' },
    { source: null },
    { id: '1' },
    { fingerprint: 'sha256:1' },
    { diff: [] },
    { requests: [] },
    { warnings: [] },
    { risk: [] },
  ];

  it.each(others)('covers each member of a change: %j', (other) => {
    expect(planDigest({ ...whole, changes: [{ ...item, ...other }] })).not.toBe(planDigest(whole));
  });

  it('covers the body of a request, and leaves out time, tool and impact', () => {
    const [request] = item.requests;
    if (!request) throw new Error('there is a request');
    const edited = { ...item, requests: [{ ...request, body: { a: 3 } }] };
    expect(planDigest({ ...whole, changes: [edited] })).not.toBe(planDigest(whole));
    const moved = { ...item, impact: { notRun: 'later' } };
    const later = { ...whole, createdAt: 'later', tool: { name: 'x', version: '9' }, changes: [moved] };
    expect(planDigest(later)).toBe(planDigest(whole));
  });
});
