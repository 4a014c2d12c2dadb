import { Readable, Writable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Io, redactIo, viewOf } from '../../src/commands/io.ts';

import { withFleetProgress, withProgress } from '../../src/commands/progress.ts';
import type { ChangeOutcome } from '../../src/model/documents.ts';
import { widthOf } from '../../src/report/layout.ts';
import { createTestWorld } from '../support/world.ts';

class Screen extends Writable {
  readonly isTTY: boolean;
  columns = 80;
  text = '';
  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

function ioOn(stderr: Io['stderr'], env: NodeJS.ProcessEnv = {}, { signal } = new AbortController()) {
  const stdout = new Screen(false);
  return redactIo({ cwd: '/', env, stdin: () => Readable.from([]), stdout, stderr, signal });
}

type Progress = Parameters<Parameters<typeof withProgress>[1]>[1];

/** The progress of work that ends with the test. */
function openProgress(io: Parameters<typeof withProgress>[0]): Progress {
  const untilEnd = new Promise<void>((resolve) => onTestFinished(() => resolve()));
  const opened: Progress[] = [];
  void withProgress(io, (_options, progress) => {
    opened.push(progress);
    return untilEnd;
  });
  const [progress] = opened;
  if (!progress) throw new Error('The work has not begun.');
  return progress;
}

/** The progress of two environments, whose work ends with the test. */
function openFleetProgress(io: Io) {
  type Work = Parameters<typeof withFleetProgress<void>>[3];
  const untilEnd = new Promise<void>((resolve) => onTestFinished(() => resolve()));
  const opened: Parameters<Work>[0][] = [];
  void withFleetProgress(2, { parallel: 2 }, io, (run) => {
    opened.push(run);
    return untilEnd;
  });
  const [progress] = opened;
  if (!progress) throw new Error('The work has not begun.');
  return progress;
}

/** The progress of one environment, and the screen that it is shown on. */
function progressOn(isTTY: boolean, args = {}, env: NodeJS.ProcessEnv = {}) {
  const screen = new Screen(isTTY);
  /** What the line of the terminal has now. */
  const shown = () => screen.text.split('\u001b[2K').at(-1) ?? '';
  return { screen, shown, ...openProgress({ ...ioOn(screen, env), ...args }) };
}

function useFakeTimers(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

type RunEvent = Parameters<Progress['onEvent']>[0];

const request = { method: 'GET', path: '/v2025/\u001b[31mevil', query: {} } as const;
const started = { type: 'request-started', request, attempt: 1 } as const;
const answer = { ms: 5, result: 200, detail: null, trackingId: null };
const finished = { type: 'request-finished', request, attempt: 1, ...answer } as const;
const waiting = { type: 'rate-limit-wait', version: 'v2025', ms: 4000 } as const;

describe('progress', () => {
  const empty = { before: null, after: null, requests: [], error: null, warnings: [] } as const;
  const result = { ...empty, action: 'update' } as const;

  it('is no bar, and has no colors, on a terminal that obeys no escapes', () => {
    const env = { TERM: 'dumb' };
    const { screen, onEvent, end } = progressOn(true, {}, env);
    onEvent(started);
    end();
    expect(screen.text).toBe('');
    expect(viewOf(screen, ioOn(screen, env)).colour).toBe(false);
    expect(viewOf(screen, ioOn(screen)).colour).toBe(true);
  });

  it('is a bar with counts and what is waited for on a terminal, and goes away', () => {
    const { screen, onEvent, end } = progressOn(true);
    onEvent(started);
    onEvent({ ...started, request: { ...request, path: '/v2024/other' } });
    onEvent(finished);
    expect(screen.text).toMatch(/█{10}░{10} 1\/2 requests$/);
    onEvent(waiting);
    expect(screen.text).toContain('1/2 requests  rate limit reached, continuing in 4 s');
    const lines = screen.text.split('\r');
    expect(lines.every((line) => line.replace('\u001b[2K', '').length < 80)).toBe(true);
    end();
    expect(screen.text.endsWith('\r\u001b[2K')).toBe(true);
  });

  it('counts down while the tenant lets no request through, and says what goes on afterwards', () => {
    useFakeTimers();
    const { screen, shown, onEvent, end } = progressOn(true);
    onEvent(started);
    onEvent({ ...waiting, ms: 3000 });
    expect(shown()).toContain('continuing in 3 s');
    vi.advanceTimersByTime(1000);
    expect(shown()).toContain('continuing in 2 s');
    onEvent({ ...started, request: { ...request, path: '/other' } });
    onEvent({ ...waiting, ms: 1500 });
    expect(shown()).toContain('0/2 requests  rate limit reached, continuing in 2 s');
    vi.advanceTimersByTime(2000);
    expect(shown()).toMatch(/ 0\/2 requests$/);
    const { length } = screen.text;
    vi.advanceTimersByTime(5000);
    expect(screen.text).toHaveLength(length);
    onEvent({ ...waiting, ms: 3000 });
    end();
    const { text } = screen;
    vi.advanceTimersByTime(5000);
    expect(screen.text).toBe(text);
  });

  it('fits a terminal that becomes narrower, and says how much of an earlier run is resumed', () => {
    const { screen, shown, onEvent } = progressOn(true);
    const resuming = { type: 'checked', changes: 3, resumed: 1 } as const;
    onEvent(resuming);
    expect(shown()).toMatch(/ had started 1 change$/);
    screen.columns = 50;
    onEvent(resuming);
    expect(shown().length).toBeLessThan(50);
  });

  it('says how long a long apply takes yet, and cuts addresses in the middle', () => {
    useFakeTimers();
    const { shown, onEvent } = progressOn(true);
    const address = 'NotificationTemplate/cloud_manual_work_item_summary/EMAIL/pt-BR';
    onEvent({ type: 'started', address, action: 'update' });
    expect(shown()).toMatch(/0\/0 requests {2}update NotificationT.*….*EMAIL\/pt-BR …$/);
    expect(shown().length).toBeLessThan(80);
    vi.advanceTimersByTime(10_000);
    const change = { ...result, address, outcome: 'done' } as const;
    onEvent({ type: 'finished', finished: 4, total: 20, result: change });
    expect(shown()).not.toContain('left');
    onEvent({ type: 'finished', finished: 5, total: 20, result: change });
    expect(shown()).toContain('5/20 changes  about 30 s');
  });

  it('counts a request once, however often it is tried', () => {
    const { shown, onEvent } = progressOn(true);
    onEvent(started);
    onEvent(finished);
    onEvent({ type: 'retrying', request, attempt: 1, ms: 100, reason: '429' });
    expect(shown()).toMatch(/░ 0\/1 requests/);
    onEvent({ ...started, attempt: 2 });
    expect(shown()).toMatch(/░ 0\/1 requests/);
    onEvent({ ...finished, attempt: 2 });
    expect(shown()).toMatch(/█ 1\/1 requests/);
  });

  it('bears a request that is tried again before it was ever sent, as where no token is to be had', () => {
    const { screen, onEvent } = progressOn(true);
    onEvent({ type: 'retrying', request, attempt: 1, ms: 100, reason: 'lost' });
    expect(screen.text).toMatch(/░{20} 0\/0 requests/);
    onEvent({ ...started, attempt: 2 });
    onEvent({ ...finished, attempt: 2 });
    expect(screen.text).toMatch(/█{20} 1\/1 requests$/);
  });

  it('stays in one line of the terminal whatever the tenant says', () => {
    const { screen, shown, onEvent } = progressOn(true);
    const reason = '503: 休止中です。\nしばらくしてからもう一度お試しください。';
    onEvent({ type: 'retrying', request, attempt: 1, ms: 100, reason });
    expect(screen.text).toContain('しばらく');
    expect(screen.text).not.toContain('\n');
    expect(widthOf(shown())).toBeLessThan(80);
  });

  const places: readonly [string, NodeJS.ProcessEnv, object][] = [
    ['a CI job', { CI: '1' }, {}],
    ['a script', {}, {}],
    ['a script with --no-progress', {}, { progress: false }],
    ['a script with --quiet', {}, { quiet: true }],
  ];
  it.each(places)('says once what a run waits for that seems to stand still, in %s', (_where, env, args) => {
    const lines = 'quiet' in args || 'progress' in args ? 0 : 1;
    const { screen, onEvent } = progressOn(false, args, env);
    const addresses = ['Thing/\u001b[31mevil', 'Thing/b'];
    for (const ms of [60_000, 59_000]) onEvent({ type: 'settling', addresses, ms });
    const line = /^waiting up to 60 s for the tenant to show its last writes: .*evil and 1 more$/gm;
    expect(screen.text.match(line)?.length ?? 0).toBe(lines);
    expect(screen.text.split('\n')).toHaveLength(lines + 1);
    expect(screen.text).not.toContain('\u001b');
  });

  /** What 250 answers leave on a screen that is no terminal. */
  function afterMany(env: NodeJS.ProcessEnv): string {
    const { screen, onEvent } = progressOn(false, {}, env);
    for (let at = 0; at < 250; at++) onEvent({ ...finished, request: { ...request, path: `/v2024/${at}` } });
    return screen.text;
  }

  it('is a plain line now and then in a CI job', () => {
    expect(afterMany({ CI: 'true' })).toBe('100 requests answered\n200 requests answered\n');
  });

  it.each(['false', '0', '', 'FALSE'])('is none of a CI job where CI is %j', (CI) => {
    expect(afterMany({ CI })).toBe('');
  });

  it.each(places)(
    'tells once that the limit makes it wait, when waits are long together, in %s',
    (_where, env, args) => {
      useFakeTimers();
      const fleetScreen = new Screen(false);
      const { screen, onEvent } = progressOn(false, args, env);
      const fleet = openFleetProgress({ ...ioOn(fleetScreen, env), ...args });
      const wait = (version: string, ms: number) => {
        onEvent({ ...waiting, version, ms });
        fleet.tenantOptions('eu-1').onEvent?.({ ...waiting, version, ms });
      };
      wait('v2025', 1500);
      // At the same time: nobody waits longer for it.
      wait('v2024', 1500);
      expect(screen.text).toBe('');
      vi.advanceTimersByTime(1500);
      wait('v2025', 1000);
      wait('v2025', 9000);
      const line = 'rate limit reached, continuing in 1 s; further waits are not shown\n';
      expect([screen.text, fleetScreen.text]).toEqual([line, line]);
    },
  );

  it('tells each change that is not done in a CI job, with the outcome of the result', () => {
    const { screen, onEvent } = progressOn(false, {}, { CI: 'true' });
    const finish = (number: number, outcome: ChangeOutcome) =>
      onEvent({
        type: 'finished',
        finished: number,
        total: 60,
        result: { ...result, address: 'Thing/a', outcome },
      });
    finish(1, 'done');
    finish(2, 'notAttempted');
    finish(3, 'done');
    expect(screen.text).toBe('2/60 Thing/a not attempted\n3/60 Thing/a done\n');
  });

  it.each([[{ quiet: true }], [{ progress: false }]])('is nothing with %j', (args) => {
    const { screen, onEvent, end } = progressOn(true, args);
    onEvent(finished);
    end();
    expect(screen.text).toBe('');
  });

  it('lets no escape of a tenant through in the log of requests', () => {
    const { screen, onEvent } = progressOn(false, { verbose: true });
    onEvent(finished);
    expect(screen.text).toContain('GET /v2025/');
    expect(screen.text).not.toContain('\u001b');
  });
});

describe('after Ctrl-C', () => {
  const write = { ...request, method: 'POST' } as const;
  /** What is said at Ctrl-C, after these events. */
  function saidAfter(events: readonly RunEvent[], screen: Screen, args = {}) {
    const interruption = new AbortController();
    const progress = openProgress({ ...ioOn(screen, {}, interruption), ...args });
    for (const event of events) progress.onEvent(event);
    const before = screen.text.length;
    interruption.abort();
    return screen.text.slice(before);
  }

  const said = 'Interrupted: waiting for the end of 1 request. Another Ctrl-C ends the program at once.\n';
  const begun = { ...started, request: write };
  const events = [begun, begun, { ...finished, request: write }];

  it.each([{}, { verbose: true }, { progress: false }])('a run says what it waits for, with %j', (args) => {
    expect(saidAfter(events, new Screen(false), args)).toBe(said);
  });

  it('it says so in place of the bar', () => {
    expect(saidAfter(events, new Screen(true))).toBe(`\r\u001b[2K${said}`);
  });

  it('a run that only reads is not waited for, and --quiet is quiet', () => {
    expect(saidAfter([started], new Screen(false))).toBe('');
    expect(saidAfter([...events, { ...finished, request: write }], new Screen(false))).toBe('');
    expect(saidAfter(events, new Screen(false), { quiet: true })).toBe('');
  });

  it('an apply of several environments says it once, for all of them', () => {
    const screen = new Screen(true);
    const interruption = new AbortController();
    const io = ioOn(screen, {}, interruption);
    const progress = openFleetProgress(io);
    for (const name of ['eu-1', 'eu-2']) {
      progress.onProgress(name, 'begun');
      progress.tenantOptions(name).onEvent?.({ ...started, request: write });
    }
    interruption.abort();
    expect(screen.text.endsWith(`\r\u001b[2K${said.replace('1 request', '2 requests')}`)).toBe(true);
  });
});

it('an apply in a CI job tells each step of a few, and some of many', async () => {
  const world = await createTestWorld({ env: { CI: 'true' } });
  const emails = Array.from({ length: 60 }, (_, at) => `s${at}@acme.example`);
  world.declare(emails.map((email) => ({ kind: 'SenderAddress', email })));
  const { stderr } = await world.run('apply --yes');
  const steps = stderr.split('\n').filter((line) => /^\d+\/60 /.test(line));
  expect(steps).toHaveLength(20);
  expect(steps.at(-1)).toMatch(/^60\/60 /);
});
