export function lazy<T>(compute: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

export type Group<T> = [first: T, ...others: T[]];

/** The items of each name, in the order of the first of each. `new Map` of it finds a group by its name. */
export function groupBy<T, N>(
  items: Iterable<T>,
  nameOf: (item: T, index: number) => N,
): [name: N, group: Group<T>][] {
  const groups = new Map<N, Group<T>>();
  let index = 0;
  for (const item of items) {
    const name = nameOf(item, index++);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return [...groups];
}

/** Does `work` for every item, at most `limit` at once, and starts them in order. */
export async function runConcurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.all(workers);
}

/** Work with one call at a time: calls meanwhile share one more run. */
export class SharedWork {
  readonly #work: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  run(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = null;
      return this.#work();
    });
    this.#last = this.#next.catch(() => {});
    return this.#next;
  }

  get idle(): Promise<void> {
    return this.#last;
  }
}
