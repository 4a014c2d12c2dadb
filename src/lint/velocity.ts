import { Brackets, type Reference } from './brackets.ts';
import { Blocks, exampleOf, isDirective, opensBlock } from './directives.ts';

/** Something wrong with the Velocity in a text. */
interface VelocityProblem {
  readonly code: 'velocity-unclosed' | 'velocity-unopened' | 'velocity-syntax';
  /** Where the directive, reference or comment begins. */
  readonly offset: number;
  readonly message: string;
  readonly hint: string | null;
}

/** A text as Velocity reads it. */
export interface VelocityScan {
  /** At most {@link maxProblems}. */
  readonly problems: readonly VelocityProblem[];
  /** Each variable and member once, where it first occurs. */
  readonly references: readonly Reference[];
  /** Variables that the text itself gives a value. */
  readonly defined: ReadonlySet<string>;
  /** Whether there are directives: then rendering changes more than references. */
  readonly hasDirectives: boolean;
}

/** More problems than these follow from the first ones. */
const maxProblems = 20;

const plainDirective = /#(?:\{([a-z]+)\}|@?([A-Za-z_]\w*))/y;
const hyphenatedWord = /-[A-Za-z]/y;
const argumentsBegin = /[ \t]*\(/y;
const variableBegins = /\(\s*\$!?\{?([A-Za-z_]\w*)/y;
const loopHead = /\(\s*\$!?\{?([A-Za-z_]\w*)\}?\s+in\s/y;
const macroParameters = /\$!?\{?([A-Za-z_]\w*)/g;
const variable = /\$!?(\{?)([A-Za-z_]\w*)/y;
const member = /\.([A-Za-z_]\w*)/y;

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
  readonly #brackets: Brackets;
  readonly #defined = new Set<string>();
  readonly #blocks = new Blocks();
  #position = 0;
  #hasDirectives = false;
  /** Set at an argument list or comment without end: the rest of the text is not read. */
  #isLost = false;

  constructor(text: string) {
    this.#text = text;
    this.#brackets = new Brackets(text);
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
    if (!this.#isLost) this.#reportUnclosed();
    const { references } = this.#brackets;
    return {
      problems: this.#problems,
      references,
      defined: this.#defined,
      hasDirectives: this.#hasDirectives,
    };
  }

  #isEscaped(at: number): boolean {
    let start = at;
    while (start > this.#position && this.#text[start - 1] === '\\') start -= 1;
    return (at - start) % 2 === 1;
  }

  #readReference(at: number): void {
    const found = this.#match(variable, at);
    if (!found) return;
    const [whole, brace = '', name = ''] = found;
    const end = at + whole.length;
    const first = this.#match(member, end)?.[1] ?? null;
    this.#brackets.add(name, first, at);
    if (brace === '{') this.#readFormal(at, at + whole.indexOf('{'));
    else this.#readMembers(at, end);
  }

  #readMembers(at: number, start: number): void {
    let end = start;
    for (;;) {
      const next = this.#match(member, end);
      if (!next) break;
      end += next[0].length;
      if (this.#text[end] !== '(') continue;
      const close = this.#brackets.close(end);
      if (close === null) {
        this.#lose(at, 'The parentheses of this call are not closed', 'Add the `)`.');
        return;
      }
      end = close;
    }
    this.#position = end;
  }

  /** `${…}`. A brace that is not closed on its line is reported, and reading continues on the next line. */
  #readFormal(at: number, brace: number): void {
    const close = this.#brackets.close(brace, '\n');
    if (close !== null) {
      this.#position = close;
      return;
    }
    this.#report('velocity-syntax', at, 'This `${` is not closed', 'Add the `}`.');
    const end = this.#text.indexOf('\n', brace);
    this.#position = end === -1 ? this.#text.length : end;
  }

  #readHash(at: number): void {
    const next = this.#text[at + 1];
    if (next === '#') this.#skipTo('\n', at, null);
    else if (next === '*') this.#skipTo('*#', at, 'This comment is not closed');
    else if (next !== '[') this.#readDirective(at);
    else if (this.#text[at + 2] === '[') this.#skipTo(']]#', at, 'This unparsed block is not closed');
  }

  /** Skips to the `end` of what begins at `at`. If it is missing, reports `problem`, or skips the rest if it is null. */
  #skipTo(end: string, at: number, problem: string | null): void {
    const found = this.#text.indexOf(end, at + 2);
    if (found !== -1) this.#position = found + end.length;
    else if (problem === null) this.#position = this.#text.length;
    else this.#lose(at, problem, `Add the \`${end}\`.`);
  }

  #readDirective(at: number): void {
    const found = this.#match(plainDirective, at);
    if (!found) return;
    const [whole, formal, plain = ''] = found;
    const name = formal ?? plain;
    const end = at + whole.length;
    if (formal === undefined && this.#match(hyphenatedWord, end)) return;
    const isBlockCall = whole.startsWith('#@');
    if (isBlockCall ? this.#text[end] !== '(' : !isDirective(name)) return;
    this.#hasDirectives = true;
    this.#position = end;
    if (isBlockCall) this.#openWithArguments(`@${name}`, at, end);
    else if (name === 'end') this.#closeBlock(at);
    else if (name === 'else') this.#readElse(name, at);
    else if (name === 'elseif') {
      this.#readElse(name, at);
      this.#readArguments(name, at, end);
    } else if (opensBlock(name)) this.#openWithArguments(name, at, end);
    else if (name === 'set') this.#readArguments(name, at, end);
  }

  #openWithArguments(name: string, at: number, end: number): void {
    const isComplete = this.#readArguments(name, at, end);
    this.#blocks.open(name, at, !isComplete);
  }

  /** Reads the arguments of a directive. Returns whether they are well-formed. */
  #readArguments(name: string, at: number, end: number): boolean {
    const begin = this.#match(argumentsBegin, end);
    if (!begin) {
      this.#report(
        'velocity-syntax',
        at,
        `\`#${name}\` has no parentheses`,
        `Write \`${exampleOf(name)}\`, or \`\\#${name}\` for the word itself.`,
      );
      return false;
    }
    const open = end + begin[0].length - 1;
    const close = this.#brackets.close(open);
    if (close === null) {
      this.#lose(at, `The parentheses of this \`#${name}\` are not closed`, 'Add the `)`, or a quote.');
      return false;
    }
    this.#position = close;
    return this.#define(name, at, open, close);
  }

  /** Collects the variables that the arguments define. Returns whether the arguments are well-formed. */
  #define(name: string, at: number, open: number, close: number): boolean {
    if (name === 'macro') {
      for (const found of this.#text.slice(open, close).matchAll(macroParameters)) this.#addDefined(found[1]);
    } else if (name === 'set' || name === 'define') this.#addDefined(this.#match(variableBegins, open)?.[1]);
    else if (name === 'foreach') {
      const head = this.#match(loopHead, open);
      this.#addDefined((head ?? this.#match(variableBegins, open))?.[1]);
      if (head) return true;
      this.#report(
        'velocity-syntax',
        at,
        '`#foreach` does not say what to iterate over',
        `Write \`${exampleOf(name)}\`.`,
      );
      return false;
    }
    return true;
  }

  #addDefined(name: string | undefined): void {
    if (name !== undefined) this.#defined.add(name);
  }

  #readElse(name: 'else' | 'elseif', at: number): void {
    const problem = this.#blocks.enterElse(name);
    if (problem !== null) this.#report('velocity-unopened', at, problem, null);
  }

  #closeBlock(at: number): void {
    if (this.#blocks.close()) return;
    const hint = 'Remove it, or write `\\#end` for the word itself.';
    this.#report('velocity-unopened', at, 'This `#end` has no open block', hint);
  }

  #reportUnclosed(): void {
    for (const { name, offset } of this.#blocks.findUnclosed()) {
      this.#report('velocity-unclosed', offset, `This \`#${name}\` has no \`#end\``, 'Add the `#end`.');
    }
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
