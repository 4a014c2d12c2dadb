import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import type { Sandbox, TenantState } from '../../src/sandbox/index.ts';
import { call, start } from './caller.ts';

const now = () => Date.UTC(2026, 5, 15, 12);

function search(sandbox: Sandbox) {
  const [first] = sandbox.state.profileSearches;
  if (first === undefined) throw new Error('the seed has searches');
  return first;
}

function attribute({ neAttributes }: TenantState, uid: string): string {
  return neAttributes.find((candidate) => candidate.uid === uid)?.id ?? '';
}

const patch = (sandbox: Sandbox, rules: Json) =>
  call(sandbox, `PATCH /api/advanced_search/${search(sandbox).id}`, {
    body: { advanced_search: { condition_rules_attributes: rules } },
  });

const onStatus = { type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' };

describe('rules are nested records', () => {
  test('one that is made again has another id', async () => {
    const sandbox = await start();
    search(sandbox).rules = [];
    const add = async () => {
      await patch(sandbox, [onStatus]);
      return search(sandbox).rules[0]?.id ?? '';
    };
    const first = await add();
    await patch(sandbox, [{ id: first, _destroy: true }]);
    expect(await add()).not.toBe(first);
  });

  test('one changed, one removed, one kept, one added', async () => {
    const sandbox = await start();
    const [status, type, department] = search(sandbox).rules.map(({ id }) => id);
    const answer = await patch(sandbox, [
      { id: status ?? '', value: 'Inactive' },
      { id: type ?? '', _destroy: true },
      { type: 'ProfileStatusRule', comparison_operator: '!=', value: 'Terminated' },
    ]);
    expect(answer.status, answer.text).toBe(200);
    const rules = search(sandbox).rules;
    expect(rules.map(({ id }) => id)).toEqual([status, department, expect.any(String)]);
    expect(rules.map(({ value }) => value)).toEqual(['Inactive', expect.any(String), 'Terminated']);
    expect(new Set([type, ...rules.map(({ id }) => id)]).size).toBe(4);
  });

  test.each([
    ['an unknown id', [{ id: 'x', value: 'Active' }]],
    ['an attribute of another rule', [{ ...onStatus, condition_object_id: 'x' }]],
    ['_destroy without an id', [{ _destroy: true }]],
    ['an unknown status', [{ type: 'ProfileStatusRule', comparison_operator: '==', value: 'Gone' }]],
    // All that the tables do not allow is in rules.test.ts.
    ['a value that is no text', [{ type: 'ProfileStatusRule', comparison_operator: '==', value: 1 }]],
    ['no operator', [{ type: 'ProfileStatusRule', value: 'Active' }]],
  ])('%s is refused', async (_what, rules) => {
    const sandbox = await start();
    const before = JSON.stringify(sandbox.state);
    const answer = await patch(sandbox, rules);
    expect([answer.status, JSON.stringify(sandbox.state) === before]).toEqual([400, true]);
  });

  test('one may be given once in a change, whatever the change does', async () => {
    const sandbox = await start();
    const before = structuredClone(search(sandbox));
    const id = before.rules[0]?.id ?? '';
    for (const second of [{ id }, { id, value: 'x' }, { id, _destroy: true }]) {
      const answer = await patch(sandbox, [{ id }, second]);
      expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('is given twice') });
    }
    expect(search(sandbox)).toEqual(before);
    expect((await patch(sandbox, [{ id }])).status).toBe(200);
  });

  test('the object type may have another name, the path another place, and DELETE be there', async () => {
    const sandbox = await start({
      variations: {
        ruleObjectType: 'condition_object_type',
        profileSearchPath: '/api/searches',
        profileSearchDelete: true,
      },
    });
    const listed = await call(sandbox, 'GET /api/searches');
    expect(listed.text).toContain('"condition_object_type":"NeAttribute"');
    expect(listed.text).not.toContain('"object_type"');
    expect((await call(sandbox, `DELETE /api/searches/${search(sandbox).id}`)).status).toBe(204);
    expect(sandbox.state.profileSearches).toHaveLength(3);
    expect((await call(sandbox, 'GET /api/advanced_search')).status).toBe(404);
  });
});

describe('a search is run', () => {
  // What each rule finds is tested in rules.test.ts.
  test('on the date of the tenant, without being saved', async () => {
    const sandbox = await start({ clock: { now } });
    const [model] = sandbox.state.profiles;
    if (model === undefined) throw new Error('the seed has profiles');
    sandbox.state.profiles = ['06/15/2026', '06/25/2026', null].map((date, index) => ({
      ...model,
      uid: String(index),
      attributes: { end_date: date },
    }));
    const rule = {
      type: 'ProfileAttributeRule',
      object_type: 'NeAttribute',
      condition_object_id: attribute(sandbox.state, 'end_date'),
      comparison_operator: '==',
      value: '10 after',
    };
    const body = { advanced_search: { condition_rules_attributes: [rule] } };
    const answer = await call(sandbox, 'POST /api/advanced_search/run', { body });
    expect(answer.body).toMatchObject([{ uid: '1' }]);
    expect(answer.body).toHaveLength(1);
  });

  test('a saved one, in pages and in order; every rule must hold', async () => {
    const sandbox = await start({ clock: { now } });
    const path = `/api/advanced_search/${search(sandbox).id}/run`;
    const answer = await call(sandbox, `GET ${path}?limit=500&order=name&metadata=true`);
    const engineering = sandbox.state.profiles.find(({ name }) => name === 'Engineering')?.id ?? '';
    const contractor = sandbox.state.profileTypes.find(({ uid }) => uid === 'contractor')?.id ?? '';
    const expected = sandbox.state.profiles
      .filter(({ status }) => status === 'Active')
      .filter(({ profile_type_id }) => profile_type_id === contractor)
      .filter(({ attributes }) => attributes.department === engineering)
      .map(({ name }) => name)
      .sort((a, b) => (a < b ? -1 : 1));
    expect(expected.length).toBeGreaterThan(2);
    expect(answer.body).toMatchObject({ profiles: expected.map((name) => ({ name })) });
    const page = await call(sandbox, `GET ${path}?limit=1&offset=1&order=name`);
    expect(page.body).toMatchObject([{ name: expected[1] }]);
  });
});
