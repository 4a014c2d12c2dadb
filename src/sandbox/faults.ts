/**
 * A fault to inject into requests.
 * - `reset-before`: the connection is reset before the work is done; `reset-after`: after it
 * - `cut-body`: the work is done, then half of the answer is sent and the connection is closed
 * - `hang`: never answered; `status`: answered with `status`. The work is done only with `done: 'after'`.
 *
 * With `late`, a `reset-before`, `hang` or `status` is followed by the work, that many milliseconds later.
 */
export interface Fault {
  readonly kind: (typeof faultKinds)[number];
  /** Which requests: `method`, `path` and `operation` must match, as far as they are given. */
  readonly method?: string;
  /** A prefix of the path, or `~` and a regular expression. */
  readonly path?: string;
  readonly operation?: string;
  /** The first matching request that gets the fault, counted from 1 (default 1). */
  readonly nth?: number;
  /** How many matching requests from there on get the fault (default 1). */
  readonly times?: number;
  readonly done?: 'before' | 'after';
  readonly late?: number;
  readonly status?: number;
  /** Seconds, or a whole header value such as an HTTP date. */
  readonly retryAfter?: number | string;
  /** The form of the error body of `status` (default json). */
  readonly body?: (typeof faultBodies)[number];
}

const faultKinds = ['reset-before', 'reset-after', 'cut-body', 'hang', 'status'] as const;
/** The beginnings of faults with typical values, for completion. */
export const faultWords: readonly string[] = [
  ...faultKinds.map((kind) => (kind === 'status' ? 'status=503' : kind)),
  'late=1500',
  'latency=200',
  'lag=2000',
];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const faultBodies = ['json', 'html', 'text', 'bad-encoding'] as const;

/** Text that does not describe a fault; `message` shows the correct syntax. */
export class FaultSyntaxError extends Error {
  override readonly name = 'FaultSyntaxError';

  constructor(problem: string, help: string = faultSyntax) {
    super(`${problem}. ${help}`);
  }
}

const faultSyntax =
  'A fault is KIND or status=CODE, then any of method=POST, path=/v2025/… (or path=~REGEXP), operation=NAME, nth=N, ' +
  `times=N|always, done=before|after, late=MS, retryAfter=SECONDS, body=${faultBodies.join('|')}, all joined by commas; KIND ` +
  `is ${faultKinds.slice(0, -1).join(', ')}. late=MS alone answers 504 and does the work later. latency=MS and lag=MS stand alone: they delay every response, and what reads show of a write. Example: ` +
  'status=503,method=POST,path=/v2025/notification-templates,times=2';

/** The content of `--fault`: faults, and delays in milliseconds, of every answer and until a write shows in reads. */
interface Faults {
  readonly faults: readonly Fault[];
  readonly latency: number;
  readonly lag: number;
}

export function parseFaults(texts: readonly string[]): Faults {
  const delays = { latency: 0, lag: 0 };
  const faults = texts.flatMap((text) => {
    const [, name, value = ''] = /^\s*(latency|lag)=(.*)$/.exec(text) ?? [];
    if (name !== 'latency' && name !== 'lag') return [parseFault(text)];
    delays[name] = readNumber(value.trim(), /^\d{1,9}$/, 'a number of milliseconds');
    return [];
  });
  return { faults, ...delays };
}

export function parseFault(text: string): Fault {
  let given: Partial<Fault> = {};
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const equals = part.indexOf('=');
    const [name, value] = equals < 0 ? ['kind', part] : [part.slice(0, equals), part.slice(equals + 1)];
    const read = settings.get(name);
    if (!read) throw new FaultSyntaxError(`"${part}" is unknown`);
    if (Object.hasOwn(given, name)) throw new FaultSyntaxError(`"${name}" is given twice`);
    if (value === '') throw new FaultSyntaxError(`"${name}" has no value`);
    given = { ...given, ...read(value) };
  }
  const { late, done } = given;
  const isLateOnly = late !== undefined && given.kind === undefined;
  const status = given.status ?? (isLateOnly ? 504 : undefined);
  const kind = given.kind ?? (status === undefined ? null : 'status');
  if (kind === null) throw new FaultSyntaxError('The kind of fault is missing');
  if ((kind === 'status') !== (status !== undefined))
    throw new FaultSyntaxError(`${kind} and status=CODE do not go together`);
  if (late !== undefined && (done !== undefined || kind === 'reset-after' || kind === 'cut-body'))
    throw new FaultSyntaxError('Work that is late cannot be done already');
  return { ...given, kind, ...(status !== undefined && { status }) };
}

const settings = new Map<string, (value: string) => Partial<Fault>>([
  ['kind', (value) => ({ kind: readChoice(value, faultKinds) })],
  ['status', (value) => ({ status: readNumber(value, /^[2-5]\d\d$/, 'an HTTP status') })],
  ['method', (value) => ({ method: readChoice(value.toUpperCase(), methods) })],
  [
    'path',
    (path) => {
      compilePath(path);
      return { path };
    },
  ],
  ['operation', (value) => ({ operation: value })],
  ['nth', (value) => ({ nth: readCount(value) })],
  ['times', (value) => ({ times: value === 'always' ? Number.POSITIVE_INFINITY : readCount(value) })],
  ['done', (value) => ({ done: readChoice(value, ['before', 'after']) })],
  ['late', (value) => ({ late: readCount(value) })],
  ['retryAfter', (value) => ({ retryAfter: /^\d+$/.test(value) ? Number(value) : value })],
  ['body', (value) => ({ body: readChoice(value, faultBodies) })],
]);

function readChoice<const T extends string>(value: string, values: readonly T[]): T {
  const found = values.find((candidate) => candidate === value);
  if (found === undefined) throw new FaultSyntaxError(`"${value}" is not one of ${values.join(', ')}`);
  return found;
}

function readNumber(value: string, pattern: RegExp, what: string): number {
  if (!pattern.test(value)) throw new FaultSyntaxError(`"${value}" is not ${what}`);
  return Number(value);
}

function readCount(value: string): number {
  return readNumber(value, /^[1-9]\d{0,8}$/, 'a whole number from 1');
}

function compilePath(path: string): (candidate: string) => boolean {
  if (!path.startsWith('~')) return (candidate) => candidate.startsWith(path);
  try {
    const pattern = new RegExp(path.slice(1));
    return (candidate) => pattern.test(candidate);
  } catch {
    throw new FaultSyntaxError(`"${path.slice(1)}" is not a regular expression`);
  }
}

interface FaultTarget {
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
}

/** The active faults, each with the number of requests that have matched it. */
export class FaultList {
  readonly #operations: readonly string[];
  #entries: { readonly fault: Fault; matched: number }[] = [];

  /** @param operations the names of those that the tenant has */
  constructor(operations: readonly string[]) {
    this.#operations = operations;
  }

  /** Throws {@link FaultSyntaxError} for an operation that the tenant does not have. */
  add(fault: Fault): void {
    const { operation } = fault;
    if (operation !== undefined && !this.#operations.includes(operation))
      throw new FaultSyntaxError(
        `The tenant has no operation "${operation}"`,
        `It has ${this.#operations.toSorted().join(', ')}.`,
      );
    this.#entries.push({ fault, matched: 0 });
  }

  clear(): void {
    this.#entries = [];
  }

  /** Counts the request for every fault that it matches, and returns the first fault that applies to it. */
  next(target: FaultTarget): Fault | null {
    let applied: Fault | null = null;
    for (const entry of this.#entries.filter(({ fault }) => matches(fault, target))) {
      entry.matched += 1;
      const first = entry.fault.nth ?? 1;
      if (entry.matched >= first && entry.matched < first + (entry.fault.times ?? 1)) applied ??= entry.fault;
    }
    return applied;
  }
}

function matches(fault: Fault, { method, path, operation }: FaultTarget): boolean {
  return (
    (fault.method === undefined || fault.method === method) &&
    (fault.operation === undefined || fault.operation === operation) &&
    (fault.path === undefined || compilePath(fault.path)(path))
  );
}
