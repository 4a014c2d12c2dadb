import { get } from '../model/json.ts';

/** Names that Velocity and its usual tools give a value. */
export const builtIn = [
  ...['foreach', 'velocityCount', 'velocityHasNext', 'bodyContent'],
  ...['macro', 'define', 'esc', 'math'],
];

export interface Reference {
  readonly name: string;
  /** The first member: `b` of `$a.b.c`. */
  readonly member: string | null;
  /** Everything after the name, as written: `.b.get(0).c`. */
  readonly steps: string;
  readonly offset: number;
}

type Value = Pick<Reference, 'name' | 'steps'>;

/** A name for another value: `#foreach($name in $of)`, `#set($name = $of)`. */
interface Alias {
  readonly name: string;
  readonly of: Value;
  readonly isItem: boolean;
}

/** `$state == "APPROVED"` shows what a value looks like, and `$count > 10` that it is a number. */
interface ValueComparison {
  readonly reference: Value;
  readonly value: string | number;
}

interface VelocityProblem {
  readonly code: 'velocity-unclosed' | 'velocity-unopened' | 'velocity-syntax';
  /** Where the directive, reference or comment begins. */
  readonly offset: number;
  readonly message: string;
  readonly hint: string | null;
}

interface VelocityScan {
  /** At most {@link maxProblems}. */
  readonly problems: readonly VelocityProblem[];
  /** Each variable with the same steps once, where it first occurs. */
  readonly references: readonly Reference[];
  /** Variables that the text itself gives a value. */
  readonly defined: ReadonlySet<string>;
  readonly aliases: readonly Alias[];
  /** Comparisons of references with constants, in conditions. */
  readonly comparisons: readonly ValueComparison[];
  /** Rendering then changes more than references. */
  readonly hasDirectives: boolean;
}

/** More problems than these follow from the first ones. */
const maxProblems = 20;

interface Directive {
  /** For a directive that needs parentheses. */
  readonly example?: string;
  readonly opens?: true;
}

const directives: Readonly<Record<string, Directive>> = {
  if: { example: '#if($condition)', opens: true },
  elseif: { example: '#elseif($condition)' },
  else: {},
  end: {},
  foreach: { example: '#foreach($item in $items)', opens: true },
  set: { example: '#set($name = …)' },
  macro: { example: '#macro(name)', opens: true },
  define: { example: '#define($name)', opens: true },
  stop: {},
  break: {},
};

interface OpenBlock {
  readonly name: string;
  readonly offset: number;
  hasElse: boolean;
}

const sign = /(?<!\\)(\\*)[$#]/g;
/** What is not read: how it begins and ends, and what it is called if it must have an end. */
const skipped = [
  ['##', '\n', null],
  ['#*', '*#', 'comment'],
  ['#[[', ']]#', 'unparsed block'],
] as const;
const plainDirective = /#(?:\{([a-z]+)\}|@?([A-Za-z_]\w*))/y;
const hyphenatedWord = /-[A-Za-z]/y;
const argumentsBegin = /[ \t]*\(/y;
const variableBegins = /\(\s*\$!?\{?([A-Za-z_]\w*)/y;
const loopHead = /\(\s*\$!?\{?([A-Za-z_]\w*)\}?\s+in\s/y;
const macroParameters = /\$!?\{?([A-Za-z_]\w*)/g;
const variable = /\$!?(\{?)([A-Za-z_]\w*)/y;
const member = /\.([A-Za-z_]\w*)/y;
const steps = String.raw`(?:\.[A-Za-z_]\w*(?:\([^()]*\))?|\[[^\][]*\])*`;
const followingSteps = new RegExp(steps, 'y');
const reference = String.raw`\$!?\{?([A-Za-z_]\w*)(${steps})\}?`;
const aliasHead = new RegExp(String.raw`^\(\s*\$!?\{?([A-Za-z_]\w*)\}?\s*(=|\bin\b)\s*${reference}\s*\)$`);
const comparison = new RegExp(
  String.raw`${reference}\s*(?:(?:[=!]=|[<>]=?)\s*(\d+)\b|==\s*(?:"([^"$]*)"|'([^']*)'))`,
  'g',
);

/**
 * Reads a text as Velocity does: directives (`#if`, `#{if}`), comments (`##`, `#* *#`), unparsed blocks (`#[[ ]]#`),
 * escapes (`\#`, `\$`) and references (`$name`, `${a.b}`, `$!name`, calls). Colours, anchors and prices are text.
 * Takes time in proportion to the text, and never throws.
 */
export function scanVelocity(text: string): VelocityScan {
  return new Scanner(text);
}

class Scanner implements VelocityScan {
  readonly problems: VelocityProblem[] = [];
  readonly references: Reference[] = [];
  readonly defined = new Set<string>();
  readonly aliases: Alias[] = [];
  readonly comparisons: ValueComparison[] = [];
  hasDirectives = false;
  readonly #text: string;
  readonly #noted = new Set<string>();
  readonly #blocks: OpenBlock[] = [];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
    for (;;) {
      const found = this.#match(sign, this.#position);
      if (!found) break;
      const [whole, escapes = ''] = found;
      this.#position = found.index + whole.length;
      if (escapes.length % 2 === 1) continue;
      const at = this.#position - 1;
      if (text[at] === '$') this.#readReference(at);
      else this.#readHash(at);
    }
    for (const { name, offset } of this.#blocks)
      this.#report('velocity-unclosed', offset, `This \`#${name}\` has no \`#end\`.`, 'Add the `#end`.');
  }

  #readReference(at: number): void {
    const found = this.#noteReference(at);
    if (!found) return;
    if (found.brace !== null) {
      const close = this.#findClose(found.brace, '\n');
      if (close !== null) {
        this.#position = close;
        return;
      }
      // It should be closed on its line: reading continues on the next one.
      this.#report('velocity-syntax', at, 'This `${` is not closed.', 'Add the `}`.');
      const end = this.#text.indexOf('\n', found.brace);
      this.#position = end === -1 ? this.#text.length : end;
      return;
    }
    let { end } = found;
    for (let next = this.#match(member, end); next; next = this.#match(member, end)) {
      end += next[0].length;
      if (this.#text[end] !== '(') continue;
      const close = this.#findClose(end);
      if (close === null) {
        this.#lose(at, 'The parentheses of this call are not closed.', 'Add the `)`.');
        return;
      }
      end = close;
    }
    this.#position = end;
  }

  /** Notes the reference at `at`, unless the same one was noted before. */
  #noteReference(at: number): { readonly brace: number | null; readonly end: number } | null {
    const [whole, brace, name = ''] = this.#match(variable, at) ?? [];
    if (whole === undefined) return null;
    const end = at + whole.length;
    const [steps = ''] = this.#match(followingSteps, end) ?? [];
    if (!this.#noted.has(name + steps)) {
      this.#noted.add(name + steps);
      this.references.push({ name, member: /^\.(\w+)/.exec(steps)?.[1] ?? null, steps, offset: at });
    }
    return { brace: brace === '{' ? at + whole.indexOf('{') : null, end };
  }

  /**
   * The offset after the bracket that closes the one at `open`; `null` if it is not closed, or not before `limit`. Notes
   * the references inside. Brackets in strings do not count; a `'…'` string has no references.
   */
  #findClose(open: number, limit?: string): number | null {
    let depth = 0;
    let quote = '';
    for (let at = open; at < this.#text.length; at += 1) {
      const sign = this.#text.charAt(at);
      if (sign === limit) return null;
      if (sign === '$' && quote !== "'") {
        const found = this.#noteReference(at);
        // The brace of `${` is left for counting.
        if (found) at = (found.brace ?? found.end) - 1;
      } else if (quote !== '') quote = sign === quote ? '' : quote;
      else if (sign === '"' || sign === "'") quote = sign;
      else if ('([{'.includes(sign)) depth += 1;
      else if (')]}'.includes(sign)) depth -= 1;
      if (depth === 0) return at + 1;
    }
    return null;
  }

  #readHash(at: number): void {
    const [begin, end, name] = skipped.find(([begin]) => this.#text.startsWith(begin, at)) ?? [];
    if (begin === undefined) {
      this.#readDirective(at);
      return;
    }
    const found = this.#text.indexOf(end, at + 2);
    if (found !== -1) this.#position = found + end.length;
    else if (name === null) this.#position = this.#text.length;
    else this.#lose(at, `This ${name} is not closed.`, `Add the \`${end}\`.`);
  }

  #readDirective(at: number): void {
    const [whole, formal, plain = ''] = this.#match(plainDirective, at) ?? [];
    if (whole === undefined) return;
    const end = at + whole.length;
    if (formal === undefined && this.#match(hyphenatedWord, end)) return;
    const isCall = whole.startsWith('#@');
    const name = isCall ? `@${plain}` : (formal ?? plain);
    const directive = isCall ? blockCall : get(directives, name);
    if (!directive || (isCall && this.#text[end] !== '(')) return;
    this.hasDirectives = true;
    this.#position = end;
    if (name === 'end' && !this.#blocks.pop()) {
      const hint = 'Remove it, or write `\\#end` for the word itself.';
      this.#report('velocity-unopened', at, 'This `#end` has no open block.', hint);
    }
    if (name === 'else' || name === 'elseif') {
      const block = this.#blocks.at(-1);
      const message = `There is no open \`#if\` that this \`#${name}\` could belong to.`;
      if (block && !block.hasElse && ['if', 'foreach'].includes(block.name)) block.hasElse = name === 'else';
      else this.#report('velocity-unopened', at, message, null);
    }
    if (directive.opens) this.#blocks.push({ name, offset: at, hasElse: false });
    if (directive.example !== undefined) this.#readArguments(name, directive.example, at);
  }

  #readArguments(name: string, example: string, at: number): void {
    const begin = this.#match(argumentsBegin, this.#position);
    if (!begin) {
      const hint = `Write \`${example}\`, or \`\\#${name}\` for the word itself.`;
      this.#report('velocity-syntax', at, `\`#${name}\` has no parentheses.`, hint);
      return;
    }
    const open = this.#position + begin[0].length - 1;
    const close = this.#findClose(open);
    if (close === null) {
      this.#lose(at, `The parentheses of this \`#${name}\` are not closed.`, 'Add the `)`, or a quote.');
      return;
    }
    this.#position = close;
    this.#readNames(name, open, close);
    if (name === 'foreach' && !this.#match(loopHead, open))
      this.#report(
        'velocity-syntax',
        at,
        '`#foreach` does not say what to iterate over.',
        `Write \`${example}\`.`,
      );
  }

  #readNames(name: string, open: number, close: number): void {
    const text = this.#text.slice(open, close);
    if (name === 'macro')
      for (const [, parameter = ''] of text.matchAll(macroParameters)) this.defined.add(parameter);
    const first = this.#match(variableBegins, open)?.[1];
    if (['set', 'define', 'foreach'].includes(name) && first !== undefined) this.defined.add(first);
    const [, alias, sign, of, steps = ''] = aliasHead.exec(text) ?? [];
    if (alias !== undefined && of !== undefined)
      this.aliases.push({ name: alias, of: { name: of, steps }, isItem: sign === 'in' });
    if (name !== 'if' && name !== 'elseif') return;
    for (const [, left = '', leftSteps = '', number, quoted, single] of text.matchAll(comparison)) {
      const value = number === undefined ? (quoted ?? single ?? '') : Number(number);
      this.comparisons.push({ reference: { name: left, steps: leftSteps }, value });
    }
  }

  /** Reports a problem after which the rest of the text cannot be read. */
  #lose(at: number, message: string, hint: string): void {
    this.#report('velocity-syntax', at, message, hint);
    this.#blocks.length = 0;
    this.#position = this.#text.length;
  }

  #report(code: VelocityProblem['code'], offset: number, message: string, hint: string | null): void {
    if (this.problems.length < maxProblems) this.problems.push({ code, offset, message, hint });
  }

  #match(sticky: RegExp, at: number): RegExpExecArray | null {
    sticky.lastIndex = at;
    return sticky.exec(this.#text);
  }
}

/** `#@name(…) … #end` calls a macro with a body. */
const blockCall: Directive = { example: '#@name(…)', opens: true };
