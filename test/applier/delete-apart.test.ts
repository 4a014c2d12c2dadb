import { describe, expect, it } from 'vitest';
import { apply, inTime, newFolder, outcomes, steppingClock, watched } from './run.ts';
import { answered, startTenant, type Tenant } from './tenant.ts';
import { deleteNotes, planOf } from './things.ts';

const noteOf = (key: string) => ({ id: `id-${key}`, key, text: 'x' });
const [one, two, three] = [noteOf('one'), noteOf('two'), noteOf('three')] as const;
const notes = { one, two, three };
const refused = answered(400);
const keysOf = (tenant: Tenant) => tenant.sent.map(({ body }) => JSON.stringify(body));

describe('a bulk delete that the tenant refuses', () => {
  it('because one object was gone already is made for the others, one by one', async () => {
    const tenant = await startTenant({ notes });
    tenant.fault = (_request, count) => {
      if (count > 1) return null;
      tenant.notes.delete('two');
      return refused;
    };
    const result = await apply(deleteNotes([one, two, three]), tenant);
    expect(outcomes(result)).toBe('Note/one done, Note/two done, Note/three done');
    expect(tenant.notes.size).toBe(0);
    expect(keysOf(tenant).slice(1)).toEqual([
      expect.stringMatching(/^\[\{"key":"one"/),
      expect.stringMatching(/^\[\{"key":"three"/),
    ]);
    const gone = result.changes.find(({ address }) => address.endsWith('/two'));
    expect(gone?.warnings).toEqual(['It was already gone, so the tenant refused the request.']);
  });

  it('leaves an object alone that somebody changed meanwhile', async () => {
    const tenant = await startTenant({ notes });
    tenant.fault = () => {
      tenant.notes.delete('one');
      tenant.notes.set('two', { ...two, text: 'theirs' });
      return refused;
    };
    const result = await apply(deleteNotes([one, two]), tenant);
    expect(outcomes(result)).toBe('Note/one done, Note/two failed');
    expect(tenant.sent).toHaveLength(1);
    expect(result.changes.at(-1)?.error).toContain('Changed since the plan');
  });

  it('because of one object that it does not delete is made for the others', async () => {
    const tenant = await startTenant({ notes });
    tenant.fault = ({ body }) => (JSON.stringify(body).includes('"two"') ? refused : null);
    const result = await apply(deleteNotes([one, two, three]), tenant);
    expect(outcomes(result)).toBe('Note/one done, Note/two failed, Note/three done');
    expect([...tenant.notes.keys()]).toEqual(['two']);
  });

  it('is finished by the same plan, once the tenant deletes the object that it refused', async () => {
    const tenant = await startTenant({ notes });
    let isForbidden = true;
    tenant.fault = ({ body }) => {
      if (tenant.sent.length === 1) tenant.notes.delete('one');
      return isForbidden && JSON.stringify(body).includes('"two"') ? refused : null;
    };
    const [plan, folder] = [planOf(deleteNotes([one, two, three])), await newFolder()];
    await apply(plan, tenant, { folder });
    isForbidden = false;
    expect((await apply(plan, tenant, { folder })).outcome).toBe('done');
    expect(tenant.notes.size).toBe(0);
  });

  it('of a single object that is still there is not sent again', async () => {
    const tenant = await startTenant({ notes }, refused);
    expect(outcomes(await apply(deleteNotes([one]), tenant))).toBe('Note/one failed');
    expect(tenant.sent).toHaveLength(1);
  });

  it('of a single object that was gone already is done', async () => {
    const tenant = await startTenant({ notes });
    tenant.fault = () => {
      tenant.notes.delete('one');
      return refused;
    };
    expect(outcomes(await apply(deleteNotes([one]), tenant))).toBe('Note/one done');
    expect(tenant.sent).toHaveLength(1);
  });

  it('after an attempt that deleted some of them tells each end, and is not sent again', async () => {
    const tenant = await startTenant({ notes });
    tenant.fault = () => {
      tenant.notes.delete('one');
      return { ...refused, repeated: true };
    };
    // Somebody deletes another one before it could be read a third time.
    tenant.onRead = (count) => void (count === 3 && tenant.notes.delete('two'));
    const result = await apply(deleteNotes([one, two, three]), tenant);
    expect(outcomes(result)).toBe('Note/one done, Note/two failed, Note/three failed');
    expect(tenant.sent).toHaveLength(1);
  });

  it.each([403, 409])('with %i stays refused, although one is gone', async (status) => {
    const tenant = await startTenant({ notes });
    tenant.fault = () => {
      tenant.notes.delete('one');
      return { ...refused, status };
    };
    const result = await apply(deleteNotes([one, two]), tenant);
    expect(outcomes(result)).toBe('Note/one failed, Note/two failed');
    expect(tenant.reads).toBe(1);
  });

  it('stays refused after Ctrl-C, and nothing more is read', async () => {
    const tenant = await startTenant({ notes });
    const control = new AbortController();
    tenant.fault = () => {
      tenant.notes.delete('one');
      control.abort();
      return refused;
    };
    const result = await apply(deleteNotes([one, two]), tenant, { signal: control.signal });
    expect(outcomes(result)).toBe('Note/one failed, Note/two failed');
    expect(tenant.reads).toBe(1);
  });

  it('stops with Ctrl-C between two of those that are left', async () => {
    const tenant = await startTenant({ notes });
    const control = new AbortController();
    tenant.fault = (_request, count) => {
      if (count > 1) control.abort();
      else tenant.notes.delete('one');
      return count > 1 ? null : refused;
    };
    const result = await apply(deleteNotes([one, two, three]), tenant, { signal: control.signal });
    expect(outcomes(result)).toMatch(/^Note\/one done, .*Note\/three failed$/);
    expect(tenant.notes.has('three')).toBe(true);
    expect(tenant.sent).toHaveLength(2);
  });

  it('tells the refusal and each later request in the result of a change', async () => {
    const tenant = await startTenant({ notes });
    tenant.fault = (_request, count) => {
      if (count > 1) return null;
      tenant.notes.delete('one');
      return refused;
    };
    const { changes } = await apply(deleteNotes([one, two]), tenant);
    expect(changes.map(({ address, requests }) => [address, requests.map((sent) => sent.status)])).toEqual([
      ['Note/one', [400]],
      ['Note/two', [400, 204]],
    ]);
  });

  it('relies on no read that is older than ten seconds', async () => {
    const clock = steppingClock();
    const tenant = await startTenant({ notes });
    const limits: unknown[] = [];
    const port = watched(tenant, { send: (_request, options) => limits.push(options?.notAfter) });
    tenant.fault = (_request, count) => {
      if (count > 1) return null;
      clock.pass(5_000);
      tenant.notes.delete('one');
      return refused;
    };
    const start = clock.now();
    await apply(deleteNotes([one, two]), port, { clock });
    expect(limits).toEqual([start + 10_000, start + 15_000]);
  });

  it('reads them again where a request had to wait too long', async () => {
    const clock = steppingClock();
    const tenant = await startTenant({ notes });
    tenant.fault = (_request, count) => {
      if (count > 1) clock.pass(11_000);
      return count === 1 ? refused : null;
    };
    const result = await apply(deleteNotes([one, two, three]), inTime(tenant, clock), { clock });
    expect(outcomes(result)).toBe('Note/one done, Note/two done, Note/three done');
    expect(tenant.notes.size).toBe(0);
  });

  it('stays refused where the objects cannot be read again', async () => {
    const tenant = await startTenant({ notes });
    let isDown = false;
    tenant.readFault = () => (isDown ? new Error('down') : null);
    tenant.fault = () => {
      isDown = true;
      return refused;
    };
    const result = await apply(deleteNotes([one, two]), tenant);
    expect(outcomes(result)).toBe('Note/one failed, Note/two failed');
    expect(tenant.sent).toHaveLength(1);
  });
});
