import { afterAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/sandbox/index.ts';
import { casesOf, isThorough } from '../support/effort.ts';
import type { startProgram } from '../support/program.ts';
import type { SandboxOptions } from '../support/sandbox.ts';
import { runProgram } from '../support/world.ts';
import { describedGroups, describedWorld, manifestFile } from './described-kinds.ts';
import {
  checkEnd,
  checkStory,
  checkVerdicts,
  createStage,
  reset,
  type Scenario,
  type Stage,
  writes,
} from './disturbed-apply.ts';
import { everything, fillTenant, oneAtATime } from './every-kind.ts';

/** What can happen to one request. What the program cannot tell apart takes turns, from request to request. */
type Faults = Readonly<Record<string, readonly (Fault | null)[]>>;

/** On its way, there and back. */
const faults = {
  'reset before': [{ kind: 'reset-before' }],
  'reset after': [{ kind: 'reset-after' }],
  'cut body': [{ kind: 'cut-body' }],
  '5xx before': [
    { kind: 'status', status: 500 },
    { kind: 'status', status: 503 },
  ],
  '5xx after': [
    { kind: 'status', status: 500, done: 'after' },
    { kind: 'status', status: 503, done: 'after', body: 'html' },
  ],
  429: [{ kind: 'status', status: 429 }],
  'hang before': [{ kind: 'hang' }],
  'hang after': [{ kind: 'hang', done: 'after' }],
} satisfies Faults;
/** The same where the tenant does the work after all, some time after it did not answer. */
const late = {
  'late 5xx': [
    { kind: 'status', status: 500, late: 60 },
    { kind: 'status', status: 503, late: 60, body: 'html' },
    { kind: 'status', status: 504, late: 60 },
  ],
  'late, reset': [{ kind: 'reset-before', late: 60 }],
  'late, no answer': [{ kind: 'hang', late: 60 }],
} satisfies Faults;
/** A write shows in the reads after this time. */
const lag = 150;
/** What can happen to the program when a request reaches the tenant, done or not. */
const endings = ['SIGKILL before', 'SIGKILL after', 'SIGINT'] as const;
type Ending = (typeof endings)[number];

/** How many statements about changes were compared with the tenant. */
let verdicts = 0;

async function faultCase(stage: Stage, fault: Fault | null, nth: number, again: readonly string[]) {
  const from = await reset(stage);
  if (fault) stage.world.sandbox.faults.add({ ...fault, nth });
  const first = await stage.world.run('apply plan.json --format json');
  checkStory(first, writes(stage, from));
  // The second apply comes at once: what is late happens while it runs.
  if (first.code === 0 || nth % 2 === 0) verdicts += await checkVerdicts(stage, first);
  await checkEnd(stage, first.code === 0, again);
}

async function endingCase(
  stage: Stage,
  start: typeof startProgram,
  ending: Ending,
  nth: number,
  again: readonly string[],
): Promise<void> {
  const from = await reset(stage);
  const { sandbox } = stage.world;
  // A request that is not to be carried out hangs until the program is gone.
  if (ending === 'SIGKILL before') sandbox.faults.add({ kind: 'hang', nth });
  const { child, ended } = start(stage.world, 'apply', 'plan.json', '--format', 'json');
  const signal = ending === 'SIGINT' ? 'SIGINT' : 'SIGKILL';
  // Where reads lag, how often the program reads again depends on the pace of the machine: it may end before.
  const isReached = () => sandbox.log.length >= from + nth;
  if (ending === 'SIGKILL before') {
    const isOver = () => isReached() || child.exitCode !== null;
    await expect.poll(isOver, { interval: 25, timeout: 30_000 }).toBe(true);
    child.kill(signal);
  } else {
    stage.onWork = () => {
      if (!isReached()) return;
      // Once: who presses Ctrl-C again does not want to wait for anything.
      stage.onWork = null;
      child.kill(signal);
    };
  }
  const first = await ended;
  stage.onWork = null;
  if (signal === 'SIGINT') checkStory(first, writes(stage, from));
  else expect(first.code).toBe(isReached() ? -1 : 0);
  await checkEnd(stage, first.code === 0, again);
}

/** Ctrl-C in this process, at the same points and at the price of no process. */
async function interruptCase(stage: Stage, nth: number, again: readonly string[]): Promise<void> {
  const from = await reset(stage);
  const interrupt = new AbortController();
  const { dir, env, sandbox } = stage.world;
  stage.onWork = () => {
    if (sandbox.log.length >= from + nth) interrupt.abort();
  };
  const argv = ['apply', 'plan.json', '--format', 'json'];
  const first = await runProgram(argv, { cwd: dir, env, signal: interrupt.signal });
  stage.onWork = null;
  checkStory(first, writes(stage, from));
  await checkEnd(stage, first.code === 0, again);
}

function wireCases(all: Faults, requests: number): Case[] {
  return Object.entries(all).flatMap(([name, turns], salt) =>
    nths(requests).map((nth): Case => {
      const fault = turns[nth % turns.length] ?? null;
      return [`${name}, request ${nth}`, (stage) => faultCase(stage, fault, nth, again(nth, salt))];
    }),
  );
}

/** The same for the create that the tenant would carry out twice: each fault, or in a sample one of a class and one way to go on. */
const createCases = (operation: string, all: Faults): Case[] =>
  Object.values(all)
    .flatMap((turns) => (isThorough ? turns : turns.slice(-1)))
    .flatMap((fault, at) => {
      const create = fault && { ...fault, operation };
      return (isThorough ? [1, 2] : [at]).map((turn): Case => {
        const next = again(turn, 0);
        return [`${JSON.stringify(create)}, then ${next}`, (stage) => faultCase(stage, create, 1, next)];
      });
    });

type Case = readonly [string, (stage: Stage) => Promise<void>];

interface RunOptions extends SandboxOptions {
  readonly always?: readonly Case[];
  /** How many worlds work at once. */
  readonly lanes?: number;
}

/** Some of the cases, or all, and `always` those that matter most; spread over several worlds. */
async function runAll(
  scenario: Scenario,
  cases: (requests: number) => readonly Case[],
  { always = [], lanes = 6, ...options }: RunOptions = {},
): Promise<number> {
  const first = await createStage(scenario, options);
  const all = [...casesOf(cases(first.requests), first.requests), ...always];
  // A world costs as much as some cases.
  const others = Math.min(lanes, Math.ceil(all.length / 8)) - 1;
  const more = Array.from({ length: others }, () => createStage(scenario, options));
  const stages = [first, ...(await Promise.all(more))];
  const queue = all.values();
  try {
    const work = stages.map(async (stage) => {
      for (const [name, run] of queue)
        await run(stage).catch((error: unknown) => {
          throw new Error(name, { cause: error });
        });
    });
    await Promise.all(work);
  } finally {
    await Promise.all(stages.map(({ world }) => world.close()));
  }
  return all.length;
}

const nths = (requests: number) => Array.from({ length: requests }, (_, at) => at + 1);
/** Half of the cases go on with the same plan, half with a fresh one. */
const again = (nth: number, salt: number) => ((nth + salt) % 2 === 0 ? ['plan.json'] : ['--yes']);

export const everyKind: Scenario = {
  options: oneAtATime,
  prepare(world) {
    fillTenant(world.sandbox.state);
    world.declare(everything);
  },
  create: 'create-profile-search',
};

export const ownKinds: Scenario = {
  options: describedWorld,
  prepare: (world) => world.write('config/all.yaml', manifestFile(describedGroups)),
  create: 'create-role',
};

type Counted = (what: string, run: Promise<number>) => Promise<void>;

/** Tells at the end how many cases were tried. */
function describeCases(name: string, cases: (counted: Counted) => void): void {
  describe(`whatever happens to one request of an apply of ${name}, one more apply at most makes it good`, () => {
    const counts: [string, number][] = [];
    afterAll(() => {
      const total = counts.reduce((sum, [, count]) => sum + count, 0);
      const lines = counts.map(([what, count]) => `  ${what}: ${count}`);
      console.log(
        `Fault matrix of ${name}, ${total} cases: nothing twice; ${verdicts} verdicts, none false\n${lines.join('\n')}`,
      );
    });
    cases(async (what, run) => void counts.push([what, await run]));
  });
}

const timeout = 1_800_000;

/** Tries whatever can happen to one request of an apply: one more apply at most makes it good. */
export function tryEverything(name: string, scenario: Scenario): void {
  describeCases(name, (counted) => {
    it('on the wire', { timeout }, () => {
      const all = { ...faults, ...late };
      const always = createCases(scenario.create, all);
      const run = runAll(scenario, (requests) => wireCases(all, requests), { always });
      return counted('faults on the wire, and effects that are late', run);
    });

    it('on the wire, with reads that lag', { timeout }, () => {
      const some = {
        'reset before': faults['reset before'],
        'reset after': faults['reset after'],
        '503 after': faults['5xx after'].slice(1),
        'late 504': late['late 5xx'].slice(2),
      };
      const always = createCases(scenario.create, some);
      const cases = (requests: number) => wireCases({ 'no fault': [null], ...some }, requests);
      return counted('the same with reads that lag', runAll(scenario, cases, { lag, always }));
    });

    it('in the program: Ctrl-C', { timeout }, () => {
      const cases = (requests: number) =>
        nths(requests).map((nth): Case => {
          return [`Ctrl-C, request ${nth}`, (stage) => interruptCase(stage, nth, again(nth, 0))];
        });
      return counted('Ctrl-C', runAll(scenario, cases, { lanes: 4 }));
    });
  });
}

/** The same for signals to the program, in a process of its own. */
export function trySignals(name: string, scenario: Scenario, start: typeof startProgram): void {
  describeCases(name, (counted) => {
    it.each(isThorough ? [0, lag] : [lag])(
      'in the program: signals to the real process, reads lag %i ms',
      { timeout },
      (ms) => {
        const cases = (requests: number) =>
          endings.flatMap((ending, salt) =>
            nths(requests)
              // Ctrl-C has been tried at every request already.
              .filter((nth) => ending !== 'SIGINT' || nth % 4 === 0)
              .map((nth): Case => {
                const next = again(nth, salt);
                return [`${ending}, request ${nth}`, (stage) => endingCase(stage, start, ending, nth, next)];
              }),
          );
        return counted(
          `signals to the process, reads lag ${ms} ms`,
          runAll(scenario, cases, { lag: ms, lanes: 3 }),
        );
      },
    );
  });
}
