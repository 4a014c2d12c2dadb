/** What is said of manifests whose object in the tenant is not clear: what is wrong, where, and what to do. */
import { expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.ts';
import { answers, type PlanCase, planOf, resource } from '../support/plan.ts';

const integration = (name: string, more: Parameters<typeof resource>[3] = {}) =>
  resource('SimIntegration', [name], {}, more);
const live = [answers.integration('1', 'Old'), answers.integration('2', 'Second')];

function problemsOf(given: PlanCase) {
  try {
    return planOf(given).diagnostics;
  } catch (error) {
    if (error instanceof Failure) return error.diagnostics;
    throw error;
  }
}

it.each<[string, PlanCase, object]>([
  [
    'a pinned object that gets the name of another one',
    { declared: [integration('Second', { id: '1' })], live },
    {
      code: 'key-taken',
      severity: 'error',
      message:
        'SimIntegration/Old cannot be renamed to "Second": the tenant has another SimIntegration of that name, with the id "2".',
      hint: 'Choose another name. If the other object is to be renamed or deleted as well, do that first, in an apply with --only.',
      address: 'SimIntegration/Second',
    },
  ],
  [
    'a pinned id that the tenant does not have',
    { declared: [integration('Old', { id: '3' })], live },
    {
      code: 'unknown-id',
      severity: 'error',
      message: 'The tenant has no SimIntegration with the id "3" that this manifest pins.',
      hint: 'Correct the id, or remove it to match by name.',
      address: 'SimIntegration/Old',
    },
  ],
  [
    'a rename of an object that is not there',
    { declared: [integration('New', { lifecycle: { renamedFrom: ['Gone'] } })], live },
    {
      code: 'not-renamed',
      severity: 'warning',
      message: 'The tenant has no SimIntegration/Gone to rename, so SimIntegration/New is created.',
      hint: 'Correct `renamedFrom`, or remove it if the object is new.',
      address: 'SimIntegration/New',
    },
  ],
  [
    'a rename to a name that the tenant has already',
    { declared: [integration('Second', { lifecycle: { renamedFrom: ['Old'] } })], live },
    {
      code: 'not-renamed',
      severity: 'warning',
      message: 'SimIntegration/Second exists already, so SimIntegration/Old is not renamed to it and stays.',
      hint: 'Remove `renamedFrom`, and declare the old object with `ensure: absent` if it is to be deleted.',
      address: 'SimIntegration/Second',
    },
  ],
  [
    'a name that another manifest pins by its id',
    { declared: [integration('New', { id: '1' }), integration('Old')], live },
    {
      code: 'duplicate-object',
      severity: 'error',
      hint: 'Keep one of the two manifests. The one with the id renames the object, so the former name needs no manifest.',
      address: 'SimIntegration/Old',
    },
  ],
])('%s', (_, given, said) => {
  expect(problemsOf(given)).toMatchObject([said]);
});

it('says nothing of a rename of an object of which something is ignored', () => {
  const lifecycle = { renamedFrom: ['Old'], ignore: ['/description'] };
  expect(problemsOf({ declared: [integration('New', { lifecycle })], live })).toEqual([]);
});
