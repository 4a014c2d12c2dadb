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

/** True if a text has `length` characters of a set in a row. Looks at every `length`th only; a regular expression looks at all. */
export function hasRun(text: string, length: number, set: Uint8Array): boolean {
  for (let at = length - 1; at < text.length; at += length) {
    if (!set[text.charCodeAt(at)]) continue;
    let [first, last] = [at, at];
    while (set[text.charCodeAt(first - 1)]) first -= 1;
    while (set[text.charCodeAt(last + 1)]) last += 1;
    if (last - first >= length - 1) return true;
  }
  return false;
}

/** ASCII characters, as {@link hasRun} takes them: 1 at the code of each. */
export function characterSet(characters: string): Uint8Array {
  const set = new Uint8Array(128);
  for (const each of characters) set[each.charCodeAt(0)] = 1;
  return set;
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
