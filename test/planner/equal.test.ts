import { expect, test } from 'vitest';
import { kindNamed } from '../../src/kinds/index.ts';
import type { LiveObject } from '../../src/model/live.ts';
import type { Plan } from '../../src/model/plan.ts';
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

const unchanged = { changes: [] };

/** What the plan has found of one object, matched with the declaration. */
function found(
  resource: ReturnType<typeof declared>,
  object: LiveObject,
  plan: Pick<Plan, 'changes'> = unchanged,
) {
  const kind = kindNamed('SenderAddress');
  return equalTo({ matches: [{ kind, resource, live: object }] }, plan)(object);
}

test('an object that the plan leaves as it is equals its declaration', () => {
  expect(found(declared('a'), live('a'))).toBe('digest');
});

test('what was not compared, or not whole, is equal to nothing', () => {
  const { changes } = planOf({ declared: [resource('SenderAddress', ['a'])], live: [] });
  expect(changes).toHaveLength(1);
  expect(found(declared('a'), live('a'), { changes })).toBeNull();
  expect(found(declared('A'), live('a'))).toBeNull();
  expect(found(declared('a', { ensure: 'absent' }), live('a'))).toBeNull();
  expect(found(declared('a', { digest: null }), live('a'))).toBeNull();
  expect(found(declared('a'), live('a', { hidden: ['/x'] }))).toBeNull();
});

test('an object of the same address that is another one is equal to nothing', () => {
  const kind = kindNamed('SenderAddress');
  const matches = [{ kind, resource: declared('a'), live: live('a') }];
  expect(equalTo({ matches }, unchanged)(live('a'))).toBeNull();
});

test('an object that is known to be equal is not read for it', () => {
  const known = live('a', { equalTo: 'digest' });
  Object.defineProperty(known, 'hidden', {
    get: () => {
      throw new Error('read');
    },
  });
  expect(found(declared('a'), known)).toBe('digest');
});
