/**
 * Something that goes wrong with a request.
 * - `reset-before`: the connection is reset and nothing was done; `reset-after`: done, then reset
 * - `cut-body`: done, then half of the answer and a reset
 * - `hang`: never answered · `status`: answered with `status`; both after the work with `done: 'after'`
 */
export interface Fault {
  readonly kind: (typeof faultKinds)[number];
  /** Which requests: all of these that are given must fit. */
  readonly method?: string;
  /** The beginning of the path, or after `~` a regular expression. */
  readonly path?: string;
  /** The documented name of the operation. */
  readonly operation?: string;
  /** The first of the fitting requests that it strikes, from 1 (default 1). */
  readonly nth?: number;
  /** How many it strikes from there on (default 1). */
  readonly times?: number;
  readonly done?: 'before' | 'after';
  readonly status?: number;
  /** Seconds, or a whole header value such as an HTTP date. */
  readonly retryAfter?: number | string;
  /** How the error body of `status` looks (default json). */
  readonly body?: (typeof faultBodies)[number];
}

export const faultKinds = ['reset-before', 'reset-after', 'cut-body', 'hang', 'status'] as const;
export const faultBodies = ['json', 'html', 'text', 'bad-encoding'] as const;

/** Text that is no fault; `message` shows the right syntax. */
export class FaultSyntaxError extends Error {
  override readonly name = 'FaultSyntaxError';

  constructor(problem: string) {
    super(`${problem}. ${faultSyntax}`);
  }
}

export const faultSyntax =
  'A fault is KIND or status=CODE, then any of method=POST, path=/v2025/… (or path=~REGEXP), operation=NAME, nth=N, ' +
  `times=N|always, done=before|after, retryAfter=SECONDS, body=${faultBodies.join('|')}, all joined by commas; KIND ` +
  `is ${faultKinds.slice(0, -1).join(', ')}. Example: status=503,method=POST,path=/v2025/notification-templates,times=2`;

/** The fault that a command-line text describes. Throws {@link FaultSyntaxError}. */
export function parseFault(text: string): Fault {
  const given = new Map<string, string>();
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const equals = part.indexOf('=');
    const [name, value] = equals < 0 ? ['kind', part] : [part.slice(0, equals), part.slice(equals + 1)];
    if (!settings.has(name)) throw new FaultSyntaxError(`"${part}" is unknown`);
    if (given.has(name)) throw new FaultSyntaxError(`"${name}" is given twice`);
    if (value === '') throw new FaultSyntaxError(`"${name}" has no value`);
    given.set(name, value);
  }
  const status = option(given, 'status', readStatus);
  const kind =
    option(given, 'kind', oneOf(faultKinds)).kind ?? (status.status === undefined ? null : 'status');
  if (kind === null) throw new FaultSyntaxError('The kind of fault is missing');
  if ((kind === 'status') !== (status.status !== undefined)) {
    throw new FaultSyntaxError(`${kind} and status=CODE do not go together`);
  }
  return {
    kind,
    ...status,
    ...option(given, 'method', (value) => value.toUpperCase()),
    ...option(given, 'path', readPath),
    ...option(given, 'operation', (value) => value),
    ...option(given, 'nth', readCount),
    ...option(given, 'times', (value) => (value === 'always' ? Number.POSITIVE_INFINITY : readCount(value))),
    ...option(given, 'done', oneOf(['before', 'after'] as const)),
    ...option(given, 'retryAfter', (value) => (/^\d+$/.test(value) ? Number(value) : value)),
    ...option(given, 'body', oneOf(faultBodies)),
  };
}

const settings = new Set([
  'kind',
  'status',
  'method',
  'path',
  'operation',
  'nth',
  'times',
  'done',
  'retryAfter',
  'body',
]);

/** `{[name]: value}` where the option is given, else nothing. */
function option<K extends string, T>(
  given: ReadonlyMap<string, string>,
  name: K,
  read: (value: string) => T,
): { [name in K]?: T } {
  const value = given.get(name);
  const found: { [name in K]?: T } = {};
  if (value !== undefined) found[name] = read(value);
  return found;
}

function oneOf<T extends string>(values: readonly T[]): (value: string) => T {
  return (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new FaultSyntaxError(`"${value}" is none of ${values.join(', ')}`);
    return found;
  };
}

function readCount(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new FaultSyntaxError(`"${value}" is no count from 1`);
  return Number(value);
}

function readStatus(value: string): number {
  if (!/^[2-5]\d\d$/.test(value)) throw new FaultSyntaxError(`"${value}" is no HTTP status`);
  return Number(value);
}

function readPath(value: string): string {
  pathPattern(value);
  return value;
}

function pathPattern(path: string): (candidate: string) => boolean {
  if (!path.startsWith('~')) return (candidate) => candidate.startsWith(path);
  try {
    const pattern = new RegExp(path.slice(1));
    return (candidate) => pattern.test(candidate);
  } catch {
    throw new FaultSyntaxError(`"${path.slice(1)}" is no regular expression`);
  }
}

/** What a fault is compared with. */
export interface FaultTarget {
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
}

/** The faults that are set, each with the count of requests it has fitted. */
export class FaultList {
  #entries: { readonly fault: Fault; fitted: number }[] = [];

  add(fault: Fault): void {
    this.#entries.push({ fault, fitted: 0 });
  }

  clear(): void {
    this.#entries = [];
  }

  /** Counts the request for every fault that it fits, and returns the first that strikes. */
  strike(target: FaultTarget): Fault | null {
    let struck: Fault | null = null;
    for (const entry of this.#entries.filter(({ fault }) => fits(fault, target))) {
      entry.fitted += 1;
      const first = entry.fault.nth ?? 1;
      if (entry.fitted >= first && entry.fitted < first + (entry.fault.times ?? 1)) struck ??= entry.fault;
    }
    return struck;
  }
}

function fits(fault: Fault, { method, path, operation }: FaultTarget): boolean {
  return (
    (fault.method === undefined || fault.method === method) &&
    (fault.operation === undefined || fault.operation === operation) &&
    (fault.path === undefined || pathPattern(fault.path)(path))
  );
}
