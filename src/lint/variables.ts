import { type Reference, scanVelocity } from './velocity.ts';

export const builtIn = [
  ...['foreach', 'velocityCount', 'velocityHasNext', 'bodyContent'],
  ...['macro', 'define', 'esc', 'math'],
];

/** What templates reveal of a value that they expect. */
export class Shape {
  readonly members = new Map<string, Shape>();
  /** Of a list: a loop is over it, or an item of it is taken. */
  item: Shape | null = null;
  like: string | number | null = null;

  /** The value at the end of the way from here. */
  at([step, ...rest]: Way): Shape {
    if (step === undefined) return this;
    if (step === item) {
      this.item ??= new Shape();
      return this.item.at(rest);
    }
    const member = this.members.get(step) ?? new Shape();
    this.members.set(step, member);
    return member.at(rest);
  }
}

/** The names of members from a variable on; {@link item} is each item of a list. */
type Way = readonly string[];
const item = '[]';

const [mostVariables, mostAliases, mostWays, deepest] = [1000, 100, 20, 16];

/** The variables that the texts of a template use and do not set themselves, as members of one value. */
export function variablesIn(texts: readonly string[]): Shape {
  const scans = texts.map(scanVelocity);
  const all = scans.flatMap(({ aliases }) => aliases).slice(0, mostAliases);
  const defined = new Set([...builtIn, ...scans.flatMap((scan) => [...scan.defined])]);
  const known = new Map<string, readonly Way[]>();
  const waysTo = (name: string): readonly Way[] => {
    const ways = known.get(name);
    if (ways) return ways;
    // A loop over its own item would never end.
    known.set(name, [[name]]);
    const mine = all.filter((alias) => alias.name === name);
    const found = mine.flatMap(({ of, isItem }) => {
      const steps = [...stepsOf(of), ...(isItem ? [item] : [])];
      return waysTo(of.name).map((way) => [...way, ...steps].slice(0, deepest));
    });
    const own = found.length > 0 ? found.slice(0, mostWays) : defined.has(name) ? [] : [[name]];
    known.set(name, own);
    return own;
  };
  const root = new Shape();
  const shapesOf = (reference: Pick<Reference, 'name' | 'steps'>) =>
    waysTo(reference.name).map((way) => root.at([...way, ...stepsOf(reference)].slice(0, deepest)));
  for (const reference of scans.flatMap(({ references }) => references).slice(0, mostVariables))
    shapesOf(reference);
  for (const { name } of all) shapesOf({ name, steps: '' });
  for (const comparison of scans.flatMap(({ comparisons }) => comparisons).slice(0, mostVariables))
    for (const shape of shapesOf(comparison.reference)) shape.like ??= comparison.value;
  return root;
}

const step = /\.([A-Za-z_]\w*)(\([^()]*\))?|\[([^\][]*)\]/g;

/** The members in `.getManager().items[0].name`, up to the first call of any other method. */
function stepsOf({ steps }: Pick<Reference, 'steps'>): string[] {
  const names: string[] = [];
  for (const [, name = '', call, index] of steps.matchAll(step)) {
    const argument = name === 'get' ? call?.slice(1, -1) : index;
    const getter = /^(?:get|is)([A-Z]\w*)$/.exec(name)?.[1];
    if (argument !== undefined) {
      const key = /^\s*(?:\d+|"([^"$]*)"|'([^']*)')\s*$/.exec(argument);
      if (!key) break;
      names.push(key[1] ?? key[2] ?? item);
    } else if (call === undefined) names.push(name);
    else if (getter !== undefined && getter !== 'Empty')
      names.push(`${getter.charAt(0).toLowerCase()}${getter.slice(1)}`);
    else break;
  }
  return names;
}
