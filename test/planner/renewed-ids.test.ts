/** What a rollback gives an object that refers to one which was deleted, and has another id once it is created again. */
import { describe, expect, it } from 'vitest';
import type { Kind } from '../../src/kinds/kind.ts';
import { formatAddress } from '../../src/model/address.ts';
import type { Json } from '../../src/model/json.ts';
import {
  createdAgain,
  formerIdRemarks,
  renewedIds,
  type Undo,
  withRenewedIds,
} from '../../src/planner/rollback.ts';
import { identity, profile, ref, role } from './referring.ts';
import { record } from './rolling-back.ts';

const undo = (kind: Kind, name: string, more: Parameters<typeof record>[1] = {}): Undo => ({
  kind,
  record: record(formatAddress(kind.name, [name]), more),
  key: [name],
  former: [name],
});
const deleted = (kind: Kind, name: string, id: string) => undo(kind, name, { action: 'delete', id });
const idOf = (id: Json) => () => id;

const fields = {
  text: 'p1',
  owner: { type: 'IDENTITY', id: 'i1' },
  profiles: [{ id: 'p1' }, { id: 'p2' }, { id: ref('Profile/New') }],
  unknown: 'p1',
};

describe('a restored object', () => {
  it('refers to the objects that take the place of deleted ones, each kind by itself', () => {
    const renewed = renewedIds([deleted(profile, 'Read', 'p1'), deleted(profile, 'i1', 'i1')], createdAgain);
    expect(withRenewedIds(role, fields, renewed)).toEqual({
      ...fields,
      profiles: [{ id: ref('Profile/Read') }, { id: 'p2' }, { id: ref('Profile/New') }],
    });
    const again = renewedIds([deleted(profile, 'Read', 'p1')], idOf('p7'));
    expect(withRenewedIds(role, fields, again)).toMatchObject({
      text: 'p1',
      profiles: [{ id: 'p7' }, { id: 'p2' }, expect.anything()],
    });
  });

  it('keeps the ids of objects that were not deleted, or whose ids nobody recorded', () => {
    const renewed = renewedIds(
      [
        undo(profile, 'Read', { action: 'update', id: 'p1' }),
        undo(profile, 'Made', { action: 'create', id: 'p2' }),
        undo(profile, 'undefined', { action: 'delete' }),
      ],
      createdAgain,
    );
    expect([...renewed]).toEqual([]);
    expect(withRenewedIds(role, fields, renewed)).toEqual(fields);
  });

  it('keeps the id of an object that the API cannot create again', () => {
    const renewed = renewedIds([deleted(identity, 'Ann', 'i1')], createdAgain);
    expect(withRenewedIds(role, fields, renewed)).toEqual(fields);
  });
});

describe('a warning', () => {
  const remarks = (...all: readonly Undo[]) =>
    formerIdRemarks(undo(role, 'Reader'), fields, renewedIds(all, idOf(null)));

  it('names each object once that is gone and that the rollback does not create', () => {
    const twice = formerIdRemarks(
      undo(role, 'Reader'),
      { profiles: [{ id: 'p1' }, { id: 'p1' }], owner: { id: 7 } },
      renewedIds([deleted(profile, 'Read', 'p1')], idOf(null)),
    );
    expect(twice).toEqual([
      {
        code: 'rollback-former-id',
        severity: 'warning',
        message:
          'Role/Reader gets back the former id of Profile/Read, which was deleted and which this rollback does not create.',
        hint: 'Roll both back together, or create Profile/Read first and refer to it by a manifest.',
        address: 'Role/Reader',
      },
    ]);
    expect(remarks(deleted(profile, 'Read', 'p1'), deleted(identity, 'Ann', 'i1'))).toHaveLength(2);
  });

  it('is not given for other objects, or for one that is created again', () => {
    expect(remarks(deleted(profile, 'Other', 'p9'), deleted(role, 'p1', 'p1'))).toEqual([]);
    const created = renewedIds([deleted(profile, 'Read', 'p1')], createdAgain);
    expect(formerIdRemarks(undo(role, 'Reader'), fields, created)).toEqual([]);
  });
});
