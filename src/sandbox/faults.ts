import type { Operation } from './operations.ts';
import { choice, object, type Read, refuse, text } from './shape.ts';

/**
 * A fault to inject into requests.
 * - `reset-before`: the connection is reset before the work is done; `reset-after`: after it
 * - `cut-body`: the work is done, then half of the answer is sent and the connection is closed
 * - `hang`: never answered; `status`: answered with `status`. The work is done only with `done: 'after'`.
 *
 * With `late`, a `reset-before`, `hang` or `status` is followed by the work, that many milliseconds later. A `path` is a
 * prefix, or `~` and a regular expression. The first matching request that gets the fault is the `nth` (default 1),
 * and `times` are that many from there on (default 1).
 */
export interface Fault extends Partial<Omit<ReturnType<typeof readShape>, 'kind'>> {
  readonly kind: (typeof faultKinds)[number];
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
export function parseFaults(texts: readonly string[]) {
  const delays = { latency: 0, lag: 0 };
  const faults = texts.flatMap((text) => {
    const [, name, ms] = /^\s*(latency|lag)=(\d{1,9})\s*$/.exec(text) ?? [];
    if (name !== 'latency' && name !== 'lag') return [parseFault(text)];
    delays[name] = Number(ms);
    return [];
  });
  return { faults, ...delays };
}

function parseFault(text: string): Fault {
  const parts = text.split(',').map((part) => {
    const [, name = 'kind', value = ''] = /^(?:(\w+)=)?(.*)$/.exec(part.trim()) ?? [];
    return [name, value];
  });
  let given: ReturnType<typeof readShape>;
  try {
    given = readShape(Object.fromEntries(parts), 'fault');
  } catch (error) {
    throw new FaultSyntaxError(error instanceof Error ? error.message : String(error));
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
  return { ...given, kind, status };
}

const optional =
  <T>(read: Read<T>): Read<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : read(value, at);

const number =
  (pattern: RegExp, what: string): Read<number> =>
  (value, at) =>
    typeof value === 'string' && pattern.test(value) ? Number(value) : refuse(at, `must be ${what}`);

const count = number(/^[1-9]\d{0,8}$/, 'a whole number from 1');

const readShape = object({
  kind: optional(choice(faultKinds)),
  status: optional(number(/^[2-5]\d\d$/, 'an HTTP status')),
  method: optional((value, at) => choice(methods)(text(value, at).toUpperCase(), at)),
  path: optional((value, at) => {
    matchesPath(text(value, at), '');
    return text(value, at);
  }),
  operation: optional(text),
  nth: optional(count),
  times: optional((value, at) => (value === 'always' ? Number.POSITIVE_INFINITY : count(value, at))),
  done: optional(choice(['before', 'after'])),
  late: optional(count),
  retryAfter: optional((value, at) => (Number.isNaN(Number(value)) ? text(value, at) : Number(value))),
  body: optional(choice(faultBodies)),
});

/** Whether a path begins with another, or matches the regular expression after `~`. */
function matchesPath(wanted: string, path: string): boolean {
  return wanted.startsWith('~') ? new RegExp(wanted.slice(1)).test(path) : path.startsWith(wanted);
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
  next({ method, path }: Pick<Operation, 'method' | 'path'>, operation: string | null): Fault | null {
    let applied: Fault | null = null;
    for (const entry of this.#entries) {
      const { fault } = entry;
      if ((fault.method ?? method) !== method || (fault.operation ?? operation) !== operation) continue;
      if (fault.path !== undefined && !matchesPath(fault.path, path)) continue;
      entry.matched += 1;
      const { nth = 1, times = 1 } = fault;
      if (entry.matched >= nth && entry.matched < nth + times) applied ??= fault;
    }
    return applied;
  }
}
