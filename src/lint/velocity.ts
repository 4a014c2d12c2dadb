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

export interface VelocityScan {
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
  return new Scanner(text).scan();
}

class Scanner {
  readonly #text: string;
  readonly #problems: VelocityProblem[] = [];
  readonly #references = new Map<string, Reference>();
  readonly #defined = new Set<string>();
  readonly #aliases: Alias[] = [];
  readonly #comparisons: ValueComparison[] = [];
  readonly #blocks: OpenBlock[] = [];
  #position = 0;
  #hasDirectives = false;
  /** Set at an argument list or comment without end: the rest of the text is not read. */
  #isLost = false;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): VelocityScan {
    const sign = /[$#]/g;
    for (;;) {
      sign.lastIndex = this.#position;
      const at = sign.exec(this.#text)?.index;
      if (at === undefined) break;
      const isEscaped = this.#isEscaped(at);
      this.#position = at + 1;
      if (isEscaped) continue;
      if (this.#text[at] === '$') this.#readReference(at);
      else this.#readHash(at);
    }
    for (const { name, offset } of this.#isLost ? [] : this.#blocks)
      this.#report('velocity-unclosed', offset, `This \`#${name}\` has no \`#end\`.`, 'Add the `#end`.');
    return {
      problems: this.#problems,
      references: [...this.#references.values()],
      defined: this.#defined,
      aliases: this.#aliases,
      comparisons: this.#comparisons,
      hasDirectives: this.#hasDirectives,
    };
  }

  #isEscaped(at: number): boolean {
    let start = at;
    while (start > this.#position && this.#text[start - 1] === '\\') start -= 1;
    return (at - start) % 2 === 1;
  }

  #readReference(at: number): void {
    const found = this.#noteReference(at);
    if (!found) return;
    if (found.brace === null) this.#readMembers(at, found.end);
    else this.#readFormal(at, found.brace);
  }

  /** Notes the reference at `at`, unless the same one was noted before. */
  #noteReference(at: number): { readonly brace: number | null; readonly end: number } | null {
    const [whole, brace, name = ''] = this.#match(variable, at) ?? [];
    if (whole === undefined) return null;
    const end = at + whole.length;
    const [steps = ''] = this.#match(followingSteps, end) ?? [];
    const id = name + steps;
    const first = /^\.(\w+)/.exec(steps)?.[1] ?? null;
    if (!this.#references.has(id)) this.#references.set(id, { name, member: first, steps, offset: at });
    return { brace: brace === '{' ? at + whole.indexOf('{') : null, end };
  }

  #readMembers(at: number, start: number): void {
    let end = start;
    for (;;) {
      const next = this.#match(member, end);
      if (!next) break;
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

  /** `${…}`. A brace that is not closed on its line is reported, and reading continues on the next line. */
  #readFormal(at: number, brace: number): void {
    const close = this.#findClose(brace, '\n');
    if (close !== null) {
      this.#position = close;
      return;
    }
    this.#report('velocity-syntax', at, 'This `${` is not closed.', 'Add the `}`.');
    const end = this.#text.indexOf('\n', brace);
    this.#position = end === -1 ? this.#text.length : end;
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
    const next = this.#text[at + 1];
    if (next === '#') this.#skipTo('\n', at, null);
    else if (next === '*') this.#skipTo('*#', at, 'This comment is not closed.');
    else if (next !== '[') this.#readDirective(at);
    else if (this.#text[at + 2] === '[') this.#skipTo(']]#', at, 'This unparsed block is not closed.');
  }

  /** Skips to the `end` of what begins at `at`. If it is missing, reports `problem`, or skips the rest if it is null. */
  #skipTo(end: string, at: number, problem: string | null): void {
    const found = this.#text.indexOf(end, at + 2);
    if (found !== -1) this.#position = found + end.length;
    else if (problem === null) this.#position = this.#text.length;
    else this.#lose(at, problem, `Add the \`${end}\`.`);
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
    this.#hasDirectives = true;
    this.#position = end;
    if (name === 'end' && !this.#blocks.pop()) {
      const hint = 'Remove it, or write `\\#end` for the word itself.';
      this.#report('velocity-unopened', at, 'This `#end` has no open block.', hint);
    }
    if (name === 'else' || name === 'elseif') this.#enterElse(name, at);
    if (directive.example !== undefined) this.#readArguments(name, directive.example, at);
    if (directive.opens) this.#blocks.push({ name, offset: at, hasElse: false });
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
      for (const [, parameter = ''] of text.matchAll(macroParameters)) this.#defined.add(parameter);
    const first = this.#match(variableBegins, open)?.[1];
    if (['set', 'define', 'foreach'].includes(name) && first !== undefined) this.#defined.add(first);
    const [, alias, sign, of, steps = ''] = aliasHead.exec(text) ?? [];
    if (alias !== undefined && of !== undefined)
      this.#aliases.push({ name: alias, of: { name: of, steps }, isItem: sign === 'in' });
    if (name !== 'if' && name !== 'elseif') return;
    for (const [, left = '', leftSteps = '', number, quoted, single] of text.matchAll(comparison)) {
      const value = number === undefined ? (quoted ?? single ?? '') : Number(number);
      this.#comparisons.push({ reference: { name: left, steps: leftSteps }, value });
    }
  }

  #enterElse(name: 'else' | 'elseif', at: number): void {
    const block = this.#blocks.at(-1);
    if (block && !block.hasElse && ['if', 'foreach'].includes(block.name)) block.hasElse = name === 'else';
    else
      this.#report(
        'velocity-unopened',
        at,
        `There is no open \`#if\` that this \`#${name}\` could belong to.`,
        null,
      );
  }

  /** Reports a problem after which the rest of the text cannot be read. */
  #lose(at: number, message: string, hint: string): void {
    this.#report('velocity-syntax', at, message, hint);
    this.#isLost = true;
    this.#position = this.#text.length;
  }

  #report(code: VelocityProblem['code'], offset: number, message: string, hint: string | null): void {
    if (this.#problems.length < maxProblems) this.#problems.push({ code, offset, message, hint });
  }

  #match(sticky: RegExp, at: number): RegExpExecArray | null {
    sticky.lastIndex = at;
    return sticky.exec(this.#text);
  }
}

/** `#@name(…) … #end` calls a macro with a body. */
const blockCall: Directive = { example: '#@name(…)', opens: true };
