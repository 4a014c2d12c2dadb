import { describe, expect, it } from 'vitest';
import { formOf, readFleetFile, readPlanFile, readResultFile } from '../../src/applier/saved-file.ts';
import { fleetOf } from '../../src/model/fleet.ts';
import { createThing, planOf } from './things.ts';

const plan = planOf([createThing('a')]);
const text = JSON.stringify(plan);

/** Why a file is refused, in words. */
function whyRefused(read: (text: string, file: string) => unknown, content: string) {
  try {
    read(content, 'the-file.json');
  } catch (error) {
    return error;
  }
  throw new Error('It was read.');
}

describe('a plan file is refused with what is wrong and what to do', () => {
  const hint = 'Make a new plan with `tenantctl plan --out FILE`.';
  const nested = (levels: number) => `{"formatVersion":1,"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  it.each([
    [
      'cut',
      text.slice(0, -1),
      {
        code: 'plan-unreadable',
        message: 'the-file.json is not JSON: it was cut off or edited, or it is not a plan file.',
        hint,
      },
    ],
    [
      'something else',
      '{"hello":1}',
      { code: 'plan-unreadable', message: 'the-file.json is not a plan file.', hint },
    ],
    [
      'nested too deeply',
      nested(250),
      { code: 'plan-unreadable', message: 'the-file.json is nested too deeply for a plan.', hint },
    ],
    [
      'of another version, whose format is a long text',
      JSON.stringify({ formatVersion: 'x'.repeat(1000) }),
      {
        code: 'plan-format',
        message: `the-file.json has the plan format "${'x'.repeat(39)}; this version reads format 2.`,
        hint,
      },
    ],
    [
      'edited',
      text.replace('"test"', '"prod"'),
      {
        code: 'plan-edited',
        message: 'the-file.json does not match its own digest: it was edited after it was made.',
        hint: 'Change the manifests instead, and make a new plan.',
      },
    ],
    [
      'a fleet',
      JSON.stringify(fleetOf([{ name: 'a', plan, error: null }])),
      {
        code: 'plan-invalid',
        message: 'the-file.json is a fleet, not a plan.',
        hint: 'It holds several environments: use `tenantctl show` to see it, and `tenantctl apply` to apply its plans. The results of each environment are in `.tenantctl/ENVIRONMENT/results`.',
      },
    ],
  ])('%s', (_name, content, expected) => {
    expect(whyRefused(readPlanFile, content)).toMatchObject({
      exitCode: 4,
      diagnostics: [{ severity: 'error', ...expected }],
    });
  });

  it('with each place that is wrong, but not with hundreds of them', () => {
    const wrong = (count: number) =>
      JSON.stringify({ ...plan, changes: Array.from({ length: count }, () => null) });
    const message = (count: number) => {
      const [diagnostic] = Object(whyRefused(readPlanFile, wrong(count))).diagnostics;
      return String(diagnostic.message);
    };
    expect(message(2)).toBe(
      'the-file.json is not a valid plan: /changes/0 must be object; /changes/1 must be object.',
    );
    expect(message(100)).toContain('/changes/9 must be object.');
    expect(message(100)).not.toContain('/changes/10 ');
    const { summary: _summary, ...rest } = plan;
    expect(whyRefused(readPlanFile, JSON.stringify(rest))).toMatchObject({
      message: expect.stringContaining("/ must have required property 'summary'"),
    });
  });
});

it.each([
  [readResultFile, 1, 'A result file is what `tenantctl apply --result FILE` writes.'],
  [readFleetFile, 4, 'Make a new one with `tenantctl plan --env … --out FILE`.'],
])('a file of another kind is refused with what to do: %o', (read, exitCode, hint) => {
  expect(whyRefused(read, '{}')).toMatchObject({ exitCode, diagnostics: [{ hint }] });
  expect(whyRefused(read, text)).toMatchObject({
    exitCode,
    diagnostics: [{ hint: 'Use `tenantctl show` to see a plan, and `tenantctl apply` to apply it.' }],
  });
});

it('a mark that an editor writes before a text is skipped, and nothing of the text itself', () => {
  expect(readPlanFile(`\uFEFF${text}`, 'plan.json')).toEqual(plan);
  const marked = planOf([createThing('\uFEFFa')]);
  expect(readPlanFile(JSON.stringify(marked), 'plan.json')).toEqual(marked);
});

it('a file tells what it is by its members', () => {
  expect(formOf({ planDigest: '', digest: '' })).toBe('result');
  expect(formOf({ environments: [], digest: '' })).toBe('fleet');
  expect(formOf({ digest: '' })).toBe('plan');
  expect(formOf({})).toBeNull();
});

describe('a result file that was cut while the run wrote it', () => {
  const change = (name: string, outcome: string) => ({
    address: `Thing/${name}`,
    action: 'create',
    outcome,
    before: null,
    after: null,
    requests: [],
    error: null,
    warnings: ['one, two,'],
  });
  const head = {
    formatVersion: 1,
    planDigest: plan.digest,
    environment: 'test',
    tenant: plan.tenant,
    startedAt: '2026-01-02T03:04:05.678Z',
  };
  const begin = `${JSON.stringify(head).slice(0, -1)},"changes":[\n`;
  const a = JSON.stringify(change('a', 'done'));
  const b = JSON.stringify(change('b', 'unknown'));
  const c = JSON.stringify(change('c', 'done'));

  it.each([
    ['before the first change', '', []],
    ['in a change', `${a},\n${b.slice(0, -5)}`, ['done']],
    ['after a comma', `${a},\n`, ['done']],
    ['after a change', `${a},\n${b}`, ['done', 'unknown']],
    ['in its end', `${a},\n${b}\n],"endedAt":`, ['done', 'unknown']],
    ['and written over', `${a},\n${b.slice(0, -5)}\n${c}`, ['done']],
    ['and holds what is no change', `${a},\nnull,\n${c}`, ['done']],
  ])('has the changes up to there: %s', (_name, rest, outcomes) => {
    const result = readResultFile(`${begin}${rest}`, 'result.json');
    expect(result.changes.map(({ outcome }) => outcome)).toEqual(outcomes);
    expect(result).toMatchObject({
      ...head,
      endedAt: head.startedAt,
      outcome: 'interrupted',
      summary: {
        done: outcomes.filter((outcome) => outcome === 'done').length,
        unknown: outcomes.filter((outcome) => outcome === 'unknown').length,
        failed: 0,
        skipped: 0,
        notAttempted: 0,
      },
      diagnostics: [{ code: 'run-unfinished' }],
    });
  });

  it('is refused where a change has no outcome that is known', () => {
    const wrong = JSON.stringify(change('a', 'perhaps'));
    expect(whyRefused(readResultFile, `${begin}${wrong},\n`)).toMatchObject({
      exitCode: 1,
      diagnostics: [{ code: 'result-invalid', message: expect.stringContaining('/changes/0/outcome') }],
    });
  });

  it('is none where it does not begin like one', () => {
    for (const other of [begin.replace('"changes":[', '"others":['), `[${begin}`, `x${begin}`]) {
      expect(whyRefused(readResultFile, `${other}${a},\n`)).toMatchObject({
        diagnostics: [{ code: 'result-unreadable' }],
      });
    }
  });

  it('is no plan and no fleet, which are written at once', () => {
    for (const read of [readPlanFile, readFleetFile]) {
      expect(whyRefused(read, `${begin}${a},\n`)).toMatchObject({
        diagnostics: [{ message: expect.stringContaining('is not JSON') }],
      });
    }
  });
});
