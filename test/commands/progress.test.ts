import { Readable, Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { type Output, redactIo, viewOf } from '../../src/commands/io.ts';

import { createFleetProgress, createProgress } from '../../src/commands/progress.ts';
import { widthOf } from '../../src/report/layout.ts';
import { createTestWorld } from '../support/world.ts';

class Screen extends Writable {
  readonly isTTY: boolean;
  readonly columns = 80;
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

function ioOn(stderr: Output, env: NodeJS.ProcessEnv = {}, { signal } = new AbortController()) {
  const stdout = new Screen(false);
  return redactIo({ cwd: '/', env, stdin: () => Readable.from([]), stdout, stderr, signal });
}

function progressOn(stderr: Output, args = {}, env: NodeJS.ProcessEnv = {}) {
  return createProgress({ ...ioOn(stderr, env), ...args });
}

type RunEvent = Parameters<ReturnType<typeof createProgress>['onEvent']>[0];

const request = { method: 'GET', path: '/v2025/\u001b[31mevil', query: {} } as const;
const started = { type: 'request-started', request, attempt: 1 } as const;
const finished = {
  type: 'request-finished',
  request,
  attempt: 1,
  ms: 5,
  result: 200,
  detail: null,
  trackingId: null,
} as const;
const waiting = { type: 'rate-limit-wait', version: 'v2025', ms: 4000 } as const;

describe('progress', () => {
  it('is no bar, and has no colors, on a terminal that obeys no escapes', () => {
    const screen = new Screen(true);
    const env = { TERM: 'dumb' };
    const progress = progressOn(screen, {}, env);
    progress.onEvent(started);
    progress.end();
    expect(screen.text).toBe('');
    expect(viewOf(screen, ioOn(screen, env)).colour).toBe(false);
    expect(viewOf(screen, ioOn(screen)).colour).toBe(true);
  });

  it('is a bar with counts and what is waited for on a terminal, and goes away', () => {
    const screen = new Screen(true);
    const progress = progressOn(screen);
    progress.onEvent(started);
    progress.onEvent({ ...started, request: { ...started.request, path: '/v2024/other' } });
    progress.onEvent(finished);
    expect(screen.text).toMatch(/█{10}░{10} 1\/2 requests$/);
    progress.onEvent(waiting);
    expect(screen.text).toContain('1/2 requests  rate limit reached, continuing in 4 s');
    const lines = screen.text.split('\r');
    expect(lines.every((line) => line.replace('\u001b[2K', '').length < 80)).toBe(true);
    progress.end();
    expect(screen.text.endsWith('\r\u001b[2K')).toBe(true);
  });

  it('counts down while the tenant lets no request through, and says what goes on afterwards', () => {
    vi.useFakeTimers();
    try {
      const screen = new Screen(true);
      const shown = () => screen.text.split('\u001b[2K').at(-1);
      const progress = progressOn(screen);
      progress.onEvent(started);
      progress.onEvent({ ...waiting, ms: 3000 });
      expect(shown()).toContain('continuing in 3 s');
      vi.advanceTimersByTime(1000);
      expect(shown()).toContain('continuing in 2 s');
      progress.onEvent({ ...started, request: { ...started.request, path: '/other' } });
      progress.onEvent({ ...waiting, ms: 1500 });
      expect(shown()).toContain('0/2 requests  rate limit reached, continuing in 2 s');
      vi.advanceTimersByTime(2000);
      expect(shown()).toMatch(/ 0\/2 requests$/);
      const { length } = screen.text;
      vi.advanceTimersByTime(5000);
      expect(screen.text).toHaveLength(length);
      progress.onEvent({ ...waiting, ms: 3000 });
      progress.end();
      const { text } = screen;
      vi.advanceTimersByTime(5000);
      expect(screen.text).toBe(text);
    } finally {
      vi.useRealTimers();
    }
  });

  it('says how long a long apply takes yet, and cuts addresses in the middle', () => {
    vi.useFakeTimers();
    try {
      const screen = new Screen(true);
      const shown = () => screen.text.split('\u001b[2K').at(-1) ?? '';
      const progress = progressOn(screen);
      const address = 'NotificationTemplate/cloud_manual_work_item_summary/EMAIL/pt-BR';
      progress.onEvent({ type: 'started', address, action: 'update' });
      expect(shown()).toMatch(/0\/0 requests {2}update NotificationT.*….*EMAIL\/pt-BR …$/);
      expect(shown().length).toBeLessThan(80);
      vi.advanceTimersByTime(10_000);
      const result = { address, action: 'update', outcome: 'done', before: null, after: null } as const;
      const change = { ...result, requests: [], error: null, warnings: [] };
      progress.onEvent({ type: 'finished', finished: 4, total: 20, result: change });
      expect(shown()).not.toContain('left');
      progress.onEvent({ type: 'finished', finished: 5, total: 20, result: change });
      expect(shown()).toContain('5/20 changes  about 30 s');
    } finally {
      vi.useRealTimers();
    }
  });

  it('counts a request once, however often it is tried', () => {
    const screen = new Screen(true);
    const progress = progressOn(screen);
    const shown = () => screen.text.split('\u001b[2K').at(-1);
    progress.onEvent(started);
    progress.onEvent(finished);
    progress.onEvent({ type: 'retrying', request: started.request, attempt: 1, ms: 100, reason: '429' });
    expect(shown()).toMatch(/░ 0\/1 requests/);
    progress.onEvent({ ...started, attempt: 2 });
    expect(shown()).toMatch(/░ 0\/1 requests/);
    progress.onEvent({ ...finished, attempt: 2 });
    expect(shown()).toMatch(/█ 1\/1 requests/);
  });

  it('bears a request that is tried again before it was ever sent, as where no token is to be had', () => {
    const screen = new Screen(true);
    const progress = progressOn(screen);
    progress.onEvent({ type: 'retrying', request: started.request, attempt: 1, ms: 100, reason: 'lost' });
    expect(screen.text).toMatch(/░{20} 0\/0 requests/);
    progress.onEvent({ ...started, attempt: 2 });
    progress.onEvent({ ...finished, attempt: 2 });
    expect(screen.text).toMatch(/█{20} 1\/1 requests$/);
  });

  it('stays in one line of the terminal whatever the tenant says', () => {
    const screen = new Screen(true);
    const reason = '503: 休止中です。\nしばらくしてからもう一度お試しください。';
    progressOn(screen).onEvent({ type: 'retrying', request: started.request, attempt: 1, ms: 100, reason });
    expect(screen.text).toContain('しばらく');
    expect(screen.text).not.toContain('\n');
    expect(widthOf(screen.text.split('\u001b[2K').at(-1) ?? '')).toBeLessThan(80);
  });

  it.each([
    ['a CI job', { CI: '1' }, {}, 1],
    ['a script', {}, {}, 1],
    ['a script with --no-progress', {}, { progress: false }, 0],
    ['a script with --quiet', {}, { quiet: true }, 0],
  ])('says once what a run waits for that seems to stand still, in %s', (_where, env, args, lines) => {
    const screen = new Screen(false);
    const progress = progressOn(screen, args, env);
    const addresses = ['Thing/\u001b[31mevil', 'Thing/b'];
    for (const ms of [60_000, 59_000]) {
      progress.onEvent({ type: 'settling', addresses, ms });
    }
    const line = /^waiting up to 60 s for the tenant to show its last writes: .*evil and 1 more$/gm;
    expect(screen.text.match(line)?.length ?? 0).toBe(lines);
    expect(screen.text.split('\n')).toHaveLength(lines + 1);
    expect(screen.text).not.toContain('\u001b');
  });

  it('is a plain line now and then in a CI job', () => {
    const screen = new Screen(false);
    const progress = progressOn(screen, {}, { CI: 'true' });
    for (let at = 0; at < 250; at++) {
      progress.onEvent({ ...finished, request: { ...finished.request, path: `/v2024/${at}` } });
    }
    progress.onEvent(waiting);
    expect(screen.text).toBe(
      '100 requests answered\n200 requests answered\nrate limit reached, continuing in 4 s; further waits are not shown\n',
    );
  });

  it.each<[string, NodeJS.ProcessEnv, object]>([
    ['a CI job', { CI: '1' }, {}],
    ['a script', {}, {}],
    ['a script with --no-progress', {}, { progress: false }],
    ['a script with --quiet', {}, { quiet: true }],
  ])(
    'tells once that the limit makes it wait, when the waits are long together, in %s',
    (_where, env, args) => {
      vi.useFakeTimers();
      try {
        const screen = new Screen(false);
        const fleetScreen = new Screen(false);
        const progress = progressOn(screen, args, env);
        const fleet = createFleetProgress(2, { ...ioOn(fleetScreen, env), ...args });
        const wait = (version: string, ms: number) => {
          progress.onEvent({ ...waiting, version, ms });
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
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it.each(['false', '0', '', 'FALSE'])('is none of a CI job where CI is %j', (CI) => {
    const screen = new Screen(false);
    const progress = progressOn(screen, {}, { CI });
    for (let at = 0; at < 250; at++) {
      progress.onEvent({ ...finished, request: { ...finished.request, path: `/v2024/${at}` } });
    }
    expect(screen.text).toBe('');
  });

  it('calls the outcome of a change what the result calls it', () => {
    const screen = new Screen(false);
    const change = { address: 'Thing/a', action: 'update', outcome: 'notAttempted' } as const;
    const result = { ...change, before: null, after: null, requests: [], error: null, warnings: [] };
    progressOn(screen, {}, { CI: 'true' }).onEvent({ type: 'finished', finished: 1, total: 2, result });
    expect(screen.text).toBe('1/2 Thing/a not attempted\n');
  });

  it.each([[{ quiet: true }], [{ progress: false }]])('is nothing with %j', (args) => {
    const screen = new Screen(true);
    const progress = progressOn(screen, args);
    progress.onEvent(finished);
    progress.end();
    expect(screen.text).toBe('');
  });

  it('lets no escape of a tenant through in the log of requests', () => {
    const screen = new Screen(false);
    progressOn(screen, { verbose: true }).onEvent(finished);
    expect(screen.text).toContain('GET /v2025/');
    expect(screen.text).not.toContain('\u001b');
  });
});

describe('after Ctrl-C', () => {
  const write = { ...request, method: 'POST' } as const;
  /** What is said at Ctrl-C, after these events. */
  function saidAfter(events: readonly RunEvent[], screen: Screen, args = {}) {
    const interruption = new AbortController();
    const progress = createProgress({ ...ioOn(screen, {}, interruption), ...args });
    for (const event of events) progress.onEvent(event);
    const before = screen.text.length;
    interruption.abort();
    return screen.text.slice(before);
  }

  const said = 'Interrupted: waiting for the end of 1 request. Another Ctrl-C ends the program at once.\n';
  const events = [
    { ...started, request: write },
    { ...started, request: write },
    { ...finished, request: write },
  ];

  it.each([{}, { verbose: true }, { progress: false }])(
    'a run says what it still waits for, with %j',
    (args) => {
      expect(saidAfter(events, new Screen(false), args)).toBe(said);
    },
  );

  it('it says so in place of the bar', () => {
    expect(saidAfter(events, new Screen(true))).toBe(`\r\u001b[2K${said}`);
  });

  it('a run that only reads is not waited for, and --quiet is quiet', () => {
    expect(saidAfter([started], new Screen(false))).toBe('');
    expect(saidAfter(events, new Screen(false), { quiet: true })).toBe('');
  });

  it('an apply of several environments says it once, for all of them', () => {
    const screen = new Screen(true);
    const interruption = new AbortController();
    const io = ioOn(screen, {}, interruption);
    const progress = createFleetProgress(2, io);
    for (const name of ['eu-1', 'eu-2']) {
      progress.onProgress(name, 'begun');
      progress.tenantOptions(name).onEvent?.({ ...started, request: write });
    }
    interruption.abort();
    expect(screen.text.endsWith(`\r\u001b[2K${said.replace('1 request', '2 requests')}`)).toBe(true);
  });
});

describe('an apply in a CI job', () => {
  it('tells each step of a few, and some of many', async () => {
    const world = await createTestWorld({ env: { CI: 'true' } });
    world.declare(
      Array.from({ length: 60 }, (_, at) => ({ kind: 'SenderAddress', email: `s${at}@acme.example` })),
    );
    const { stderr } = await world.run('apply --yes');
    const steps = stderr.split('\n').filter((line) => /^\d+\/60 /.test(line));
    expect(steps).toHaveLength(20);
    expect(steps.at(-1)).toMatch(/^60\/60 /);
  });
});
