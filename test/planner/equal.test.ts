import { expect, test } from 'vitest';
import type { LiveObject } from '../../src/model/live.ts';
import { equalTo } from '../../src/planner/equal.ts';
import { planOf, resource } from '../support/plan.ts';

const declared = (email: string, more: { digest?: string | null; id?: string; ensure?: 'absent' } = {}) => ({
  ...resource('SenderAddress', [email], {}, more),
  digest: more.digest === undefined ? 'digest' : more.digest,
});

const live = (email: string, more: Partial<LiveObject> = {}): LiveObject => ({
  kind: 'SenderAddress',
  key: [email],
  address: `SenderAddress/${email}`,
  id: '1',
  fields: {},
  hidden: [],
  raw: {},
  fingerprint: '',
  equalTo: null,
  ...more,
});

const scope = { only: [], except: [], prune: false, since: null };
const choices = { scope, rotate: [], maxDeletes: null, allowDeleteAll: [] };
const given = (...resources: ReturnType<typeof declared>[]) => ({ resources, choices });
const unchanged = { changes: [] };

test('an object that the plan leaves as it is equals its declaration', () => {
  expect(equalTo(given(declared('a')), unchanged)(live('a'))).toBe('digest');
  expect(equalTo(given(declared('a', { id: '1' })), unchanged)(live('a'))).toBe('digest');
});

test('what was not compared, or not whole, is equal to nothing', () => {
  const { changes } = planOf({ declared: [resource('SenderAddress', ['a'])], live: [] });
  expect(changes).toHaveLength(1);
  expect(equalTo(given(declared('a')), { changes })(live('a'))).toBeNull();
  expect(equalTo(given(declared('b')), unchanged)(live('a'))).toBeNull();
  expect(equalTo(given(declared('a', { ensure: 'absent' })), unchanged)(live('a'))).toBeNull();
  expect(equalTo(given(declared('a', { digest: null })), unchanged)(live('a'))).toBeNull();
  expect(equalTo(given(declared('a', { id: '2' })), unchanged)(live('a'))).toBeNull();
  expect(equalTo(given(declared('a')), unchanged)(live('a', { hidden: ['/x'] }))).toBeNull();
  const except = { ...choices, scope: { ...scope, except: ['SenderAddress/*'] } };
  expect(equalTo({ resources: [declared('a')], choices: except }, unchanged)(live('a'))).toBeNull();
});

test('an object that is known to be equal is not read for it', () => {
  const known = live('a', { equalTo: 'digest' });
  Object.defineProperty(known, 'hidden', {
    get: () => {
      throw new Error('read');
    },
  });
  expect(equalTo(given(declared('a')), unchanged)(known)).toBe('digest');
});
