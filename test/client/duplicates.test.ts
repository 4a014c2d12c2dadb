/** How objects of a tenant that share a key are known, and what is said of them. */
import { describe, expect, test } from 'vitest';
import { readObjects } from '../../src/client/read.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { allOf, someOf } from '../../src/kinds/read-request.ts';
import { answers, resource } from '../support/plan.ts';
import { answerWith, fakeClient } from './support.ts';

const integrations = builtInKinds.get('SimIntegration');
const templates = builtInKinds.get('NotificationTemplate');
const integration = (id: string | null, name: string) => ({ id, name, type: `of ${id}` });
const listing = (rows: readonly object[]) =>
  fakeClient(() =>
    answerWith(
      200,
      rows.map((row) => ({ ...row })),
    ),
  );

describe('objects that share a key', () => {
  const given = [
    answers.template('a', {}, '1'),
    answers.template('b', {}, '2'),
    answers.template('a', {}, null),
    answers.template('c', {}, '3'),
    answers.template('b', {}, '4'),
  ].map(({ raw }) => raw);
  const keys = (...names: string[]) => names.map((name) => [name, 'EMAIL', 'en']);

  test('are named where a manifest means them, with their ids and what to do', async () => {
    const read = readObjects(listing(given), [someOf(templates, keys('a', 'b', 'c'))]);
    await expect(read).rejects.toMatchObject({
      diagnostics: [
        {
          code: 'duplicate-live-key',
          severity: 'error',
          message:
            'The tenant has 2 objects of kind NotificationTemplate with the key "a/EMAIL/en": ids 1, no id.',
          hint: 'Rename or delete all but one of them in the tenant.',
          address: 'NotificationTemplate/a/EMAIL/en',
        },
        { message: expect.stringContaining('ids 2, 4') },
      ],
    });
  });

  test('are no problem where no manifest means them', async () => {
    expect(await readObjects(listing(given), [someOf(templates, keys('c'))])).toHaveLength(1);
    expect(await readObjects(listing(given), [allOf(templates)])).toHaveLength(5);
  });
});

/** What a manifest means: by name, by the id alone, or in a reference. */
interface Meant {
  readonly keys?: readonly string[];
  readonly ids?: readonly string[];
  readonly referred?: readonly string[];
}

describe('objects that share a name', () => {
  const keysOf = async (objects: readonly object[], { keys = [], ids = [], referred = [] }: Meant = {}) => {
    const all = [...keys, ...ids, ...referred].map((key) => [key]);
    const allowsDuplicates = referred.map((key) => [key]);
    const request = { ...allOf(integrations), keys: all, ids, idsAsNames: ids, allowsDuplicates };
    const found = await readObjects(listing(objects), [request]);
    return found.map(({ key, address, identity }) => {
      expect([address, identity]).toEqual(Array(2).fill(resource(integrations, key).address));
      return key[0];
    });
  };
  const twins = [integration('p1', 'All'), integration('p2', 'All')];
  const alone = integration('p3', 'Alone');

  test('are known by their ids, and others by their names', async () => {
    expect(await keysOf([...twins, alone])).toEqual(['p1', 'p2', 'Alone']);
    expect(await keysOf([...twins, alone], { keys: ['Alone', 'other'] })).toEqual(['p1', 'p2', 'Alone']);
  });

  test('are refused where a manifest means the name, and can be declared by their ids', async () => {
    const hint =
      'Rename or delete all but one of them in the tenant. Or declare each by its `id` alone, without the name.';
    await expect(keysOf([...twins, alone], { keys: ['All'] })).rejects.toMatchObject({
      diagnostics: [{ hint, address: 'SimIntegration/All' }],
    });
  });

  test('are known by the id that a manifest means, also where nobody shares the name', async () => {
    expect(await keysOf([...twins, alone], { ids: ['p3'] })).toEqual(['p1', 'p2', 'p3']);
    expect(await keysOf([...twins, alone], { keys: ['All'], ids: ['p2'] })).toEqual(['All', 'p2', 'Alone']);
  });

  test('are known by the id that a reference has, unless an object has it as its name', async () => {
    expect(await keysOf([alone], { referred: ['p3'] })).toEqual(['p3']);
    expect(await keysOf([alone, integration('p9', 'p3')], { referred: ['p3'] })).toEqual(['Alone', 'p3']);
    // A manifest declares it by its name: known by its id, it would look absent, and be created again.
    expect(await keysOf([alone], { keys: ['Alone'], referred: ['p3'] })).toEqual(['Alone']);
  });

  test('are among those asked for where a reference has their id', async () => {
    const referred = { ...someOf(integrations, [['p3']]), allowsDuplicates: [['p3']] };
    const found = await readObjects(listing([...twins, alone]), [referred]);
    expect(found).toMatchObject([{ key: ['p3'], shownKey: ['Alone'] }]);
    expect(await readObjects(listing([...twins, alone]), [someOf(integrations, [['p3']])])).toEqual([]);
  });

  test('keep it where a manifest has their id as a name, or they have no id', async () => {
    expect(await keysOf([alone], { keys: ['p3'] })).toEqual(['Alone']);
    const nameless = [integration(null, 'a'), { ...integration(null, 'a'), type: 'other' }];
    expect(await keysOf(nameless)).toEqual(['a', 'a']);
  });
});
