import type { RequestName } from '../client/client.ts';
import { type Tenant, useTenant } from '../engine/tenant.ts';
import type { Environment, Secrets } from '../kinds/project.ts';
import { printable } from '../report/safe.ts';
import { pluralize, requestTarget } from '../report/words.ts';
import { eventWords, logLine, type RunEvent, settlingWords } from './event-words.ts';
import { type Io, type ProgramIo, printNote, takesEscapes, type Verbosity, widthOf } from './io.ts';

/**
 * Opens the environment's tenant for `use`, shows on stderr what happens meanwhile, and closes the tenant. Rejects with
 * what `openTenant` and `use` throw.
 */
export async function withTenant<T>(
  project: { readonly environment: Environment; readonly secrets: Secrets },
  args: Verbosity,
  io: Io,
  use: (tenant: Tenant, progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = createProgress(io, args);
  const { signal, redactor } = io;
  const options = { signal, redactor, onEvent: progress.onEvent };
  try {
    return await useTenant(project, options, (tenant) => use(tenant, progress));
  } finally {
    progress.end();
  }
}

/**
 * Shows on stderr what happens during long work: with `--verbose` every request, on a terminal a progress bar, in a CI
 * job a line from time to time. Shows nothing elsewhere and with `--quiet`.
 */
export interface Progress {
  onEvent(event: RunEvent): void;
  /** Removes the bar. */
  end(): void;
}

export function createProgress(io: ProgramIo, args: Verbosity): Progress {
  if (args.quiet) return silent;
  const progress = progressFor(io, args);
  const note = noteInterrupts(io, progress.end);
  return {
    onEvent(event) {
      note(event);
      progress.onEvent(event);
    },
    end: progress.end,
  };
}

function progressFor(io: ProgramIo, { verbose, progress }: Verbosity): Progress {
  if (verbose) return trafficLog(io);
  if (!progress) return silent;
  if (takesEscapes(io.stderr, io)) return bar(io);
  return io.env.CI ? plainLines(io) : waitsOnly(io);
}

/**
 * Says after Ctrl-C what is still waited for. A request that may change something is not broken off, and until its answer
 * comes the program would seem to ignore the key.
 *
 * @param clear removes the bar
 * @returns what has to know of every event
 */
export function noteInterrupts(io: ProgramIo, clear: () => void): (event: RunEvent) => void {
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

/** Says once what a run waits for that seems to stand still. */
function waitsOnly(io: ProgramIo): Progress {
  return { onEvent: settlingPrinter(io), end() {} };
}

/** Prints one line for the first of several waits for the same objects. */
function settlingPrinter(io: ProgramIo): (event: RunEvent) => void {
  let last = '';
  return (event) => {
    if (event.type !== 'settling' || event.addresses.join() === last) return;
    last = event.addresses.join();
    printNote(settlingWords(event), io);
  };
}

const silent: Progress = { onEvent() {}, end() {} };

function trafficLog(io: ProgramIo): Progress {
  return {
    onEvent(event) {
      const line = logLine(event);
      if (line !== null) printNote(line, io);
    },
    end() {},
  };
}

/** Counts answered requests, or finished changes once an apply has begun. */
class Count {
  readonly #sent = new Set<string>();
  readonly #answered = new Set<string>();
  #changes: { done: number; all: number } | null = null;

  add(event: RunEvent): void {
    switch (event.type) {
      case 'request-started':
        this.#sent.add(idOf(event.request));
        this.#answered.delete(idOf(event.request));
        break;
      case 'request-finished':
        this.#sent.add(idOf(event.request));
        this.#answered.add(idOf(event.request));
        break;
      case 'retrying':
        this.#answered.delete(idOf(event.request));
        break;
      case 'checked':
        this.#changes = { done: 0, all: event.changes };
        break;
      case 'finished':
        this.#changes = { done: event.finished, all: event.total };
        break;
    }
  }

  get answered(): number {
    return this.#answered.size;
  }

  get current(): { done: number; all: number; what: string } {
    if (this.#changes) return { ...this.#changes, what: 'changes' };
    return { done: this.answered, all: this.#sent.size, what: 'requests' };
  }
}

/** A request counts once, also when it is retried. */
const idOf = (request: RequestName) => `${request.method} ${requestTarget(request)}`;

const barWidth = 20;

function bar(io: ProgramIo): Progress {
  const count = new Count();
  const begun = Date.now();
  const limit = new Countdown(() => draw(null));
  let isShown = false;
  const draw = (words: string | null) => {
    const { done, all, what } = count.current;
    const filled = all === 0 ? 0 : Math.round((barWidth * done) / all);
    const counts = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${done}/${all} ${what}`;
    // A wait explains why nothing moves, so it stays until it is over.
    const more = [etaWords({ done, all }, Date.now() - begun), limit.words ?? words].filter(Boolean);
    const room = Math.max(0, widthOf(io.stderr) - 1);
    const text = printable(more.join('  '));
    const rest = text === '' ? '' : `  ${cutMiddle(text, room - counts.length - 2)}`;
    io.stderr.write(`\r\x1b[2K${`${counts}${rest}`.slice(0, room)}`);
    isShown = true;
  };
  return {
    onEvent(event) {
      count.add(event);
      if (event.type === 'rate-limit-wait') limit.start(event);
      draw(eventWords(event));
    },
    end() {
      limit.stop();
      if (isShown) io.stderr.write('\r\x1b[2K');
      isShown = false;
    },
  };
}

type LimitWait = Extract<RunEvent, { type: 'rate-limit-wait' }>;

/** The time until the tenant's limit lets requests through again, counted down each second. */
class Countdown {
  readonly #onTick: () => void;
  #wait: LimitWait | null = null;
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onTick: () => void) {
    this.#onTick = onTick;
  }

  start(wait: LimitWait): void {
    const until = Date.now() + wait.ms;
    // The requests of a version wait together: each of them reports what is left.
    if (this.#wait && until <= this.#until) return;
    this.stop();
    [this.#wait, this.#until] = [wait, until];
    this.#timer = setInterval(() => this.#tick(), 1000);
    // The bar keeps no run alive.
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#wait = null;
  }

  get words(): string | null {
    const ms = this.#until - Date.now();
    return this.#wait && ms > 0 ? eventWords({ ...this.#wait, ms }) : null;
  }

  #tick(): void {
    if (Date.now() >= this.#until) this.stop();
    this.#onTick();
  }
}

/** From so many on, the time that each took says something about the others. */
const enoughDone = 5;
const shortest = 10_000;

/** `about 40 s left`; empty where that is not known, or not worth telling. */
function etaWords({ done, all }: { readonly done: number; readonly all: number }, elapsed: number): string {
  const left = done < enoughDone ? 0 : (elapsed / done) * (all - done);
  return left < shortest ? '' : `about ${Math.round(left / 1000)} s left`;
}

/** A text in so many columns. Its end stays: of an address it says more than the middle. */
function cutMiddle(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = Math.max(0, Math.floor((room - 1) / 2));
  const start = Math.max(0, room - 1 - end);
  return `${text.slice(0, start)}…${end === 0 ? '' : text.slice(-end)}`;
}

/** An apply prints at most about this many lines, plus one for each change that is not done. */
const mostLines = 20;
const requestsPerLine = 100;

function plainLines(io: ProgramIo): Progress {
  const count = new Count();
  let printed = 0;
  const printSettling = settlingPrinter(io);
  return {
    onEvent(event) {
      count.add(event);
      printSettling(event);
      if (event.type === 'request-finished') {
        if (count.answered < printed + requestsPerLine) return;
        printed = count.answered;
        printNote(`${printed} requests answered`, io);
      } else if (isNews(event)) printNote(eventWords(event) ?? '', io);
    },
    end() {},
  };
}

/** Whether an event is worth a line of its own. Of changes that are done, only some are. */
function isNews(event: RunEvent): boolean {
  if (event.type !== 'finished') return event.type === 'rate-limit-wait' || event.type === 'retrying';
  const { result, finished, total } = event;
  return result.outcome !== 'done' || finished % Math.ceil(total / mostLines) === 0 || finished === total;
}
