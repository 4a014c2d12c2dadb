import { describe, expect, it } from 'vitest';
import {
  exitCodeOfFleet,
  type FleetMember,
  fleetDigest,
  fleetOf,
  isFailed,
  shareDiagnostics,
  worstExitCode,
} from '../../src/model/documents.ts';
import { ExitCode } from '../../src/model/failure.ts';
import { change, plan, result } from '../report/fixtures.ts';

const created = change({ address: 'SenderAddress/a@acme.example', action: 'create' });
const deleted = change({ address: 'SenderAddress/b@acme.example', action: 'delete' });
const guard = { code: 'max-deletes', severity: 'error', message: 'Too many.' } as const;

const quiet: FleetMember = { name: 'eu-2', plan: plan([]), error: null };
const changing: FleetMember = { name: 'eu-1', plan: plan([created, deleted]), error: null };
const refused: FleetMember = { name: 'us-1', plan: plan([deleted], { diagnostics: [guard] }), error: null };
const down: FleetMember = {
  name: 'ap-1',
  plan: null,
  error: { exitCode: ExitCode.couldNotRun, diagnostics: [] },
};
const applied = (outcome: 'done' | 'partial' | 'interrupted' | 'refused'): FleetMember => ({
  ...changing,
  result: result([], { outcome }),
});
const one = { done: 1, failed: 0, skipped: 0, notAttempted: 0, unknown: 0 };
const written: FleetMember = { ...changing, result: result([], { outcome: 'done', summary: one }) };

describe('a fleet', () => {
  it('has its environments by their names, and counts what their plans do', () => {
    const members = [quiet, down, changing];
    const fleet = fleetOf(members);
    expect(fleet.environments.map(({ name }) => name)).toEqual(['ap-1', 'eu-1', 'eu-2']);
    expect(members[0]).toBe(quiet);
    expect(fleet).toMatchObject({
      formatVersion: 1,
      summary: { environments: 3, failed: 1, create: 1, update: 0, delete: 1, manual: 0, unchanged: 274 },
    });
    expect(fleet.summary.undeclared).toBe(0);
  });

  it('adds up every number of the summaries', () => {
    const summary = { create: 1, update: 2, delete: 3, manual: 4, unchanged: 5, undeclared: 6 };
    const members = ['a', 'b'].map((name) => ({ name, plan: plan([], { summary }), error: null }));
    const sums = Object.fromEntries(Object.entries(summary).map(([name, count]) => [name, 2 * count]));
    expect(fleetOf(members).summary).toEqual({ environments: 2, failed: 0, ...sums });
  });

  it('has another digest with another environment or another plan, and the same in another order', () => {
    const other = { ...quiet, plan: plan([], { digest: `sha256:${'0'.repeat(64)}` }) };
    const digests = [[quiet], [changing], [other], [quiet, changing], [{ ...quiet, plan: null }]].map(
      (members) => fleetDigest(members),
    );
    expect(new Set(digests).size).toBe(digests.length);
    expect(fleetOf([quiet, changing]).digest).toBe(fleetOf([changing, quiet]).digest);
    expect(fleetOf([changing, quiet]).digest).toBe(fleetDigest([changing, quiet]));
  });
});

it('a remark is told once, with the environments that have it if not all do', () => {
  const share = (...remarks: (readonly (typeof guard)[])[]) => {
    const all = remarks.map((diagnostics, at) => ({ name: `eu-${at}`, diagnostics }));
    return shareDiagnostics(all, (names) => names.join());
  };
  expect(share([guard], [guard])).toEqual([guard]);
  expect(share([guard, guard], [])).toEqual([{ ...guard, message: 'Too many (only in eu-0).' }]);
});

it.each<[string, FleetMember, boolean]>([
  ['that was planned', changing, false],
  ['whose plan a guard refused', refused, true],
  ['that could not be planned', down, true],
  ['without plan and error', { name: 'x', plan: null, error: null }, false],
  ['that was applied', applied('done'), false],
  ['that was applied in part', applied('partial'), true],
  ['whose apply was refused', applied('refused'), true],
  ['whose apply did not begin', { ...refused, result: null }, true],
  ['that was applied and then failed', { ...applied('done'), error: down.error }, true],
])('an environment has failed: %s: %#', (_what, member, failed) => expect(isFailed(member)).toBe(failed));

describe('the exit code of several runs', () => {
  it('is the first of 130, 3, 4, 1, 2, 0 that one of them has', () => {
    const inOrder = [130, 3, 4, 1, 2, 0] as const;
    for (const [at, code] of inOrder.entries())
      expect(worstExitCode([...inOrder.slice(at)].reverse())).toBe(code);
    expect(worstExitCode([])).toBe(0);
  });

  it.each<[string, FleetMember[], boolean, number]>([
    ['no changes', [quiet], true, 0],
    ['changes, where they do not count', [changing], false, 0],
    ['changes, where they count', [quiet, changing], true, 2],
    ['an environment that is down', [changing, down], true, 1],
    ['a refused plan', [refused, down], true, 4],
    ['an apply in part', [applied('partial'), refused], false, 3],
    ['an apply of changes', [applied('done')], true, 0],
    ['an apply of one change beside an environment that is down', [written, down], false, 3],
    ['an interrupted apply', [applied('interrupted'), applied('partial')], false, 130],
    ['a failure with a result', [{ ...applied('done'), error: down.error }], false, 1],
    ['neither plan nor error', [{ name: 'x', plan: null, error: null }], true, 0],
  ])('with %s', (_what, members, detailed, code) =>
    expect(exitCodeOfFleet(fleetOf(members), detailed)).toBe(code),
  );
});
