import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { answers, type PlanCase, planOf, resource } from '../support/plan.ts';

/** What is said of manifests whose object in the tenant is not clear: what is wrong, where, and what to do. */

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
])('%s', (_, given, said) => expect(problemsOf(given)).toMatchObject([said]));

const written = { digest: () => 'sha256:0', differsHere: () => [], isEnsuredHere: false };
const wanted = (fields: JsonObject, name = 'New', kind = 'SimIntegration') => ({
  ...resource(kind, [name], fields),
  declaration: written,
});
const tickets = answers.integration('1', 'Old', { type: 'T', description: 'D', attributes: { pin: '***' } });
const twin = { ...tickets, raw: { ...tickets.raw, id: '2', name: 'C' } };
const profile = (name: string | null) => [{ kind: 'AuthProfile', id: 'p', raw: { name, type: 'MFA' } }];
const hidden = { attributes: { pin: { $secret: 'PIN' } } };
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `D${at}`);
const crowd = (declared: number) => ({
  declared: numbered(declared).map((description) => wanted({ description }, `New ${description}`)),
  live: numbered(100).map((text) => answers.integration(`i${text}`, text, { description: text })),
});

it.each<[string, PlanCase, number]>([
  ['has what it declares', { declared: [wanted({ type: 'T' })], live: [tickets] }, 1],
  ['differs in a field', { declared: [wanted({ type: 'T', description: 'E' })], live: [tickets] }, 0],
  ['may have it, where nothing is declared', { declared: [wanted({})], live: [tickets] }, 0],
  ['has it, beside what it hides', { declared: [wanted({ type: 'T', ...hidden })], live: [tickets] }, 1],
  ['hides all that is declared', { declared: [wanted(hidden)], live: [tickets] }, 0],
  ['has it too', { declared: [wanted({ type: 'T' }), wanted({ type: 'T' }, 'B')], live: [tickets] }, 0],
  ['has it like another', { declared: [wanted({ type: 'T' })], live: [tickets, twin] }, 0],
  ['has a manifest', { declared: [wanted({ type: 'T' }), wanted({}, 'Old')], live: [tickets] }, 0],
  ['gets it back', { declared: [resource('SimIntegration', ['New'], { type: 'T' })], live: [tickets] }, 0],
  ['has it and a name', { declared: [wanted({ type: 'MFA' }, 'N', 'AuthProfile')], live: profile('Old') }, 1],
  ['has it and no name', { declared: [wanted({ type: 'MFA' }, 'N', 'AuthProfile')], live: profile(null) }, 0],
  ['is one of many', crowd(100), 100],
  ['is one of too many to compare', crowd(101), 0],
])(
  'a new object is asked about only where another one has what it declares: one that %s',
  (_, given, asked) => expect(problemsOf(given).filter(({ code }) => code === 'renamed')).toHaveLength(asked),
);

it('says nothing of a rename of an object of which something is ignored', () => {
  const lifecycle = { renamedFrom: ['Old'], ignore: ['/description'] };
  expect(problemsOf({ declared: [integration('New', { lifecycle })], live })).toEqual([]);
});

/** New objects whose keys look like those that the tenant has. */

const plan = (name: string, ...live: string[]) =>
  planOf({
    declared: [resource('SimIntegration', [name])],
    live: live.map((each, at) => answers.integration(String(at), each)),
  });

describe('a create whose key has a look-alike', () => {
  it.each([
    ['composed letters', 'Café', 'Cafe\u0301', '"Cafe<U+0301>"', '"Caf<U+00E9>"'],
    ['a character without width', 'Help desk', 'Help\u200b desk', '"Help<U+200B> desk"', '"Help desk"'],
    ['a blank at the end', 'Help ', 'Help', '"Help"', '"Help "'],
    ['a blank at the beginning', 'Help', ' Help', '" Help"', '"Help"'],
    ['another blank', 'Help desk', 'Help\u00a0desk', '"Help<U+00A0>desk"', '"Help desk"'],
  ])('is told, with both keys as they are: %s', (_, name, live, shown, mine) => {
    const { diagnostics, changes } = plan(name, live, 'Other');
    expect(changes).toMatchObject([{ action: 'create' }]);
    expect(diagnostics).toMatchObject([{ code: 'look-alike-key', severity: 'warning' }]);
    expect(diagnostics[0]?.message).toContain(shown);
    expect(diagnostics[0]?.message).toContain(mine);
    expect(diagnostics[0]?.address).toBe(changes[0]?.address);
  });

  it.each([
    ['another name', 'Help desk', 'Helpdesk'],
    ['another letter', 'Cafe', 'Café'],
    ['another case, which counts', 'Help', 'help'],
  ])('is not told of %s', (_, name, live) => expect(plan(name, live).diagnostics).toEqual([]));

  it('is not told of another kind, or of what exists', () => {
    const declared = [resource('ProfileSearch', ['Help '], { rules: [] })];
    expect(planOf({ declared, live: [answers.integration('1', 'Help')] }).diagnostics).toEqual([]);
    expect(plan('Help', 'Help', 'Help ').diagnostics).toEqual([]);
  });
});

it.each([
  ['help@bücher.example', 'Help@xn--bcher-kva.example'],
  ['help@xn--bcher-kva.example', 'help@Bücher.example'],
])('a sender and its punycode twin are one: %s and %s', (declared, live) => {
  const [manifests, objects] = [[resource('SenderAddress', [declared])], [answers.sender('1', live)]];
  expect(planOf({ declared: manifests, live: objects })).toMatchObject({
    changes: [],
    diagnostics: [],
    summary: { unchanged: 1 },
  });
});
