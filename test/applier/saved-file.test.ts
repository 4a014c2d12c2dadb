import { describe, expect, it } from 'vitest';
import { formOfText, readFleetFile, readPlanFile, readResultFile } from '../../src/applier/saved-file.ts';
import { type Fleet, fleetDigest, fleetOf, type Plan, planDigest } from '../../src/model/documents.ts';
import { sampleResult } from '../report/fixtures.ts';
import { apply } from './run.ts';
import { startTenant } from './tenant.ts';
import { createThing, planOf, updateThing } from './things.ts';

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
  const notJson = 'the-file.json is not JSON: it was cut off or edited, or it is not a plan file.';
  const longFormat = `the-file.json has the plan format "${'x'.repeat(39)}; this version reads format 2.`;
  const version = { code: 'plan-format', message: longFormat, hint };
  const unreadable = (message: unknown) => ({ code: 'plan-unreadable', message, hint });
  it.each<[string, string, object]>([
    ['cut', text.slice(0, -1), unreadable(notJson)],
    ['something else', '{"hello":1}', unreadable('the-file.json is not a plan file.')],
    ['nested too deeply', nested(250), unreadable('the-file.json is nested too deeply for a plan.')],
    ['nested without end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, { code: 'plan-unreadable' }],
    ['of another version, a long text', JSON.stringify({ formatVersion: 'x'.repeat(1000) }), version],
    [
      'edited',
      text.replace('"test"', '"prod"'),
      {
        code: 'plan-edited',
        message: 'the-file.json does not match its own digest: it was edited after it was made.',
        hint: 'Change the manifests instead, and make a new plan.',
      },
    ],
    ['given another digest', text.replace(plan.digest, `sha256:${'0'.repeat(64)}`), { code: 'plan-edited' }],
    [
      'other than its schema, with the place',
      text.replace('"diff"', '"difference"'),
      { code: 'plan-invalid', message: expect.stringContaining('/changes/0') },
    ],
    [
      'a fleet',
      JSON.stringify(fleetOf([{ name: 'a', plan, error: null }])),
      {
        code: 'plan-invalid',
        message: 'the-file.json is a fleet, not a plan.',
        hint: expect.stringMatching(
          /^It holds several environments: use `tenantctl show` .*ENVIRONMENT\/results`\.$/,
        ),
      },
    ],
  ])('%s', (_name, content, expected) =>
    expect(whyRefused(readPlanFile, content)).toMatchObject({
      exitCode: 4,
      diagnostics: [{ severity: 'error', ...expected }],
    }),
  );

  it('with each place that is wrong, but not with hundreds of them', () => {
    const message = (count: number) => {
      const wrong = JSON.stringify({ ...plan, changes: Array(count).fill(null) });
      return String(Object(whyRefused(readPlanFile, wrong)).diagnostics[0].message);
    };
    expect(message(2)).toBe(
      'the-file.json is not a valid plan: /changes/0 must be object; /changes/1 must be object.',
    );
    expect(message(100)).toContain('/changes/9 must be object.');
    expect(message(100)).not.toContain('/changes/10 ');
    const { summary: _summary, ...rest } = plan;
    const missing = { message: expect.stringContaining("/ must have required property 'summary'") };
    expect(whyRefused(readPlanFile, JSON.stringify(rest))).toMatchObject(missing);
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

it('a plan file comes back as the plan it was, and is refused wherever it was cut', () => {
  expect(readPlanFile(text, 'plan.json')).toEqual(plan);
  for (let length = 0; length < text.length; length += 7)
    expect(whyRefused(readPlanFile, text.slice(0, length))).toMatchObject({ exitCode: 4 });
});

it('a mark that an editor writes before a text is skipped, and nothing of the text itself', () => {
  expect(readPlanFile(`\uFEFF${text}`, 'plan.json')).toEqual(plan);
  const marked = planOf([createThing('\uFEFFa')]);
  expect(readPlanFile(JSON.stringify(marked), 'plan.json')).toEqual(marked);
});

it('a file tells what it is by its members', () => {
  expect(formOfText(JSON.stringify({ planDigest: '', digest: '' }))).toBe('result');
  expect(formOfText(JSON.stringify({ environments: [], digest: '' }))).toBe('fleet');
  expect(formOfText(JSON.stringify({ digest: '' }))).toBe('plan');
  expect(formOfText(JSON.stringify({}))).toBeNull();
});

describe('a result file that was cut while the run wrote it', () => {
  const change = (name: string, outcome: string) => ({
    ...{ address: `Thing/${name}`, action: 'create', outcome, before: null, after: null },
    ...{ requests: [], error: null, warnings: ['one, two,'] },
  });
  const head = {
    ...{ formatVersion: 1, planDigest: plan.digest, environment: 'test', tenant: plan.tenant },
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
    const [done, unknown] = ['done', 'unknown'].map((each) => outcomes.filter((one) => one === each).length);
    expect(result).toMatchObject({
      ...{ ...head, endedAt: head.startedAt, outcome: 'interrupted' },
      summary: { done, unknown, failed: 0, skipped: 0, notAttempted: 0 },
      diagnostics: [{ code: 'run-unfinished' }],
    });
  });

  it('is refused where a change has no outcome that is known', () => {
    const wrong = JSON.stringify(change('a', 'perhaps'));
    const told = { code: 'result-invalid', message: expect.stringContaining('/changes/0/outcome') };
    const refused = { exitCode: 1, diagnostics: [told] };
    expect(whyRefused(readResultFile, `${begin}${wrong},\n`)).toMatchObject(refused);
  });

  it('is none where it does not begin like one', () => {
    for (const other of [begin.replace('"changes":[', '"others":['), `[${begin}`, `x${begin}`])
      expect(whyRefused(readResultFile, `${other}${a},\n`)).toMatchObject({
        diagnostics: [{ code: 'result-unreadable' }],
      });
  });

  it('is no plan and no fleet, which are written at once', () => {
    for (const read of [readPlanFile, readFleetFile])
      expect(whyRefused(read, `${begin}${a},\n`)).toMatchObject({
        diagnostics: [{ message: expect.stringContaining('is not JSON') }],
      });
  });
});

describe('a result file', () =>
  it('comes back as the result it was, and is refused when it is cut', async () => {
    const tenant = await startTenant({ things: { old: { id: 't1', name: 'old', text: 'x' } } });
    tenant.fault = ({ path }) => (path.endsWith('t1') ? { is: 'unsent' } : null);
    const result = await apply(
      [createThing('a'), updateThing({ id: 't1', name: 'old', text: 'x' }, 'y')],
      tenant,
    );
    const saved = JSON.stringify(result);
    expect(readResultFile(saved, 'result.json')).toEqual(result);
    expect(() => readResultFile(saved.slice(0, -1), 'result.json')).toThrow('result.json is not JSON');
    expect(() => readPlanFile(saved, 'result.json')).toThrow('result.json is a result, not a plan.');
    expect(() => readResultFile(text, 'plan.json')).toThrow('plan.json is a plan, not a result.');
    const refused = await apply(planOf([createThing('a')], { environment: 'other' }), tenant);
    expect(readResultFile(JSON.stringify(refused), 'result.json').outcome).toBe('refused');
  }));

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
  const withEach = (edit: (each: Fleet['environments'][number]) => Fleet['environments'][number]): Fleet => ({
    ...{ ...fleet, environments: fleet.environments.map(edit) },
  });
  const isRefused = (document: Fleet, why: object) =>
    expect(whyRefused(readFleetFile, JSON.stringify(document))).toMatchObject({
      exitCode: 4,
      diagnostics: [why],
    });

  it('comes back as it was', () => expect(read(fleet)).toEqual(fleet));

  it.each<[string, Fleet]>([
    [
      'a plan of it was edited',
      withEach((each) => (each.plan ? { ...each, plan: { ...each.plan, environment: 'other' } } : each)),
    ],
    ['a plan was taken out', { ...fleet, environments: fleet.environments.slice(1) }],
    ['its plans changed places', withEach((each) => ({ ...each, name: each.name === 'a' ? 'b' : 'a' }))],
  ])('is refused where %s', (_what, document) => isRefused(document, { code: 'plan-edited' }));

  it.each<[string, Fleet, string]>([
    [
      'shows a plan as that of another environment',
      fleetOf([
        { ...first, name: 'b' },
        { ...second, name: 'c' },
      ]),
      'shows a plan for "a" as the plan for "b"',
    ],
    [
      'shows a result as that of another environment',
      fleetOf([{ name: 'b', plan: null, result: sampleResult, error: null }]),
      'shows a plan for "production" as the plan for "b"',
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
    isRefused(document, { code: 'fleet-inconsistent', message: expect.stringContaining(message) });
  });
});
