import { describe, expect, it } from 'vitest';
import { type PlanValidator, readPlanFile } from '../../src/applier/plan-file.ts';
import { planDigest } from '../../src/model/digest.ts';
import type { Plan } from '../../src/model/plan.ts';
import { createThing, planOf } from './fake.ts';

const plan = planOf([createThing('a')]);
const text = JSON.stringify(plan, null, 2);
const anything: PlanValidator = (_value): _value is Plan => true;
const nothing: PlanValidator = Object.assign((_value: unknown): _value is Plan => false, {
  errors: [{ instancePath: '/changes/0', message: 'must be object' }],
});

const codeOf = (content: string, isPlan = anything): unknown => {
  try {
    readPlanFile(content, 'plan.json', isPlan);
    return null;
  } catch (error) {
    expect(error).toMatchObject({ exitCode: 4 });
    return error instanceof Error && 'diagnostics' in error ? error.diagnostics : error;
  }
};

describe('a plan file', () => {
  it('comes back as the plan it was', () => {
    expect(readPlanFile(text, 'plan.json', anything)).toEqual(plan);
  });

  it('that was cut anywhere is refused', () => {
    for (let length = 0; length < text.length; length += 7)
      expect(codeOf(text.slice(0, length))).not.toBeNull();
  });

  it.each([
    ['edited', text.replace('"new"', '"newer"'), 'plan-edited'],
    ['given another digest', text.replace(plan.digest, `sha256:${'0'.repeat(64)}`), 'plan-edited'],
    ['of another format', text.replace('"formatVersion": 1', '"formatVersion": 2'), 'plan-format'],
    ['something else', '{"hello":1}', 'plan-unreadable'],
    ['an array', '[]', 'plan-unreadable'],
    ['nested without end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'plan-unreadable'],
  ])('that is %s is refused', (_name, content, code) => {
    expect(codeOf(content)).toMatchObject([{ code }]);
  });

  it('that the schema refuses is refused with the place', () => {
    expect(codeOf(text, nothing)).toMatchObject([
      { code: 'plan-invalid', message: expect.stringContaining('/changes/0 must be object') },
    ]);
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
});
