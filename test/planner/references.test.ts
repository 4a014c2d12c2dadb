/** What `!ref` stands for in a tenant, and what is said where it stands for nothing. */
import { describe, expect, it } from 'vitest';
import { nameDifferences } from '../../src/engine/review.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import type { Kind, LiveObject } from '../../src/kinds/kind.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import { formatAddress } from '../../src/model/address.ts';
import { type Change, type Difference, type Plan, planDigest } from '../../src/model/documents.ts';
import { type Diagnostic, Failure } from '../../src/model/failure.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import {
  fillReferences,
  referencesIn,
  refuseLostReferences,
  refuseMissing,
  resolveReferences,
} from '../../src/planner/references.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { planOf, resource } from '../support/plan.ts';
import { identity, kinds, live, pair, profile, ref, role } from './referring.ts';

const reader = (fields: JsonObject) => resource(role, ['Reader'], fields);

interface Case {
  readonly declared: readonly Resource[];
  readonly objects?: readonly LiveObject[];
  /** What is read besides, for a hint. */
  readonly known?: readonly LiveObject[];
  readonly isInScope?: (address: string) => boolean;
}

function resolve({ declared, objects = [], isInScope = () => true }: Case) {
  const inScope = declared.filter(({ address }) => isInScope(address));
  return resolveReferences(referencesIn(inScope, kinds), { resources: declared, objects, isInScope });
}

const filled = (given: Case) => {
  const resolved = resolve(given);
  return given.declared.map((each) => fillReferences(each, resolved).fields);
};

function problemsOf(act: () => void): readonly Diagnostic[] {
  try {
    act();
  } catch (error) {
    // A failure without a reason would stop a run all the same.
    if (error instanceof Failure && error.diagnostics.length > 0) return error.diagnostics;
    throw error;
  }
  return [];
}

const problems = (given: Case) =>
  problemsOf(() => {
    const known = [...given.declared, ...(given.objects ?? []), ...(given.known ?? [])];
    refuseMissing(resolve(given).missing, known);
  });

describe('a reference', () => {
  it('is the id of the object, as its field writes ids', () => {
    const [ann, read] = [live(identity, 'i1', 'Ann'), live(profile, 'p1', 'Read')];
    const objects = [ann, read, live(pair, 'a1', 'A', { locale: 'en' })];
    const fields = {
      text: 'as it is',
      owner: ref('Identity/Ann'),
      profiles: [{ id: ref('Profile/Read') }, { id: 'p9' }],
      pairs: [ref('Pair/A/en'), 'plain'],
      none: ref('Identity/Ann'),
    };
    expect(filled({ declared: [reader(fields)], objects })).toEqual([
      {
        text: 'as it is',
        owner: { type: 'IDENTITY', id: 'i1' },
        profiles: [{ id: 'p1' }, { id: 'p9' }],
        pairs: ['a1', 'plain'],
        none: ref('Identity/Ann'),
      },
    ]);
  });

  it('to an object that the same plan creates stays, and an apply fills it in', () => {
    const declared = [reader({ profiles: [ref('Profile/Read')] }), resource(profile, ['Read'])];
    expect(problems({ declared })).toEqual([]);
    expect(filled({ declared })).toEqual([{ profiles: [{ id: ref('Profile/Read') }] }, {}]);
    // By the name that the plan gives it, where case does not count.
    const spelled = [reader({ pairs: [ref('Pair/read/en')] }), resource(pair, ['Read', 'en'])];
    expect(filled({ declared: spelled })).toEqual([{ pairs: [ref('Pair/Read/en')] }, {}]);
  });

  it('is the object that the manifest declares: pinned by its id, or under its former name', () => {
    const objects = [live(profile, 'p1', 'Old'), live(profile, 'p2', 'Elsewhere')];
    const renamed = resource(profile, ['New'], {}, { lifecycle: { renamedFrom: ['Old'] } });
    const pinned = resource(profile, ['Here'], {}, { id: 'p2' });
    const declared = [reader({ profiles: [ref('Profile/New'), ref('Profile/Here')] }), renamed, pinned];
    expect(filled({ declared, objects })[0]).toEqual({ profiles: [{ id: 'p1' }, { id: 'p2' }] });
  });

  it('is found however often it is used, and an object that was read twice is one', () => {
    const ann = live(identity, 'i1', 'Ann');
    const declared = ['Reader', 'Other'].map((name) =>
      resource(role, [name], { owner: ref('Identity/Ann') }),
    );
    const given = { declared, objects: [ann, live(identity, 'i1', 'Ann')] };
    expect(problems(given)).toEqual([]);
    expect(filled(given)).toEqual(Array(2).fill({ owner: { type: 'IDENTITY', id: 'i1' } }));
  });

  it('leaves resources without one as they are, and keeps the places of the others', () => {
    const plain = reader({ text: 'x' });
    expect(fillReferences(plain, resolve({ declared: [plain] }))).toBe(plain);
    const place = { file: 'overlay.yaml', line: 3, column: 1 };
    const placed = {
      ...reader({ owner: ref('Identity/Ann') }),
      point: (at: string, offset?: number) => ({
        source: { ...place, file: at },
        excerpt: `${at} ${offset}`,
      }),
      overlayAt: () => place,
    };
    const given = { declared: [placed], objects: [live(identity, 'i1', 'Ann')] };
    const done = fillReferences(placed, resolve(given));
    expect(done.point('/owner', 4).excerpt).toBe('/owner 4');
    expect(done.point('/owner').source.file).toBe('/owner');
    expect(done.overlayAt('/owner')).toEqual(place);
    expect(done.source()).toEqual(plain.source());
    expect(done.address).toBe('Role/Reader');
  });

  const limited = kindFrom(
    descriptorFrom({
      kind: 'Limited',
      path: '/v2025/limited',
      fields: { limits: 'json' },
      places: { limits: { is: 'reference', names: true, to: 'Profile' } },
    }),
  );

  it.each([
    ['its id', { 'Profile/Read': 1, p1: 2 }, 1],
    ['another spelling', { 'Profile/Read': 1, 'Profile/Rea%64': 2 }, 2],
    ['nothing else', { 'Profile/Read': 1, p2: 2 }, 0],
  ])('that is the name of a member stands beside %s', (_, limits, count) => {
    const declared = [resource(limited, ['L'], { limits })];
    const found = problems({ declared, objects: [live(profile, 'p1', 'Read')] });
    expect(found.map(({ code }) => code)).toEqual(Array(count).fill('duplicate-member'));
  });

  it('that is the name of a member is an id in all places but those of the manifest', () => {
    const [written, place] = ['/limits/Profile~1Read/max', '/limits/p1/max'];
    const source = (file: string) => ({ file, line: 1, column: 1 });
    const limits = { 'Profile/Read': { max: 1 } };
    const declared: Resource = {
      ...resource(limited, ['L'], { limits }, { lifecycle: { ignore: [written] } }),
      secrets: () => [written],
      point: (at) => ({ source: source(at), excerpt: '' }),
      overlayAt: source,
    };
    const objects = [live(profile, 'p1', 'Read')];
    const done = fillReferences(declared, resolve({ declared: [declared], objects }));
    expect(done.fields).toEqual({ limits: { p1: { max: 1 } } });
    expect([done.lifecycle.ignore, done.secrets()]).toEqual([[place], [place]]);
    const places = [done.point(place).source, done.overlayAt(place)];
    expect(places.map((each) => each?.file)).toEqual(Array(2).fill(written));
  });

  it('of what is declared absent may lead nowhere: what is above it may go too', () => {
    const gone = resource(role, ['Reader'], { owner: ref('Identity/Gone') }, { ensure: 'absent' });
    expect(problems({ declared: [gone] })).toEqual([]);
  });
});

describe('a reference that stands for nothing', () => {
  const owner = reader({ owner: ref('Identity/Ann') });
  const profiles = reader({ profiles: [{ id: 'p9' }, { id: ref('Profile/Read') }] });
  const read = resource(profile, ['Read']);
  const nowhere = 'The tenant has no Profile with the key "Read"';

  it.each<[string, Case, Partial<Diagnostic>]>([
    [
      'nothing of that name',
      { declared: [profiles] },
      {
        code: 'unknown-ref',
        message: `${nowhere}, and no manifest declares it.`,
        hint: 'Correct the key, or declare the object.',
      },
    ],
    [
      'a kind whose objects the API cannot create',
      { declared: [owner, resource(identity, ['Ann'])] },
      {
        code: 'unknown-ref',
        message: 'The tenant has no Identity with the key "Ann", and the API cannot create one.',
        hint: 'Make it in the tenant.',
      },
    ],
    [
      'an object that --only leaves out',
      {
        declared: [profiles, read, resource(profile, ['Reads'])],
        objects: [live(profile, 'p8', 'Reads')],
        isInScope: (address) => address === 'Role/Reader',
      },
      {
        code: 'unknown-ref',
        message: `${nowhere}, and this plan does not create it: --only or --except leave Profile/Read out.`,
        hint: 'Add Profile/Read to --only, or narrow --except, so that the plan creates it.',
      },
    ],
    [
      'an object declared absent, although the tenant has it',
      {
        declared: [profiles, resource(profile, ['Read'], {}, { ensure: 'absent' })],
        objects: [live(profile, 'p1', 'Read')],
      },
      {
        code: 'ref-deleted',
        message: 'Profile/Read is declared with `ensure: absent`, so nothing can refer to it.',
        hint: 'Remove one of the two.',
      },
    ],
    [
      'an object without an id',
      { declared: [profiles], objects: [live(profile, null, 'Read')] },
      { code: 'unknown-ref', message: 'The tenant shows no id for Profile/Read.' },
    ],
    [
      'twins',
      {
        declared: [profiles],
        objects: [live(profile, 'p1', 'Read'), live(profile, null, 'Read'), live(profile, 'p1', 'Read')],
      },
      {
        code: 'ambiguous-ref',
        message: 'The tenant has 2 objects of the kind Profile with the key "Read": ids p1, no id.',
        hint: 'Rename all but one of them in the tenant, or write the id instead.',
      },
    ],
    [
      'a key of several parts',
      { declared: [reader({ pairs: [ref('Pair/A/en')] })] },
      { code: 'unknown-ref', message: expect.stringContaining('no Pair with the key "A/en"') },
    ],
  ])('%s', (_what, given, expected) => {
    const [problem, ...others] = problems(given);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ severity: 'error', address: 'Role/Reader', excerpt: '', ...expected });
    if (expected.hint === undefined && expected.code === 'unknown-ref' && given.objects)
      expect(problem).not.toHaveProperty('hint');
  });

  it('is reported at each place that uses it', () => {
    const at = (each: Resource): Resource => ({
      ...each,
      point: (place) => ({ source: { file: `${each.key[0]} ${place}`, line: 1, column: 1 }, excerpt: '' }),
    });
    const declared = [at(profiles), at(resource(role, ['Other'], { profiles: [ref('Profile/Read')] }))];
    const files = problems({ declared }).map(({ source }) => source?.file);
    expect(files).toEqual(['Reader /profiles/1/id', 'Other /profiles/0']);
  });

  it('suggests the name that was probably meant, of a manifest, of the tenant, or of what is read for it', () => {
    const meant = 'Did you mean `Reed`?';
    const reed = live(profile, 'p1', 'Reed');
    expect(problems({ declared: [profiles, resource(profile, ['Reed'])] })).toMatchObject([{ hint: meant }]);
    expect(problems({ declared: [profiles], objects: [reed] })).toMatchObject([{ hint: meant }]);
    expect(problems({ declared: [profiles], known: [reed] })).toMatchObject([{ hint: meant }]);
  });

  it('suggests no object of another kind, not the name itself, and nothing where names are not the problem', () => {
    const known = [live(role, 'r1', 'Reed'), live(profile, 'p2', 'Read')];
    const hints = (given: Case) => problems(given).map(({ hint }) => hint);
    expect(hints({ declared: [profiles], known })).toEqual(['Correct the key, or declare the object.']);
    const gone = resource(profile, ['Read'], {}, { ensure: 'absent' });
    const given = { declared: [profiles, gone], known: [live(profile, 'p1', 'Reed')] };
    expect(hints(given)).toEqual(['Remove one of the two.']);
  });

  it('suggests a key of several parts as it is written', () => {
    const known = [live(pair, 'a1', 'A/B', { locale: 'en' })];
    expect(problems({ declared: [reader({ pairs: [ref('Pair/A%2FB/em')] })], known })).toMatchObject([
      { hint: 'Did you mean `A%2FB/en`?' },
    ]);
  });

  it('is none where the address is of no kind: the loader refuses that', () =>
    expect(referencesIn([reader({ owner: ref('Nothing/x'), profiles: [ref('no address')] })], kinds)).toEqual(
      [],
    ));
});

const change = (kind: Kind, name: string, parts: Partial<Change>): Change => ({
  ...{ address: formatAddress(kind.name, [name]), kind: kind.name, key: [name], action: 'create' },
  ...{ source: null, id: null, fingerprint: null, diff: [], declared: {}, requests: [] },
  ...{ warnings: [], risk: [] },
  ...parts,
});
const planWith = (...changes: readonly Change[]): Plan => ({ ...planOf({ declared: [] }), changes });
const creating = (name: string, ...needs: readonly string[]) => {
  const request = { method: 'POST', path: '/v2025/profiles', query: {}, headers: {} } as const;
  return change(profile, name, { requests: [{ ...request, body: needs.map((to) => ref(to)) }] });
};

const differs = (path: string, before: Json, after: Json, sensitive = false): Difference => ({
  ...{ path, op: 'replace', before, after, sensitive, origin: null },
});
const renamed = (before: string, after: string) => differs('/name', before, after);

describe('a plan in which a reference loses its object', () => {
  const declared = [reader({ profiles: [ref('Profile/Read')] })];
  const uses = referencesIn(declared, kinds);
  const refused = (...changes: readonly Change[]) =>
    problemsOf(() => refuseLostReferences(uses, declared, planWith(...changes), kinds));

  it.each<[string, Partial<Change>, Partial<Diagnostic>]>([
    [
      'that it deletes',
      { action: 'delete', id: 'p1' },
      {
        code: 'ref-deleted',
        message: 'This plan deletes Profile/Read, to which a manifest refers.',
        hint: 'Declare the object, or remove the reference.',
      },
    ],
    [
      'that it gives another name',
      { action: 'update', id: 'p1', key: ['Look'], address: 'Profile/Look', diff: [renamed('Read', 'Look')] },
      {
        code: 'ref-renamed',
        message: 'This plan gives the object another name: Profile/Look.',
        hint: 'Write `!ref Profile/Look`.',
      },
    ],
    [
      'that has to be made by hand',
      { action: 'manual', warnings: ['Make it.', 'Then wait.'] },
      {
        code: 'unknown-ref',
        message: 'Profile/Read must be created by hand before anything can refer to it.',
        hint: 'Make it.',
      },
    ],
  ])('is refused: one %s', (_what, parts, expected) =>
    expect(refused(change(profile, 'Read', parts))).toMatchObject([
      { severity: 'error', address: 'Role/Reader', ...expected },
    ]),
  );

  it('is not refused where it stays, or something else goes', () => {
    expect(refused(change(profile, 'Read', { action: 'update', id: 'p1' }))).toEqual([]);
    expect(refused(change(profile, 'Read', { action: 'manual', id: 'p1' }))).toEqual([]);
    expect(refused(change(profile, 'Read', { action: 'create' }))).toEqual([]);
    expect(refused(change(profile, 'Other', { action: 'delete', id: 'p2' }))).toEqual([]);
    expect(refused(change(role, 'Read', { action: 'delete', id: 'r1' }))).toEqual([]);
    expect(refused(change(profile, 'Read', { id: 'p1', diff: [renamed('Write', 'Read')] }))).toEqual([]);
  });

  it('is refused for what is outside the scope only where the object goes', () => {
    const outside = (parts: Partial<Change>) =>
      problemsOf(() => refuseLostReferences([], declared, planWith(change(profile, 'Read', parts)), kinds));
    const deleted = { code: 'ref-deleted', address: 'Role/Reader' };
    expect(outside({ action: 'delete', id: 'p1' })).toMatchObject([deleted]);
    const look = { key: ['Look'], address: 'Profile/Look', diff: [renamed('Read', 'Look')] };
    expect(outside({ action: 'update', id: 'p1', ...look })).toMatchObject([{ code: 'ref-renamed' }]);
    expect(outside({ action: 'manual' })).toEqual([]);
  });

  it('says nothing of a hint that there is none of', () =>
    expect(refused(change(profile, 'Read', { action: 'manual' }))[0]).not.toHaveProperty('hint'));
});

describe('creates in a cycle', () => {
  const cycle = planWith(creating('A', 'Profile/B'), creating('B', 'Profile/A'));
  const text =
    /^Each of these objects refers to the next.*: Profile\/[AB] -> Profile\/[AB] -> Profile\/[AB]\.$/;
  const hint = 'Leave one of the references out, apply, and add it again.';
  const told = { code: 'ref-cycle', severity: 'error', message: expect.stringMatching(text) };

  it('are refused at a reference of the cycle, and at no other', () => {
    const declared = [
      resource(profile, ['Outside'], { above: ref('Profile/A') }),
      resource(profile, ['A'], { above: ref('Profile/Elsewhere') }),
      resource(profile, ['B'], { above: ref('Profile/A') }),
      resource(profile, ['A2'], { above: ref('Profile/B') }),
    ];
    const uses = referencesIn(declared, kinds);
    expect(problemsOf(() => refuseLostReferences(uses, declared, cycle, kinds))).toMatchObject([
      { ...told, hint, address: 'Profile/B' },
    ]);
  });

  it('are refused without a place where no manifest declares them', () => {
    const refused = (plan: Plan) => problemsOf(() => refuseLostReferences([], [], plan, kinds));
    // A rollback has no manifest to change.
    const advice = expect.stringMatching(/^Leave them out with `--except`/);
    expect(refused(cycle)).toEqual([{ ...told, hint: advice }]);
    expect(refused(planWith(creating('A', 'Profile/B'), creating('B')))).toEqual([]);
  });
});

describe('names beside ids', () => {
  const named = (objects: readonly LiveObject[], ...diff: readonly Difference[]) => {
    const plan = planWith(change(role, 'Reader', { action: 'update', id: 'r1', diff }));
    return { plan, named: nameDifferences(plan.changes, { kinds, objects, lookedUp }) };
  };
  const words = new Map(Object.entries({ 42: 'the answer', 43: 'another' }));
  const lookedUp = new Map([['Role/Reader', words]]);
  const objects = [
    live(identity, 'i1', 'Ann'),
    live(identity, 'i2', 'Ben'),
    live(identity, 'i3', 'i3'),
    live(profile, 'i9', 'Not an identity'),
  ];
  const namesOf = (...diff: readonly Difference[]) =>
    named(objects, ...diff).named[0]?.diff.map((each) => each.named);

  it('are those of both sides, and of nothing else', () =>
    expect(
      namesOf(
        differs('/owner', { id: 'i1' }, { type: 'IDENTITY', id: 'i2' }),
        differs('/owner', { id: 'i3' }, { id: 'i9' }),
        differs('/owner', { id: 7 }, ref('Identity/New')),
        differs('/text', 'i1', 'i2'),
        differs('/profiles/0', { id: 'i9' }, null),
        differs('/profiles', [{ id: 'i9' }, { id: 'i8' }], null),
      ),
    ).toEqual([
      { i1: 'Identity/Ann', i2: 'Identity/Ben' },
      undefined,
      undefined,
      undefined,
      { i9: 'Profile/Not%20an%20identity' },
      { i9: 'Profile/Not%20an%20identity' },
    ]));

  it('are what a lookup of the same object found, anywhere in a value', () => {
    expect(
      namesOf(
        differs('/text', { a: ['x', { b: 42 }] }, null),
        differs('/text', null, '43'),
        differs('/text', '4', '2'),
      ),
    ).toEqual([{ '42': 'the answer' }, { '43': 'another' }, undefined]);
    const plan = planWith(change(role, 'Other', { diff: [differs('/text', '42', null)] }));
    expect(nameDifferences(plan.changes, { kinds, objects, lookedUp })).toEqual(plan.changes);
  });

  it('are not shown beside a sensitive value', () =>
    expect(namesOf(differs('/owner', { id: 'i1' }, null, true))).toEqual([undefined]));

  it('are part of what is approved; a plan without any stays as it is', () => {
    const some = named(objects, differs('/owner', { id: 'i1' }, null));
    expect(planDigest({ ...some.plan, changes: some.named })).not.toBe(planDigest(some.plan));
    const none = named([], differs('/owner', { id: 'i1' }, null));
    expect(none.named).toEqual(none.plan.changes);
  });
});
