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
