/** A variable, and the member of it that is asked for. */
export interface Reference {
  readonly name: string;
  /** `b` of `$a.b.c`. */
  readonly member: string | null;
  readonly offset: number;
}

const variable = /\$!?\{?([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?/y;

/** Finds the ends of brackets in a text, and collects the references it comes by. */
export class Brackets {
  readonly #text: string;
  readonly #references = new Map<string, Reference>();

  constructor(text: string) {
    this.#text = text;
  }

  get references(): readonly Reference[] {
    return [...this.#references.values()];
  }

  add(name: string, member: string | null, offset: number): void {
    const id = `${name}.${member ?? ''}`;
    if (!this.#references.has(id)) this.#references.set(id, { name, member, offset });
  }

  /**
   * The place after the bracket that closes the one at `open`; `null` where none does, before `limit` at least. Strings
   * may hold brackets; a `'…'` string holds no references.
   */
  close(open: number, limit?: string): number | null {
    let depth = 0;
    let quote = '';
    for (let at = open; at < this.#text.length; at += 1) {
      const sign = this.#text.charAt(at);
      if (sign === limit) return null;
      if (sign === '$' && quote !== "'") at = this.#passReference(at);
      else if (quote !== '') quote = sign === quote ? '' : quote;
      else if (sign === '"' || sign === "'") quote = sign;
      else if ('([{'.includes(sign)) depth += 1;
      else if (')]}'.includes(sign)) depth -= 1;
      if (depth === 0) return at + 1;
    }
    return null;
  }

  /** The last character of the reference at `at`, or `at` itself; the brace of `${` is left to be counted. */
  #passReference(at: number): number {
    variable.lastIndex = at;
    const found = variable.exec(this.#text);
    if (!found) return at;
    const [whole, name = '', member = null] = found;
    this.add(name, member, at);
    return whole.includes('{') ? at + whole.indexOf('{') - 1 : at + whole.length - 1;
  }
}
