/** What a template shows of the value it expects. */
export class Shape {
  readonly members = new Map<string, Shape>();
  /** The template goes through it, or takes items of it. */
  isList = false;
  isNumber = false;
  /** A text it is compared with. */
  like: string | null = null;
  #item: Shape | null = null;

  get item(): Shape {
    this.#item ??= new Shape();
    return this.#item;
  }

  member(name: string): Shape {
    const known = this.members.get(name);
    if (known) return known;
    const shape = new Shape();
    this.members.set(name, shape);
    return shape;
  }
}

/** What Velocity itself provides inside `#foreach` and macros. */
const provided = ['foreach', 'velocityCount', 'velocityHasNext', 'bodyContent'];

/** The variables at one place of a template. */
export class Scope {
  /** Those that the template expects from outside. */
  readonly variables: Map<string, Shape>;
  readonly #local: Map<string, Shape | null>;

  constructor(
    variables: Map<string, Shape> = new Map(),
    local: Iterable<readonly [string, Shape | null]> = provided.map((name) => [name, null]),
  ) {
    this.variables = variables;
    this.#local = new Map(local);
  }

  /** The shape of a variable; `null` where nothing is known of one that the template made. */
  find(name: string): Shape | null {
    const local = this.#local.get(name);
    if (local !== undefined) return local;
    const known = this.variables.get(name) ?? new Shape();
    this.variables.set(name, known);
    return known;
  }

  set(name: string, shape: Shape | null): void {
    this.#local.set(name, shape);
  }

  inner(names: Iterable<readonly [string, Shape | null]>): Scope {
    return new Scope(this.variables, [...this.#local, ...names]);
  }
}

/** The member that a call such as `getName` or `isActive` reads; `null` for any other call. */
export function getterMember(method: string): string | null {
  const name = /^(?:get|is)([A-Z]\w*)$/.exec(method)?.[1];
  return name === undefined || name === 'Empty' ? null : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}
