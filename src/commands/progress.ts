import type { ApplyEvent } from '../applier/run.ts';
import type { FleetOptions, FleetProgressState } from '../engine/fleet.ts';
import { type Tenant, type TenantEvent, type TenantOptions, useTenant } from '../engine/tenant.ts';
import type { Environment, Secrets } from '../kinds/project.ts';
import { isCi } from '../loader/inputs.ts';
import { namesAndMore } from '../model/words.ts';
import { cut } from '../report/layout.ts';
import { oneLine } from '../report/safe.ts';
import { joinParts, outcomeWords, pluralize, requestTarget } from '../report/words.ts';
import { type Io, printNote, takesEscapes, terminalWidth } from './io.ts';

type RunEvent = TenantEvent | ApplyEvent;

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
    progress.end();
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
    progress.end();
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
  const { stderr } = io;
  const width = Math.max(0, terminalWidth(stderr) - 1);
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) stderr.write('\r\x1b[2K');
    isDrawn = false;
  };
  const warned = new Set<string>();
  const noteInterrupts = io.quiet ? null : interruptNotes(io, clear);
  return {
    mode: modeOf(io),
    width,
    draw(text: string) {
      stderr.write(`\r\x1b[2K${cut(oneLine(text), width)}`);
      isDrawn = true;
    },
    clear,
    note(text: string | null) {
      if (text !== null) printNote(text, io);
    },
    /** Records an event, whether it is shown or not. */
    observe(event: RunEvent) {
      if (event.type === 'exchanged') io.trace?.(event.describe());
      if (event.type === 'warning' && !warned.has(event.message)) {
        warned.add(event.message);
        clear();
        printNote(`warning  ${event.message}`, io);
      }
      noteInterrupts?.(event);
    },
  };
}

/** Shows on stderr what happens during long work. */
export function createProgress(io: Io) {
  const { mode, width, note, ...display } = openDisplay(io);
  const count = new Count();
  const begun = Date.now();
  const countdown = createCountdown(() => draw(null));
  const limitWaits = createLimitWaits(note);
  let awaited = '';
  let told = 0;

  const draw = (words: string | null) => {
    // A wait explains why nothing moves, so it stays until it is over.
    const more = [count.eta(Date.now() - begun), countdown.words() ?? words].filter(Boolean).join('  ');
    display.draw(more === '' ? count.bar : `${count.bar}  ${cutMiddle(more, width - count.bar.length - 2)}`);
  };
  /** Shows only the first of several waits for the same objects. */
  const noteWaits = (event: RunEvent) => {
    limitWaits(event);
    if (event.type !== 'settling' || event.addresses.join() === awaited) return;
    awaited = event.addresses.join();
    note(eventWords(event));
  };
  const show: Record<Mode, (event: RunEvent) => void> = {
    none: limitWaits,
    log: (event) => note(logLine(event)),
    bar(event) {
      if (event.type === 'rate-limit-wait') countdown.start(event);
      draw(eventWords(event));
    },
    lines(event) {
      noteWaits(event);
      if (isNews(event)) note(eventWords(event));
      if (event.type !== 'request-finished' || count.answered < told + requestsPerLine) return;
      told = count.answered;
      note(`${told} requests answered`);
    },
    waits: noteWaits,
  };
  return {
    onEvent(event: RunEvent) {
      display.observe(event);
      count.add(event);
      show[mode](event);
    },
    /** Removes the temporary lines from the terminal. */
    end() {
      countdown.stop();
      display.clear();
    },
  };
}

/** Shows how many environments are done: on a terminal in one line, in a CI job and with `--verbose` a line for each. */
export function createFleetProgress(total: number, io: Io) {
  const { mode, note, ...display } = openDisplay(io);
  const atWork = new Set<string>();
  const limitWaits = createLimitWaits(note);
  let ended = 0;
  return {
    onProgress(name: string, state: FleetProgressState) {
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
        if (mode !== 'log' && mode !== 'bar') limitWaits(event);
      },
    }),
    onApplyEvent: (_name: string, event: ApplyEvent) => display.observe(event),
    end: display.clear,
  };
}

/** Says after Ctrl-C what the program waits for: it does not abort a request that may change something. */
function interruptNotes(io: Io, clear: () => void): (event: RunEvent) => void {
  let inFlight = 0;
  const say = () => {
    clear();
    const requests = pluralize(inFlight, 'request');
    printNote(
      `Interrupted: waiting for the end of ${requests}. Another Ctrl-C ends the program at once.`,
      io,
    );
  };
  return (event) => {
    if (!('request' in event) || event.request.method === 'GET') return;
    if (event.type === 'request-started') inFlight += 1;
    if (event.type === 'request-finished') inFlight -= 1;
    // Not for longer: the preview reads a tenant again and again with one signal.
    if (inFlight === 0) io.signal.removeEventListener('abort', say);
    else io.signal.addEventListener('abort', say, { once: true });
  };
}

const barWidth = 20;
/** From this number on, the average time allows an estimate. */
const enoughDone = 5;
const shortestEta = 10_000;

/** Counts answered requests, or finished changes once an apply has begun. A request counts once, also when it is retried. */
class Count {
  readonly #sent = new Set<string>();
  readonly #answered = new Set<string>();
  #changes: { readonly done: number; readonly all: number } | null = null;

  add(event: RunEvent): void {
    if (event.type === 'checked') this.#changes = { done: 0, all: event.changes };
    if (event.type === 'finished') this.#changes = { done: event.finished, all: event.total };
    if (!('request' in event)) return;
    const request = `${event.request.method} ${requestTarget(event.request)}`;
    if (event.type === 'request-finished') this.#answered.add(request);
    else this.#answered.delete(request);
    // A request without a token was never sent, but may be retried.
    if (event.type !== 'retrying') this.#sent.add(request);
  }

  get answered(): number {
    return this.#answered.size;
  }

  get #current() {
    return this.#changes ?? { done: this.answered, all: this.#sent.size };
  }

  get bar(): string {
    const { done, all } = this.#current;
    const filled = all === 0 ? 0 : Math.round((barWidth * done) / all);
    const what = this.#changes ? 'changes' : 'requests';
    return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${done}/${all} ${what}`;
  }

  /** `about 40 s left`; empty if that is unknown or too short. */
  eta(elapsed: number): string {
    const { done, all } = this.#current;
    const left = done < enoughDone ? 0 : (elapsed / done) * (all - done);
    return left < shortestEta ? '' : `about ${Math.round(left / 1000)} s left`;
  }
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

type LimitWait = Extract<RunEvent, { type: 'rate-limit-wait' }>;

/** The time until the tenant's limit lets requests through again, counted down each second. */
function createCountdown(onTick: () => void) {
  let wait: { readonly event: LimitWait; readonly until: number } | null = null;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearInterval(timer);
    wait = null;
  };
  return {
    start(event: LimitWait) {
      const until = Date.now() + event.ms;
      // The requests of a version wait together: each reports the remaining time.
      if (wait && until <= wait.until) return;
      stop();
      wait = { event, until };
      timer = setInterval(() => {
        if (Date.now() >= until) stop();
        onTick();
      }, 1000);
      // The bar keeps no run alive.
      timer.unref();
    },
    stop,
    words() {
      const ms = (wait?.until ?? 0) - Date.now();
      return wait && ms > 0 ? eventWords({ ...wait.event, ms }) : null;
    },
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
const requestsPerLine = 100;

/** True when an event is worth a line of its own. Only some finished changes are. */
function isNews(event: RunEvent): boolean {
  if (event.type !== 'finished') return event.type === 'retrying';
  const { result, finished, total } = event;
  return result.outcome !== 'done' || finished % Math.ceil(total / mostLines) === 0 || finished === total;
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
      return `rate limit reached, continuing in ${Math.max(1, Math.round(event.ms / 1000))} s`;
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
