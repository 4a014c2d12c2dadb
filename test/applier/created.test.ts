import { describe, expect, it } from 'vitest';
import { CreatedIds } from '../../src/applier/created.ts';
import type { FoundObjects, KindChange } from '../../src/applier/find.ts';
import { createThing, deleteThing, diff, objectOf, request, thing } from './things.ts';

const ref = { $ref: 'Thing/base' };
const base = { kind: thing, change: createThing('base') };
const user: KindChange = {
  kind: thing,
  change: {
    ...createThing('user', {}),
    diff: [diff('/above', null, ref), diff('/text', null, 'x')],
    requests: [request('POST', '/v2024/things', { name: 'user', above: ref })],
  },
};
const live = objectOf(thing, { id: 't1', name: 'base' });
const nameless = { ...live, id: null };

describe('the id of a created object', () => {
  it('is filled in where a change shows it and where it is sent', () => {
    const created = new CreatedIds();
    expect(created.missingFor(user)).toEqual(['Thing/base']);
    expect(created.fill(user).change.requests).toEqual(user.change.requests);
    created.learn('Thing/base', live);
    expect(created.missingFor(user)).toEqual([]);
    expect(created.fill(user).change).toEqual({
      ...user.change,
      diff: [diff('/above', null, 't1'), diff('/text', null, 'x')],
      requests: [request('POST', '/v2024/things', { name: 'user', above: 't1' })],
    });
  });

  it('is not looked for in a change that refers to nothing', () => {
    expect(new CreatedIds().fill(base)).toBe(base);
  });

  it('is known from an earlier run, and only where this plan creates the object', () => {
    const created = new CreatedIds();
    const found: FoundObjects = { live, others: [], standard: null };
    created.find([{ kind: thing, change: deleteThing({ id: 't1', name: 'base' }) }], () => found);
    created.find([base], () => ({ ...found, live: null }));
    expect(created.missingFor(user)).toEqual(['Thing/base']);
    created.find([base], () => found);
    expect(created.missingFor(user)).toEqual([]);
  });

  it('is known once its create is done, and not before', () => {
    const gone = { ...base.change, action: 'delete' } as const;
    for (const [change, outcome, seen] of [
      [base.change, 'unknown', live],
      [base.change, 'done', null],
      [base.change, 'done', nameless],
      [gone, 'done', live],
    ] as const) {
      const created = new CreatedIds();
      created.end(change, outcome, seen);
      expect(created.missingFor(user), `${change.action} ${outcome}`).toEqual(['Thing/base']);
    }
    const created = new CreatedIds();
    created.end(base.change, 'done', live);
    expect(created.missingFor(user)).toEqual([]);
  });

  it('is missing because the object was not created, or because the tenant does not show it', () => {
    const created = new CreatedIds();
    created.end(base.change, 'failed', null);
    expect(created.whyMissing('Thing/base')).toBe('It refers to Thing/base, which was not created.');
    created.end(base.change, 'done', nameless);
    expect(created.whyMissing('Thing/base')).toBe(
      'It refers to Thing/base, whose id the tenant does not show.',
    );
  });
});
