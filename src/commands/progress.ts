import type { ApplyEvent } from '../applier/run.ts';
import type { FleetOptions } from '../engine/fleet.ts';
import { type Tenant, type TenantOptions, useTenant } from '../engine/tenant.ts';
import type { Environment, Secrets } from '../kinds/project.ts';
import { isCi } from '../loader/inputs.ts';
import { namesAndMore } from '../model/words.ts';
import { cut } from '../report/layout.ts';
import { oneLine } from '../report/safe.ts';
import { joinParts, outcomeWords, pluralize, requestTarget } from '../report/words.ts';
import { type Io, printNote, takesEscapes, terminalWidth } from './io.ts';

type RunEvent = Parameters<Tenant['onEvent']>[0] | ApplyEvent;

type Progress = ReturnType<typeof createProgress>;
type FleetProgress = ReturnType<typeof createFleetProgress>;

/** Runs work with a tenant, and shows its progress. */
export async function withProgress<T>(
  io: Io,
  work: (options: TenantOptions, progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = createProgress(io);
  const { signal, redactor } = io;
  try {
    return await work({ signal, redactor, onEvent: progress.onEvent }, progress);
  } finally {
    progress.close();
  }
}

/** Opens the environment's tenant for `use`, shows its progress, and closes the tenant. */
export function withTenant<T>(
  project: { readonly environment: Environment; readonly secrets: Secrets },
  io: Io,
  use: (tenant: Tenant, progress: Progress) => Promise<T>,
): Promise<T> {
  return withProgress(io, (options, progress) =>
    useTenant(project, options, (tenant) => use(tenant, progress)),
  );
}

/** Runs `work` with the progress of several environments, and ends that. */
export async function withFleetProgress<T>(
  total: number,
  { parallel }: { readonly parallel: number },
  io: Io,
  work: (run: FleetOptions & FleetProgress) => Promise<T>,
): Promise<T> {
  const progress = createFleetProgress(total, io);
  try {
    return await work({ ...progress, parallel, signal: io.signal });
  } finally {
    progress.close();
  }
}

/**
 * Progress is shown with `--verbose` as a log of requests, on a terminal as one line that is drawn again, in a CI job as a line
 * from time to time. Elsewhere, and with `--quiet`, only long waits are shown.
 */
type Mode = 'none' | 'log' | 'bar' | 'lines' | 'waits';

function modeOf(io: Io): Mode {
  if (io.quiet) return 'none';
  if (io.verbose) return 'log';
  if (!io.progress) return 'none';
  if (takesEscapes(io.stderr, io)) return 'bar';
  return isCi(io.env) ? 'lines' : 'waits';
}

/** The common part of both types of progress: a redrawn terminal line, and notes. */
function openDisplay(io: Io) {
  const { stderr, signal } = io;
  const mode = modeOf(io);
  const width = Math.max(0, terminalWidth(stderr) - 1);
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) stderr.write('\r\x1b[2K');
    isDrawn = false;
  };
  const note = (text: string | null) => {
    if (text !== null) printNote(text, io);
  };
  const warned = new Set<string>();
  const noteLimit = createLimitWaits(note);
  // The program does not abort a request that may change something.
  let writing = 0;
  const onAbort = () => {
    if (writing === 0 || io.quiet) return;
    clear();
    const requests = pluralize(writing, 'request');
    note(`Interrupted: waiting for the end of ${requests}. Another Ctrl-C ends the program at once.`);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    mode,
    width,
    draw(text: string) {
      stderr.write(`\r\x1b[2K${cut(oneLine(text), width)}`);
      isDrawn = true;
    },
    note,
    /** Records an event, whether it is shown or not. */
    observe(event: RunEvent) {
      if (event.type === 'exchanged') io.trace?.(event.describe());
      if (event.type === 'warning' && !warned.has(event.message)) {
        warned.add(event.message);
        clear();
        note(`warning  ${event.message}`);
      }
      if (mode !== 'log' && mode !== 'bar') noteLimit(event);
      if (!('request' in event) || event.request.method === 'GET') return;
      if (event.type === 'request-started') writing += 1;
      if (event.type === 'request-finished') writing -= 1;
    },
    /** Removes the temporary line from the terminal. */
    end: clear,
    close() {
      clear();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Shows on stderr what happens during long work. */
export function createProgress(io: Io) {
  const { mode, width, note, ...display } = openDisplay(io);
  const count = createCount();
  const countdown = createCountdown(() => draw(null));
  let awaited = '';

  const draw = (words: string | null) => {
    const { bar, eta } = count.words();
    // A wait explains why nothing moves, so it stays until it is over.
    const more = [eta, countdown.words() ?? words].filter(Boolean).join('  ');
    display.draw(more === '' ? bar : `${bar}  ${cutMiddle(more, width - bar.length - 2)}`);
  };
  return {
    onEvent(event: RunEvent) {
      display.observe(event);
      count.add(event);
      if (mode === 'log') note(logLine(event));
      if (mode === 'bar') {
        if (event.type === 'rate-limit-wait') countdown.start(event.ms);
        draw(eventWords(event));
      }
      if (mode !== 'lines' && mode !== 'waits') return;
      // Only the first of several waits for the same objects.
      if (event.type === 'settling' && event.addresses.join() !== awaited) {
        awaited = event.addresses.join();
        note(eventWords(event));
      }
      if (mode === 'lines') note(newsOf(event, count.answered.size));
    },
    end() {
      countdown.stop();
      display.end();
    },
    close() {
      countdown.stop();
      display.close();
    },
  };
}

/** Shows how many environments are done: on a terminal in one line, in a CI job and with `--verbose` a line for each. */
export function createFleetProgress(total: number, io: Io) {
  const { mode, note, ...display } = openDisplay(io);
  const atWork = new Set<string>();
  let ended = 0;
  return {
    onProgress(name: string, state: Parameters<NonNullable<FleetOptions['onProgress']>>[1]) {
      if (state === 'begun') atWork.add(name);
      else {
        atWork.delete(name);
        ended += 1;
      }
      // The ones that began first are the slowest.
      const names = [...atWork].slice(0, 3);
      const work = names.length === 0 ? '' : `  at work: ${namesAndMore(names, atWork.size - names.length)}`;
      if (mode === 'bar') display.draw(`${ended}/${total} environments${work}`);
      else if ((mode === 'lines' || mode === 'log') && state !== 'begun')
        note(`${ended}/${total} ${name}${state === 'done' ? '' : `: ${state}`}`);
    },
    /** Options for opening a tenant, so that its requests are shown with `--verbose`. */
    tenantOptions: (name: string): TenantOptions => ({
      redactor: io.redactor,
      onEvent(event) {
        display.observe(event);
        const text = mode === 'log' ? logLine(event) : null;
        if (text !== null) note(`${name}: ${text}`);
      },
    }),
    onApplyEvent: (_name: string, event: ApplyEvent) => display.observe(event),
    end: display.end,
    close: display.close,
  };
}

const barWidth = 20;
/** From this number on, the average time allows an estimate. */
const enoughDone = 5;
const shortestEta = 10_000;

/** Counts answered requests, or finished changes once an apply has begun. A request counts once, also when it is retried. */
function createCount() {
  const begun = Date.now();
  const sent = new Set<string>();
  const answered = new Set<string>();
  let changes: { readonly done: number; readonly all: number } | null = null;
  return {
    answered,
    add(event: RunEvent) {
      if (event.type === 'checked') changes = { done: 0, all: event.changes };
      if (event.type === 'finished') changes = { done: event.finished, all: event.total };
      if (!('request' in event)) return;
      const request = `${event.request.method} ${requestTarget(event.request)}`;
      if (event.type === 'request-finished') answered.add(request);
      else answered.delete(request);
      // A request without a token was never sent, but may be retried.
      if (event.type !== 'retrying') sent.add(request);
    },
    /** The bar, and `about 40 s left`; empty if that is unknown or too short. */
    words() {
      const { done, all } = changes ?? { done: answered.size, all: sent.size };
      const filled = all === 0 ? 0 : Math.round((barWidth * done) / all);
      const blocks = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
      const left = done < enoughDone ? 0 : ((Date.now() - begun) / done) * (all - done);
      return {
        bar: `${blocks} ${done}/${all} ${changes ? 'changes' : 'requests'}`,
        eta: left < shortestEta ? '' : `about ${Math.round(left / 1000)} s left`,
      };
    },
  };
}

/** A wait of this many milliseconds needs an explanation. */
const longWait = 2000;

/** Says once that the run waits for the tenant's limit, when its waits add up. */
function createLimitWaits(note: (text: string | null) => void): (event: RunEvent) => void {
  let waited = 0;
  let until = 0;
  return (event) => {
    if (event.type !== 'rate-limit-wait' || waited >= longWait) return;
    // Requests of several versions wait at the same time.
    const begins = Math.max(Date.now(), until);
    until = Math.max(until, Date.now() + event.ms);
    waited += until - begins;
    if (waited >= longWait) note(`${eventWords(event)}; further waits are not shown`);
  };
}

/** The time until the tenant's limit lets requests through again, counted down each second. */
function createCountdown(onTick: () => void) {
  let until = 0;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearInterval(timer);
    until = 0;
  };
  return {
    start(ms: number) {
      const end = Date.now() + ms;
      // The requests of a version wait together: each reports the remaining time.
      if (end <= until) return;
      stop();
      until = end;
      timer = setInterval(() => {
        if (Date.now() >= until) stop();
        onTick();
      }, 1000);
      // The bar keeps no run alive.
      timer.unref();
    },
    stop,
    words: () => (until > Date.now() ? limitWords(until - Date.now()) : null),
  };
}

/** A text cut to some columns. The end stays, since it identifies an address better than the middle. */
function cutMiddle(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = Math.max(0, Math.floor((room - 1) / 2));
  const start = Math.max(0, room - 1 - end);
  return `${text.slice(0, start)}…${end === 0 ? '' : text.slice(-end)}`;
}

/** An apply prints at most about this many lines in a CI job, plus one for each change that is not done. */
const mostLines = 20;

/** An event as a line of its own in a CI job; `null` for most finished changes and answered requests. */
function newsOf(event: RunEvent, answered: number): string | null {
  if (event.type === 'request-finished' && answered % 100 === 0) return `${answered} requests answered`;
  if (event.type !== 'finished') return event.type === 'retrying' ? eventWords(event) : null;
  const { result, finished, total } = event;
  const isDue = finished % Math.ceil(total / mostLines) === 0 || finished === total;
  return result.outcome !== 'done' || isDue ? eventWords(event) : null;
}

/** An event as a line of a log, which has every request; `null` for events without one. */
function logLine(event: RunEvent): string | null {
  if (event.type !== 'request-finished') return eventWords(event);
  const { request, result, ms, detail, trackingId } = event;
  const more = joinParts([detail, trackingId && `tracking id ${trackingId}`], ', ');
  return `${request.method} ${requestTarget(request)} ${result} ${ms} ms${more && ` (${more})`}`;
}

/** Returns `null` for single requests, of which there are many. */
function eventWords(event: RunEvent): string | null {
  switch (event.type) {
    case 'request-started':
    case 'request-finished':
    case 'exchanged':
    case 'warning':
      return null;
    case 'rate-limit-wait':
      return limitWords(event.ms);
    case 'retrying':
      return `trying ${event.request.method} ${event.request.path} again in ${seconds(event.ms)}: ${event.reason}`;
    case 'token-fetched':
      return 'signed in';
    case 'checking':
      return `checking ${pluralize(event.objects, 'object')} against the plan …`;
    case 'checked':
      return event.resumed > 0 ? `resuming an earlier run: it had started ${event.resumed} changes` : null;
    case 'started':
      return `${event.action} ${event.address} …`;
    case 'waiting':
      return `${event.address}: ${event.why}`;
    case 'settling': {
      const [first = '', ...others] = event.addresses;
      const what = namesAndMore([first], others.length);
      return `waiting up to ${seconds(event.ms)} for the tenant to show its last writes: ${what}`;
    }
    case 'finished':
      return `${event.finished}/${event.total} ${event.result.address} ${outcomeWords[event.result.outcome]}`;
  }
}

const seconds = (ms: number): string => `${Math.max(0.1, Math.round(ms / 100) / 10)} s`;

const limitWords = (ms: number): string =>
  `rate limit reached, continuing in ${Math.max(1, Math.round(ms / 1000))} s`;
