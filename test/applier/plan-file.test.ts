import { describe, expect, it } from 'vitest';
import { readFleetFile, readPlanFile, readResultFile } from '../../src/applier/saved-file.ts';
import { planDigest } from '../../src/model/digest.ts';
import { type Fleet, fleetDigest, fleetOf } from '../../src/model/fleet.ts';
import type { Plan } from '../../src/model/plan.ts';
import { apply } from './run.ts';
import { startTenant } from './tenant.ts';
import { createThing, planOf, updateThing } from './things.ts';

const plan = planOf([createThing('a')]);
const text = JSON.stringify(plan, null, 2);
const codeOf = (content: string): unknown => {
  try {
    readPlanFile(content, 'plan.json');
    return null;
  } catch (error) {
    expect(error).toMatchObject({ exitCode: 4 });
    return error instanceof Error && 'diagnostics' in error ? error.diagnostics : error;
  }
};

describe('a plan file', () => {
  it('comes back as the plan it was', () => {
    expect(readPlanFile(text, 'plan.json')).toEqual(plan);
  });

  it('that was cut anywhere is refused', () => {
    for (let length = 0; length < text.length; length += 7)
      expect(codeOf(text.slice(0, length))).not.toBeNull();
  });

  it.each([
    ['edited', text.replace('"new"', '"newer"'), 'plan-edited'],
    ['given another digest', text.replace(plan.digest, `sha256:${'0'.repeat(64)}`), 'plan-edited'],
    ['of another format', text.replace('"formatVersion": 2', '"formatVersion": 1'), 'plan-format'],
    ['something else', '{"hello":1}', 'plan-unreadable'],
    ['an array', '[]', 'plan-unreadable'],
    ['nested without end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'plan-unreadable'],
  ])('that is %s is refused', (_name, content, code) => {
    expect(codeOf(content)).toMatchObject([{ code }]);
  });

  it('that the schema refuses is refused with the place', () => {
    expect(codeOf(text.replace('"diff"', '"difference"'))).toMatchObject([
      { code: 'plan-invalid', message: expect.stringContaining('/changes/0') },
    ]);
  });
});

describe('a result file', () => {
  it('comes back as the result it was, and is refused when it is cut', async () => {
    const tenant = await startTenant({ things: { old: { id: 't1', name: 'old', text: 'x' } } });
    tenant.fault = ({ path }) => (path.endsWith('t1') ? { is: 'unsent' } : null);
    const result = await apply(
      planOf([createThing('a'), updateThing({ id: 't1', name: 'old', text: 'x' }, 'y')]),
      tenant,
    );
    const saved = JSON.stringify(result);
    expect(readResultFile(saved, 'result.json')).toEqual(result);
    expect(() => readResultFile(saved.slice(0, -1), 'result.json')).toThrow('result.json is not JSON');
    expect(() => readPlanFile(saved, 'result.json')).toThrow('result.json is a result, not a plan.');
    expect(() => readResultFile(text, 'plan.json')).toThrow('plan.json is a plan, not a result.');
    const refused = await apply(planOf([createThing('a')], { environment: 'other' }), tenant);
    expect(readResultFile(JSON.stringify(refused), 'result.json').outcome).toBe('refused');
  });
});

describe('the digest', () => {
  it('does not see who made the plan and when', () => {
    expect(planDigest({ ...plan, createdAt: 'later', tool: { name: 'x', version: '9' } })).toBe(plan.digest);
  });

  it('sees everything else', () => {
    const others: Plan[] = [
      { ...plan, environment: 'other' },
      { ...plan, tenant: { ...plan.tenant, identity: 'x' } },
      { ...plan, scope: { ...plan.scope, prune: true } },
      { ...plan, changes: [createThing('b')] },
      { ...plan, changes: [createThing('a', { text: 'else' })] },
      { ...plan, diagnostics: [{ code: 'x', severity: 'error', message: 'x' }] },
    ];
    const digests = new Set(others.map((other) => planDigest(other)));
    expect(digests.size).toBe(others.length);
    expect(digests.has(plan.digest)).toBe(false);
  });

  it('sees every member of a change and of a request but the impact of a search', () => {
    const [change] = plan.changes;
    const [request] = change?.requests ?? [];
    if (!change || !request) throw new Error('The plan has no request.');
    const without = (members: object, name: string) =>
      Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));
    const digestOf = (one: object) => {
      const text = JSON.stringify({ ...plan, changes: [one] });
      return planDigest(JSON.parse(text));
    };
    expect(digestOf(change)).toBe(plan.digest);
    expect(digestOf({ ...change, impact: { notRun: 'x' } })).toBe(plan.digest);
    for (const name of Object.keys(change)) {
      expect(digestOf(without(change, name)), name).not.toBe(plan.digest);
    }
    for (const name of Object.keys(request)) {
      const requests = [without(request, name)];
      expect(digestOf({ ...change, requests }), name).not.toBe(plan.digest);
    }
  });
});

describe('a file with the plans of several environments', () => {
  const planFor = (environment: string, made: Plan) => {
    const other = { ...made, environment };
    return { ...other, digest: planDigest(other) };
  };
  const down = { exitCode: 1, diagnostics: [] } as const;
  const first = { name: 'a', plan: planFor('a', plan), error: null };
  const second = { name: 'b', plan: planFor('b', planOf([])), error: null };
  const fleet = fleetOf([first, second, { name: 'c', plan: null, error: down }]);
  const read = (document: Fleet) => readFleetFile(JSON.stringify(document), 'fleet.json');

  it('comes back as it was', () => {
    expect(read(fleet)).toEqual(fleet);
  });

  it.each<[string, Fleet]>([
    [
      'a plan of it was edited',
      {
        ...fleet,
        environments: fleet.environments.map((each) =>
          each.plan ? { ...each, plan: { ...each.plan, environment: 'other' } } : each,
        ),
      },
    ],
    ['a plan was taken out', { ...fleet, environments: fleet.environments.slice(1) }],
    [
      'its plans changed places',
      {
        ...fleet,
        environments: fleet.environments.map((each) => ({ ...each, name: each.name === 'a' ? 'b' : 'a' })),
      },
    ],
  ])('is refused where %s', (_what, document) => {
    expect(() => read(document)).toThrow(
      expect.objectContaining({
        exitCode: 4,
        diagnostics: [expect.objectContaining({ code: 'plan-edited' })],
      }),
    );
  });

  it.each<[string, Fleet, string]>([
    [
      'shows a plan as that of another environment',
      fleetOf([
        { ...first, name: 'b' },
        { ...second, name: 'c' },
      ]),
      'shows a plan for "a" as the plan for "b"',
    ],
    ['has an environment twice', fleetOf([first, first]), 'has the environment "a" twice'],
    [
      'has no plan, no result and no error of an environment',
      fleetOf([first, { name: 'c', plan: null, error: null }]),
      'has nothing for "c"',
    ],
    [
      'counts other changes than its plans hold',
      { ...fleet, summary: { ...fleet.summary, delete: 0, create: fleet.summary.create + 1 } },
      'has counts that do not match its plans',
    ],
  ])('is refused where it %s, though its digest is right', (_what, document, message) => {
    expect(document.digest).toBe(fleetDigest(document.environments));
    expect(() => read(document)).toThrow(
      expect.objectContaining({
        exitCode: 4,
        diagnostics: [
          expect.objectContaining({ code: 'fleet-inconsistent', message: expect.stringContaining(message) }),
        ],
      }),
    );
  });
});
