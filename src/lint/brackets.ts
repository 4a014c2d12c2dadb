/** A use of a variable. */
export interface Reference {
  readonly name: string;
  /** The first member: `b` of `$a.b.c`. */
  readonly member: string | null;
  readonly offset: number;
}

const variable = /\$!?\{?([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?/y;

/** Finds the ends of brackets in a text, and collects the references inside them. */
export class Brackets {
  readonly #text: string;
  readonly #references = new Map<string, Reference>();

  constructor(text: string) {
    this.#text = text;
  }

  get references(): readonly Reference[] {
    return [...this.#references.values()];
  }

  /** Adds a reference, unless the same variable and member was added before. */
  add(name: string, member: string | null, offset: number): void {
    const id = `${name}.${member ?? ''}`;
    if (!this.#references.has(id)) this.#references.set(id, { name, member, offset });
  }

  /**
   * The offset after the bracket that closes the one at `open`; `null` if there is none, or none before `limit`.
   * Brackets in strings do not count; a `'…'` string has no references.
   */
  close(open: number, limit?: string): number | null {
    let depth = 0;
    let quote = '';
    for (let at = open; at < this.#text.length; at += 1) {
      const sign = this.#text.charAt(at);
      if (sign === limit) return null;
      if (sign === '$' && quote !== "'") at = this.#skipReference(at);
      else if (quote !== '') quote = sign === quote ? '' : quote;
      else if (sign === '"' || sign === "'") quote = sign;
      else if ('([{'.includes(sign)) depth += 1;
      else if (')]}'.includes(sign)) depth -= 1;
      if (depth === 0) return at + 1;
    }
    return null;
  }

  /** The last offset of the reference at `at`, or `at` if there is none. The brace of `${` is left for counting. */
  #skipReference(at: number): number {
    variable.lastIndex = at;
    const found = variable.exec(this.#text);
    if (!found) return at;
    const [whole, name = '', member = null] = found;
    this.add(name, member, at);
    return whole.includes('{') ? at + whole.indexOf('{') - 1 : at + whole.length - 1;
  }
}
