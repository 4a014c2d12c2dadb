import type { ApplyEvent } from '../applier/run.ts';
import type { FleetOptions } from '../engine/fleet.ts';
import { type Tenant, type TenantOptions, useTenant } from '../engine/tenant.ts';
import type { Environment, Secrets } from '../kinds/project.ts';
import { isCi } from '../loader/inputs.ts';
import { namesAndMore } from '../model/words.ts';
import { cut } from '../report/layout.ts';
import { oneLine } from '../report/safe.ts';
import { joinParts, outcomeWords, pluralize, requestTarget } from '../report/words.ts';
import { type Io, printNote, takesEscapes, viewOf } from './io.ts';

type RunEvent = Parameters<Tenant['onEvent']>[0] | ApplyEvent;

interface Progress {
  onEvent(event: RunEvent): void;
  /** Removes the temporary line from the terminal. */
  end(): void;
}

export async function withProgress<T>(
  io: Io,
  work: (options: TenantOptions, progress: Progress) => Promise<T>,
): Promise<T> {
  const { mode, bar, note, observe, end, close } = openDisplay(io);
  let answers = 0;
  let awaited = '';
  const onEvent = (event: RunEvent) => {
    observe(event);
    bar?.add(event);
    if (mode === 'log') note(logLine(event));
    if (mode !== 'lines' && mode !== 'waits') return;
    // Only the first of several waits for the same objects.
    if (event.type === 'settling' && event.addresses.join() !== awaited) {
      awaited = event.addresses.join();
      note(eventWords(event));
    }
    if (event.type === 'request-finished') answers += 1;
    if (mode === 'lines') note(newsOf(event, answers));
  };
  const { signal, redactor } = io;
  try {
    return await work({ signal, redactor, onEvent }, { onEvent, end });
  } finally {
    close();
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
  work: (run: FleetOptions & ReturnType<typeof createFleetProgress>) => Promise<T>,
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
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) stderr.write('\r\x1b[2K');
    isDrawn = false;
  };
  const note = (text: string | null) => {
    if (text !== null) printNote(text, io);
  };
  const warned = new Set<string>();
  // The program does not abort a request that may change something.
  let writing = 0;
  // How long the run has waited for the tenant's limit, and until when.
  let waited = 0;
  let until = 0;
  const onAbort = () => {
    if (writing === 0 || io.quiet) return;
    clear();
    const requests = pluralize(writing, 'request');
    note(`Interrupted: waiting for the end of ${requests}. Another Ctrl-C ends the program at once.`);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  /** Draws the line of the terminal, with `more` cut to the room beside the text. */
  const draw = (text: string, more = '') => {
    // Asked each time: a terminal can be resized.
    const width = Math.max(0, viewOf(stderr, io).width - 1);
    const beside = more === '' ? '' : `  ${cutMiddle(more, width - text.length - 2)}`;
    stderr.write(`\r\x1b[2K${cut(oneLine(text + beside), width)}`);
    isDrawn = true;
  };
  const bar = mode === 'bar' ? new Bar(draw) : null;
  const end = () => {
    bar?.stop();
    clear();
  };
  return {
    mode,
    bar,
    draw,
    note,
    /** Records an event, whether it is shown or not. */
    observe(event: RunEvent) {
      if (event.type === 'exchanged') io.trace?.(event.describe());
      if (event.type === 'warning' && !warned.has(event.message)) {
        warned.add(event.message);
        clear();
        note(`warning  ${event.message}`);
      }
      // It is told once, when the waits add up.
      if (event.type === 'rate-limit-wait' && mode !== 'log' && mode !== 'bar' && waited < longWait) {
        // Requests of several versions wait at the same time.
        const begins = Math.max(Date.now(), until);
        until = Math.max(until, Date.now() + event.ms);
        waited += until - begins;
        if (waited >= longWait) note(`${limitWords(event.ms)}; further waits are not shown`);
      }
      if (!('request' in event) || event.request.method === 'GET') return;
      if (event.type === 'request-started') writing += 1;
      if (event.type === 'request-finished') writing -= 1;
    },
    end,
    close() {
      end();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Shows how many environments are done: on a terminal in one line, in a CI job and with `--verbose` a line for each. */
function createFleetProgress(total: number, io: Io) {
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
    observe: display.observe,
    end: display.end,
    close: display.close,
  };
}

const barWidth = 20;
/** From this number on, the average time allows an estimate. */
const enoughDone = 5;
const shortestEta = 10_000;
/** A wait of this many milliseconds needs an explanation. */
const longWait = 2000;

/** Counts answered requests, or finished changes once an apply has begun. A request counts once, also when it is retried. */
class Bar {
  readonly #drawLine: (text: string, more: string) => void;
  readonly #begun = Date.now();
  readonly #sent = new Set<string>();
  readonly #answered = new Set<string>();
  #changes: { readonly done: number; readonly all: number } | null = null;
  /** When the tenant's limit lets requests through again; it is counted down each second. */
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(drawLine: (text: string, more: string) => void) {
    this.#drawLine = drawLine;
  }

  add(event: RunEvent): void {
    if (event.type === 'checked') this.#changes = { done: 0, all: event.changes };
    if (event.type === 'finished') this.#changes = { done: event.finished, all: event.total };
    if (event.type === 'rate-limit-wait') this.#countDown(event.ms);
    if ('request' in event) {
      const request = `${event.request.method} ${requestTarget(event.request)}`;
      if (event.type === 'request-finished') this.#answered.add(request);
      else this.#answered.delete(request);
      // A request without a token was never sent, but may be retried.
      if (event.type !== 'retrying') this.#sent.add(request);
    }
    this.#draw(eventWords(event));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#until = 0;
  }

  #countDown(ms: number): void {
    const end = Date.now() + ms;
    // The requests of a version wait together: each reports the remaining time.
    if (end <= this.#until) return;
    this.stop();
    this.#until = end;
    this.#timer = setInterval(() => {
      if (Date.now() >= this.#until) this.stop();
      this.#draw(null);
    }, 1000);
    // The bar keeps no run alive.
    this.#timer.unref();
  }

  /** Draws the bar, `about 40 s left` unless that is unknown or short, and the words. */
  #draw(words: string | null): void {
    const { done, all } = this.#changes ?? { done: this.#answered.size, all: this.#sent.size };
    const filled = all === 0 ? 0 : Math.round((barWidth * done) / all);
    const blocks = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
    const bar = `${blocks} ${done}/${all} ${this.#changes ? 'changes' : 'requests'}`;
    const left = done < enoughDone ? 0 : ((Date.now() - this.#begun) / done) * (all - done);
    const eta = left < shortestEta ? '' : `about ${Math.round(left / 1000)} s left`;
    // A wait explains why nothing moves, so it stays until it is over.
    const wait = this.#until - Date.now();
    const more = [eta, wait > 0 ? limitWords(wait) : words].filter(Boolean).join('  ');
    this.#drawLine(bar, more);
  }
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
function newsOf(event: RunEvent, answers: number): string | null {
  if (event.type === 'request-finished' && answers % 100 === 0) return `${answers} requests answered`;
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
      return event.resumed > 0
        ? `resuming an earlier run: it had started ${pluralize(event.resumed, 'change')}`
        : null;
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
