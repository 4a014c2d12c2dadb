import { describe, expect, it } from 'vitest';
import type { Policy } from '../../src/kinds/project.ts';
import { isRefused, type Plan } from '../../src/model/documents.ts';
import { findLaterRefusals } from '../../src/planner/guards.ts';
import { answers, type PlanCase, planOf, resource } from '../support/plan.ts';

const absent = { ensure: 'absent' } as const;
const gone = (email: string, more = {}) => resource('SenderAddress', [email], {}, { ...absent, ...more });
const senders = (...names: string[]) => names.map((name) => answers.sender(name, `${name}@a.example`));
const errors = (plan: Plan) => plan.diagnostics.filter(({ severity }) => severity === 'error');
const refusals = (given: PlanCase) => errors(planOf(given));
const codes = (given: PlanCase) => refusals(given).map(({ code }) => code);

describe('the guard of protected objects', () => {
  const declared = [gone('a@a.example')];
  const live = senders('a', 'b');

  it('names the list of the environment, and what lifts it', () => {
    const address = 'SenderAddress/a%40a.example';
    const list = "the environment's `protect` list";
    const message = `${address} would be deleted, but it is protected by ${list}.`;
    const hint = `Remove it from ${list} first, or leave it out with --except '${address}'.`;
    const given = { declared, live, policy: { protect: ['SenderAddress/a@*'] } };
    expect(refusals(given)).toEqual([{ code: 'protected', severity: 'error', message, hint, address }]);
  });

  it('names the manifest', () => {
    const [refusal] = refusals({ declared: [gone('a@a.example', { lifecycle: { protect: true } })], live });
    expect(refusal?.message).toMatch(/protected by `lifecycle.protect` in its manifest\.$/);
    expect(refusal?.hint).toMatch(/^Remove `lifecycle.protect` from its manifest first, or leave/);
  });

  it('lets other objects go', () =>
    expect(codes({ declared, live, policy: { protect: ['SenderAddress/b@*'] } })).toEqual([]));
});

describe('the guard of the number of deletes', () => {
  const declared = [gone('a@a.example'), gone('b@a.example')];
  const live = senders('a', 'b', 'c');

  it('lets exactly the limit pass, and not one more', () => {
    expect(codes({ declared, live, policy: { maxDeletes: 2 } })).toEqual([]);
    const message = 'The plan deletes 2 objects; at most 1 may be deleted at once.';
    const hint = 'If you want to delete all of them, raise the limit with --max-deletes 2.';
    const refused = [{ code: 'max-deletes', severity: 'error', message, hint }];
    expect(refusals({ declared, live, policy: { maxDeletes: 1 } })).toEqual(refused);
  });

  it('counts one object as one', () => {
    expect(refusals({ declared: declared.slice(0, 1), live, policy: { maxDeletes: 0 } })).toMatchObject([
      { message: 'The plan deletes 1 object; at most 0 may be deleted at once.' },
    ]);
  });

  it('takes the limit of the command line before that of the environment, 0 too', () => {
    const codesOf = (maxDeletes: number, choice: number) =>
      codes({ declared, live, policy: { maxDeletes }, choices: { maxDeletes: choice } });
    expect(codesOf(1, 2)).toEqual([]);
    expect(codesOf(9, 0)).toEqual(['max-deletes']);
  });
});

describe('the guard of all objects of a kind', () => {
  it('counts each kind by itself', () => {
    const declared = [gone('a@a.example'), resource('SimIntegration', ['S'], {}, absent)];
    const live = [...senders('a', 'b'), answers.integration('1', 'S'), answers.integration('2', 'T')];
    expect(codes({ declared, live })).toEqual([]);
    const message = 'The plan deletes the only SimIntegration in the tenant.';
    const hint = 'If you want that, add --allow-delete-all SimIntegration.';
    const refused = [{ code: 'deletes-all', severity: 'error', message, hint }];
    expect(refusals({ declared, live: live.slice(0, 3) })).toEqual(refused);
  });

  it('says how many there are, and is lifted for the kind that is named', () => {
    const declared = [gone('a@a.example'), gone('b@a.example')];
    const live = senders('a', 'b');
    expect(refusals({ declared, live })[0]?.message).toBe(
      'The plan deletes all 2 objects of kind SenderAddress in the tenant.',
    );
    expect(codes({ declared, live, choices: { allowDeleteAll: ['SimIntegration'] } })).toHaveLength(1);
    expect(codes({ declared, live, choices: { allowDeleteAll: ['SenderAddress'] } })).toEqual([]);
  });
});

it('deletes that somebody makes by hand trip no guard', () => {
  const given = {
    declared: [resource('ProfileSearch', ['A'], {}, absent)],
    live: [answers.search(1, 'A')],
    policy: { protect: ['**'], maxDeletes: 0 },
  };
  const plan = planOf(given);
  expect(plan.changes).toMatchObject([{ action: 'manual' }]);
  expect(isRefused(plan)).toBe(false);
  const deletable = { ...given, settings: { profileSearchDelete: true } };
  expect(codes(deletable)).toEqual(['protected', 'max-deletes', 'deletes-all']);
});

it('a change that can lock people out names its manifest', () => {
  const raw = { name: 'All', type: 'MFA', offNetwork: false, untrustedGeography: false };
  const [refusal] = refusals({
    declared: [resource('AuthProfile', ['All'], { type: 'BLOCK' })],
    live: [{ kind: 'AuthProfile', id: 'p', raw }],
  });
  expect(refusal).toMatchObject({
    code: 'lockout',
    address: 'AuthProfile/All',
    message: expect.stringMatching(
      /^AuthProfile\/All would block sign-ins .* including the credentials of this run\.$/,
    ),
    source: { file: 'config/test.yaml', line: 1 },
    hint: expect.stringContaining('allowLockout: true'),
  });
});

it('what options allow is part of the plan, and of its digest', () => {
  const [declared, live] = [[gone('a@a.example')], senders('a', 'b')];
  const plain = planOf({ declared, live });
  expect(plain).not.toHaveProperty('allowed');
  const limited = planOf({ declared, live, choices: { maxDeletes: 0 } });
  expect(limited.allowed).toEqual({ maxDeletes: 0, deleteAll: [] });
  const all = planOf({ declared, live, choices: { allowDeleteAll: ['SenderAddress'] } });
  expect(all.allowed).toEqual({ maxDeletes: null, deleteAll: ['SenderAddress'] });
  expect(new Set([plain, limited, all].map(({ digest }) => digest)).size).toBe(3);
});

describe('a saved plan when it is applied', () => {
  const declared = [gone('a@a.example'), gone('b@a.example')];
  const live = senders('a', 'b', 'c');
  const planned = (maxDeletes: number | null) => planOf({ declared, live, choices: { maxDeletes } });
  const policy = (parts: Partial<Policy> = {}): Policy => ({
    protect: [],
    prune: { kinds: [], keep: [] },
    maxDeletes: 10,
    readOnly: false,
    ...parts,
  });
  const codesLater = (plan: Plan, parts: Partial<Policy>, approval = {}) =>
    findLaterRefusals(plan, policy(parts), approval).map(({ code }) => code);

  it('is refused where the environment protects an object by now, and says which', () => {
    const refused = findLaterRefusals(planned(null), policy({ protect: ['SenderAddress/A@*'] }), {});
    expect(refused).toMatchObject([{ code: 'protected', address: 'SenderAddress/a%40a.example' }]);
    expect(codesLater(planned(null), { protect: ['SimIntegration/*'] })).toEqual([]);
  });

  it('counts deletes, and no other changes', () => {
    const more = [...declared, resource('SenderAddress', ['new@a.example'])];
    expect(codesLater(planOf({ declared: more, live }), { maxDeletes: 2 })).toEqual([]);
    expect(codesLater(planOf({ declared: more, live }), { maxDeletes: 1 })).toEqual(['max-deletes']);
  });

  it('counts what is deleted to be made again, which may be protected too', () => {
    const { changes, ...plan } = planOf({ declared, live });
    const replacing = { action: 'update', risk: ['replace'] } as const;
    const replaced = changes.map((each) => ({ ...each, ...replacing }));
    expect(codesLater({ ...plan, changes: replaced }, { maxDeletes: 1 })).toEqual(['max-deletes']);
    const policy = { protect: ['SenderAddress/a@*'], maxDeletes: 1 };
    expect(codesLater({ ...plan, changes: replaced }, policy)).toEqual(['protected', 'max-deletes']);
  });

  it.each<[string, number | null, number, { digest?: string; maxDeletes?: number }, boolean]>([
    ['without a limit keeps to that of the environment', null, 1, {}, false],
    ['cannot raise the limit of the environment by itself', 9, 1, {}, false],
    ['can lower it', 1, 9, {}, false],
    ['may do what both allow', 2, 2, {}, true],
    ['may raise it where its digest was approved', 2, 1, { digest: 'sha256:0' }, true],
    ['has its own lower limit even then', 1, 9, { digest: 'sha256:0' }, false],
    ['may raise it where the command line does', null, 1, { maxDeletes: 2 }, true],
    ['may delete nothing where the command line says so', 9, 9, { maxDeletes: 0 }, false],
    ['is held to the limit of the command line first', 9, 9, { digest: 'sha256:0', maxDeletes: 1 }, false],
  ])('%s', (_what, ofPlan, ofEnvironment, approval, isAllowed) => {
    const found = codesLater(planned(ofPlan), { maxDeletes: ofEnvironment }, approval);
    expect(found).toEqual(isAllowed ? [] : ['max-deletes']);
  });
});
