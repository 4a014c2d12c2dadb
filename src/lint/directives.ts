/** The directives that need parentheses, each with an example. */
const examples = new Map([
  ['if', '#if($condition)'],
  ['elseif', '#elseif($condition)'],
  ['foreach', '#foreach($item in $items)'],
  ['set', '#set($name = …)'],
  ['macro', '#macro(name)'],
  ['define', '#define($name)'],
]);

/** Whether Velocity has a directive of that name. */
export function isDirective(name: string): boolean {
  return examples.has(name) || ['else', 'end', 'stop', 'break'].includes(name);
}

/** Whether the directive needs an `#end`. */
export function opensBlock(name: string): boolean {
  return ['if', 'foreach', 'macro', 'define'].includes(name);
}

/** An example of the directive, for hints. */
export function exampleOf(name: string): string {
  return examples.get(name) ?? `#${name}`;
}

interface Block {
  readonly name: string;
  /** Where the directive begins. */
  readonly offset: number;
  /** A problem with it was reported already, so a missing `#end` is not. */
  readonly isMalformed: boolean;
  hasElse: boolean;
}

/** The blocks that are open while a text is read. */
export class Blocks {
  readonly #open: Block[] = [];

  open(name: string, offset: number, isMalformed: boolean): void {
    this.#open.push({ name, offset, isMalformed, hasElse: false });
  }

  /** Enters an `#else` or `#elseif`. Returns the problem if it does not fit the innermost block, else `null`. */
  enterElse(name: 'else' | 'elseif'): string | null {
    const block = this.#open.at(-1);
    if (!block || !['if', 'foreach'].includes(block.name)) return `This \`#${name}\` has no open \`#if\``;
    if (block.hasElse) return `This \`#${name}\` comes after the \`#else\` of its \`#if\``;
    block.hasElse = name === 'else';
    return null;
  }

  /** Closes the innermost block. Returns false if no block is open. */
  close(): boolean {
    return this.#open.pop() !== undefined;
  }

  /** The blocks without `#end`, except malformed ones. */
  findUnclosed(): readonly Block[] {
    return this.#open.filter(({ isMalformed }) => !isMalformed);
  }
}
