import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { exitCodeOf, type Plan, type Result } from '../../src/model/documents.ts';
import { isObject, type JsonObject } from '../../src/model/json.ts';
import type { TenantState } from '../../src/sandbox/index.ts';
import type { SandboxOptions } from '../support/sandbox.ts';
import {
  createWorld,
  type Outcome,
  type Ran,
  type World,
  type WorldOptions,
  writesIn,
} from '../support/world.ts';
import { visible } from './every-kind.ts';

/** An apply that is disturbed. */
export interface Scenario {
  readonly options: WorldOptions;
  /** Makes the tenant and the manifests what they are before the apply. */
  prepare(world: World): void;
  /** The operation of a create that the tenant would carry out twice. */
  readonly create: string;
}

/** One world for many cases: the tenant and the project are put back to what they were before each. */
export interface Stage {
  readonly world: World;
  readonly start: TenantState;
  /** The tenant after an apply that nothing disturbs, and how many requests that takes. */
  readonly goal: JsonObject;
  readonly requests: number;
  readonly lags: boolean;
  /** Called when the work on a request begins. */
  onWork: (() => void) | null;
}

export async function createStage(
  { options: { environment: given, sandbox, ...more }, prepare }: Pick<Scenario, 'options' | 'prepare'>,
  options: SandboxOptions,
): Promise<Stage> {
  let stage: Stage | null = null;
  const now = () => {
    stage?.onWork?.();
    return Date.now();
  };
  const environment = { ...given, limits: { concurrency: 1, timeout: '1s', settle: '600ms' } };
  const world = await createWorld({
    ...more,
    environment,
    sandbox: { ...sandbox, ...options, clock: { now } },
  });
  prepare(world);
  await world.run('plan --out plan.json');
  const start = structuredClone(world.sandbox.state);
  const { length } = world.sandbox.log;
  const applied = await world.run('apply plan.json');
  if (applied.code !== 0) throw new Error(applied.stderr);
  const goal = visible(world.sandbox.state);
  const lags = (options.lag ?? 0) > 0;
  stage = { world, start, goal, lags, requests: world.sandbox.log.length - length, onWork: null };
  return stage;
}

export async function reset({ world, start }: Stage): Promise<number> {
  await world.sandbox.settle();
  Object.assign(world.sandbox.state, structuredClone(start));
  world.sandbox.faults.clear();
  rmSync(join(world.dir, '.tenantctl'), { recursive: true, force: true });
  return world.sandbox.log.length;
}

export const writes = ({ world }: Stage, from: number): number =>
  writesIn(world.sandbox.log.slice(from)).length;

/** The exit code, the outcome, the summary and the list tell the same story. */
export function checkStory({ code, stdout }: Outcome, wrote: number): void {
  const answer: Result | { diagnostics: unknown } = JSON.parse(stdout);
  if (!('changes' in answer)) {
    // It could not run, or was interrupted before it began.
    expect([1, 130]).toContain(code);
    expect(wrote).toBe(0);
    return;
  }
  expect(code).toBe(exitCodeOf(answer));
  const of = (outcome: string) => answer.changes.filter((change) => change.outcome === outcome).length;
  for (const [outcome, count] of Object.entries(answer.summary)) expect(of(outcome)).toBe(count);
  const left = answer.changes.filter(({ action, outcome }) => action !== 'manual' && outcome !== 'done');
  expect(answer.outcome === 'done').toBe(left.length === 0);
  for (const { outcome, error } of left)
    if (outcome === 'failed' || outcome === 'unknown') expect(error).toBeTruthy();
}

/** After at most one more apply, of the same plan or of a fresh one, the tenant is as the manifests say. */
export async function checkEnd(stage: Stage, isFinished: boolean, again: readonly string[]): Promise<void> {
  const { world, goal } = stage;
  world.sandbox.faults.clear();
  // Where reads lag, another apply right after a successful one must see what that has done.
  if (!isFinished || stage.lags) {
    const second = await world.run('apply', ...(isFinished ? ['--yes'] : again));
    expect(second, `${second.stderr}${second.stdout}`).toMatchObject({ code: 0 });
  }
  await world.sandbox.settle();
  expect(visible(world.sandbox.state)).toEqual(goal);
  const plan: Plan = await world.plan();
  expect(plan.changes.filter(({ action }) => action !== 'manual')).toEqual([]);
}

/** What is said of each change is true, once the tenant has done everything. Returns how many changes that were. */
export async function checkVerdicts({ world }: Stage, { json, stderr }: Ran): Promise<number> {
  if (!isObject(json) || !('changes' in json)) return 0;
  const result: Result = JSON.parse(JSON.stringify(json));
  const falseWords = /ignored|rewrote|still exists|does not exist/;
  for (const { warnings, error } of result.changes)
    expect(
      [...warnings, error ?? ''].filter((text) => falseWords.test(text)),
      stderr,
    ).toEqual([]);
  await world.sandbox.settle();
  world.sandbox.faults.clear();
  const left = new Set((await world.plan()).changes.map(({ address }) => address));
  const made = result.changes.filter(({ outcome }) => outcome === 'done');
  const failed = result.changes.filter(({ outcome }) => outcome === 'failed');
  expect(made.filter(({ address }) => left.has(address))).toEqual([]);
  expect(failed.filter(({ address }) => !left.has(address))).toEqual([]);
  return made.length + failed.length;
}
