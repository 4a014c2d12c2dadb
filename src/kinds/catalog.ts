import type { Kind } from './kind.ts';

/** The kinds of one project. Projects may have different ones, so they belong to the project. */
export interface Kinds {
  /** In the order in which an apply writes them; deletes go the other way. */
  readonly all: readonly Kind[];
  find(name: string): Kind | undefined;
  get(name: string): Kind;
}

export function catalogOf(all: readonly Kind[]): Kinds {
  const byName = new Map(all.map((kind) => [kind.name, kind]));
  return {
    all,
    find: (name) => byName.get(name),
    get(name) {
      const kind = byName.get(name);
      if (!kind) throw new TypeError(`"${name}" is not in the list of kinds.`);
      return kind;
    },
  };
}
