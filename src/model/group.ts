/** The items of each name, in the order of the first of each: `Map.groupBy` of later Nodes, with groups that are never empty. */
export function groupBy<T, N>(items: Iterable<T>, nameOf: (item: T) => N): Map<N, [T, ...T[]]> {
  const groups = new Map<N, [T, ...T[]]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
