import { describe, expect, it } from 'vitest';
import { FakeTenant, planOf, sensitive, updateThing } from './fake.ts';
import { apply } from './run.ts';

describe('what a result records', () => {
  it('leaves out what is sensitive, hidden by name, or inside JSON text', async () => {
    const raw = {
      id: 't1',
      name: 'old',
      text: 'before',
      tags: ['a'],
      attributes: JSON.stringify({
        url: 'u',
        user: 'canary-marked',
        password: 'canary-1',
        apiKey: 'canary-2',
        deep: { clientSecret: 'canary-3', list: [{ token: 'canary-4', ok: 1 }] },
        inner: '{"password":"canary-5"}',
      }),
    };
    const tenant = new FakeTenant({ things: { old: raw } });
    const change = updateThing(raw, 'after');
    const diff = { path: '/attributes/url', op: 'replace', before: 'u', after: 'v' } as const;
    const url = { ...diff, sensitive: false, origin: null };
    const plan = planOf([{ ...change, diff: [...change.diff, url, sensitive('/attributes/user')] }]);
    const result = await apply(plan, tenant);
    expect(JSON.stringify(result)).not.toContain('canary');
    const attributes = { url: 'u' };
    expect(result.changes[0]).toMatchObject({
      before: { text: 'before', tags: ['a'], attributes },
      after: { text: 'after', tags: ['a'], attributes },
      withheld: ['/attributes/user'],
    });
    expect(JSON.stringify(result)).not.toContain('"ok"');
  });

  it('leaves out settings that cannot be read', async () => {
    const raw = { id: 't1', name: 'old', text: 'before', attributes: '{"password":"canary' };
    const result = await apply(planOf([updateThing(raw, 'after')]), new FakeTenant({ things: { old: raw } }));
    expect(result.changes[0]?.before).toEqual({ text: 'before' });
  });

  it('leaves out a list in which something is sensitive', async () => {
    const raw = { id: 't1', name: 'old', text: 'before', tags: ['canary'] };
    const plan = planOf([{ ...updateThing(raw, 'after'), diff: [sensitive('/tags/0')] }]);
    const result = await apply(plan, new FakeTenant({ things: { old: raw } }));
    expect(JSON.stringify(result)).not.toContain('canary');
  });
});
