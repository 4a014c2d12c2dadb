/** What a rollback gives an object that refers to one which was deleted, and has another id once it is created again. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { ChangeResult } from '../../src/model/result.ts';
import { rollbackState } from '../../src/planner/rollback.ts';
import { kinds, live, profile, ref, role } from './referring.ts';
import { record, rollbackInput } from './rolling-back.ts';

const deleted = (address: string, id: string) => record(address, { action: 'delete', before: {}, id });

const fields = {
  text: 'p1',
  owner: { type: 'IDENTITY', id: 'i1' },
  profiles: [{ id: 'p1' }, { id: 'p2' }],
};

/** What a rollback makes of a role whose fields were others, and of other changes. */
function rollBack(
  others: readonly ChangeResult[],
  { before = fields, only = [], again = [] }: { before?: JsonObject; only?: string[]; again?: string[] } = {},
) {
  const input = rollbackInput({ records: [record('Role/Reader', { before }), ...others], scope: { only } });
  const objects = [live(role, 'r1', 'Reader'), ...again.map((name) => live(profile, 'p7', name))];
  const { resources, diagnostics } = rollbackState(
    { ...input, environment: { ...input.environment, kinds } },
    objects,
  );
  return { restored: resources[0]?.fields, diagnostics };
}

describe('a restored object', () => {
  it('refers to the objects that take the place of deleted ones, each kind by itself', () => {
    const gone = [deleted('Profile/Read', 'p1'), deleted('Profile/i1', 'i1')];
    expect(rollBack(gone).restored).toEqual({
      ...fields,
      profiles: [{ id: ref('Profile/Read') }, { id: 'p2' }],
    });
    expect(rollBack([deleted('Profile/Read', 'p1')], { again: ['Read'] }).restored).toEqual({
      ...fields,
      profiles: [{ id: 'p7' }, { id: 'p2' }],
    });
  });

  it.each([
    ['was not deleted', record('Profile/Read', { action: 'update', before: {}, id: 'p1' })],
    ['was made', record('Profile/Made', { action: 'create', id: 'p2' })],
    ['had an id that nobody recorded', record('Profile/undefined', { action: 'delete', before: {} })],
    ['the API cannot create again', deleted('Identity/Ann', 'i1')],
  ])('keeps the id of what %s', (_what, other) => {
    expect(rollBack([other]).restored).toEqual(fields);
  });
});

describe('a warning', () => {
  const only = ['Role/**'];
  const warnings = (...args: Parameters<typeof rollBack>) =>
    rollBack(...args).diagnostics.filter(({ code }) => code === 'rollback-former-id');

  it('names each object once that is gone and that the rollback does not create', () => {
    const before = { profiles: [{ id: 'p1' }, { id: 'p1' }], owner: { id: 7 } };
    expect(warnings([deleted('Profile/Read', 'p1')], { before, only })).toEqual([
      {
        code: 'rollback-former-id',
        severity: 'warning',
        message:
          'Role/Reader gets back the former id of Profile/Read, which was deleted and which this rollback does not create.',
        hint: 'Roll both back together, or create Profile/Read first and refer to it by a manifest.',
        address: 'Role/Reader',
      },
    ]);
    const two = [deleted('Profile/Read', 'p1'), deleted('Identity/Ann', 'i1')];
    expect(warnings(two, { only })).toHaveLength(2);
  });

  it('is not given for other objects, or for one that is created again', () => {
    expect(warnings([deleted('Profile/Other', 'p9'), deleted('Role/p1', 'p1')], { only })).toEqual([]);
    expect(warnings([deleted('Profile/Read', 'p1')])).toEqual([]);
  });
});
