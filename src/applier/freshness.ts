import type { Address } from '../model/address.ts';
import { finderIn, type KindChange, requestsForChanges, type Task } from './find.ts';
import { readNow } from './preflight.ts';
import type { Run } from './run.ts';
import { madeAgain, readinessOf } from './verify.ts';

/** The age of a read that a write may rely on, in milliseconds. */
const freshFor = 10_000;
/** How often an object is read again because its request waited too long. */
export const mostReads = 4;
/** The same for a create that the tenant would carry out twice: long enough to read for several at once. */
const freshForDuplicates = 1_000;
/** The most changes to read again at once: as many as can be made before the read is too old. */
const mostOfList = 100;
/** The same if each object is read by a call of its own. */
const mostOfEach = 16;

interface Sighting {
  /** When it is too old to rely on, in milliseconds since 1970. */
  readonly until: number;
  readonly task: Task;
  readonly stale: string | null;
}

/**
 * Keeps the reads of objects that are still to be written fresh: reads the remaining ones again, many at once. `readAt`: when the
 * objects of the tasks were read, in milliseconds since 1970.
 */
export function keepFresh(tasks: readonly Task[], readAt: number, run: Run) {
  const { clock, journal, created, secrets, settings } = run;
  const sightings = new Map<Address, Sighting>(
    tasks.map((task) => {
      const until = isDoubled(task) ? Number.NEGATIVE_INFINITY : untilOf(task, readAt, clock.now());
      return [task.change.address, { until, task, stale: null }];
    }),
  );
  const waiting = new Set(tasks);
  let reading: { readonly tasks: ReadonlySet<Task>; readonly done: Promise<void> } | null = null;
  const seenOf = (unit: readonly Task[]) => unit.flatMap(({ change }) => sightings.get(change.address) ?? []);
  const isFresh = (unit: readonly Task[]) => seenOf(unit).every(({ until }) => clock.now() <= until);

  const readAgain = async (due: ReadonlySet<Task>) => {
    const begun = clock.now();
    const asked = [...due];
    const state = await readNow(requestsForChanges(asked), run, requestsForChanges(asked, { found: true }));
    const find = finderIn(state);
    const now = clock.now();
    for (const { change, ...task } of due) {
      const entry = created.fill({ ...task, change });
      const found = find(entry);
      const readiness = readinessOf(entry, found, journal.progress(change.address), secrets);
      const { from, resumed } = readiness.is === 'stale' ? { from: 0, resumed: false } : readiness;
      const isWhole = readiness.is === 'ready' && from === 0 && entry.change.ignored !== undefined;
      const again = isWhole ? madeAgain(entry, found.live, found.standard, settings) : entry.change;
      const why = readiness.is === 'stale' ? readiness.why : typeof again === 'string' && again;
      const current = typeof again === 'string' ? change : again;
      sightings.set(change.address, {
        until: untilOf(entry, begun, now),
        task: { ...entry, change: current, live: found.live, from, resumed },
        stale: why ? `Changed since the plan: ${why}.` : null,
      });
    }
  };
  const readFor = (unit: readonly Task[]): Promise<void> => {
    const running = reading;
    if (running && unit.every((task) => running.tasks.has(task))) return running.done;
    const most = unit.some(({ kind }) => kind.read.how !== 'list') ? mostOfEach : mostOfList;
    const alike = [...waiting].filter((task) =>
      unit.some((other) => task.kind === other.kind && isDoubled(task) === isDoubled(other)),
    );
    const due = new Set([...unit, ...alike.slice(0, most)]);
    const done = readAgain(due).finally(() => {
      if (reading?.tasks === due) reading = null;
    });
    reading = { tasks: due, done };
    return done;
  };
  return {
    /** The tasks with their current objects; if there are reasons, none may be made. Rejects if the objects cannot be read. */
    async check(unit: readonly Task[]) {
      // A list that is being read must not change with each page because of what this run creates and deletes. Only those
      // who asked for it care whether it could be read.
      if (isFresh(unit)) await reading?.done.catch(() => {});
      if (!isFresh(unit)) await readFor(unit);
      const seen = seenOf(unit);
      const reasons = seen.flatMap(({ task, stale }) =>
        stale === null ? [] : [[task.change.address, stale] as const],
      );
      return {
        tasks: seen.map(({ task }) => task),
        notAfter: Math.min(...seen.map(({ until }) => until)),
        reasons: new Map(reasons),
      };
    },
    forget(unit: readonly Task[]): void {
      for (const task of unit) waiting.delete(task);
    },
    expire(unit: readonly Task[]): void {
      for (const seen of seenOf(unit))
        sightings.set(seen.task.change.address, { ...seen, until: Number.NEGATIVE_INFINITY });
    },
  };
}

/** When a read is too old. If reading takes long, the limit grows, or every read would be too old at once. */
export function untilOf(entry: KindChange, readAt: number, now: number): number {
  return readAt + Math.max(isDoubled(entry) ? freshForDuplicates : freshFor, 2 * (now - readAt));
}

function isDoubled({ kind, change }: KindChange): boolean {
  return change.action === 'create' && kind.can.create === 'duplicates';
}
