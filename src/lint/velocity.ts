import { get } from '../model/json.ts';
import { cutShort } from '../model/words.ts';

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

/** A text, and what has been read of it. */
class Scan {
  readonly text: string;
  /** Where reading continues. */
  position = 0;
  /** The references that were noted, each with its steps. */
  readonly noted = new Set<string>();
  readonly blocks: OpenBlock[] = [];
  /** At most {@link maxProblems}. */
  readonly problems: VelocityProblem[] = [];
  /** Each variable with the same steps once, where it first occurs. */
  readonly references: Reference[] = [];
  /** Variables that the text itself gives a value. */
  readonly defined = new Set<string>();
  readonly aliases: Alias[] = [];
  /** Comparisons of references with constants, in conditions. */
  readonly comparisons: ValueComparison[] = [];
  /** The names of those in the text. If there are any, rendering changes more than references. */
  readonly directives = new Set<string>();

  constructor(text: string) {
    this.text = text;
  }
}

/** More problems than these follow from the first ones. */
const maxProblems = 20;
/** Nobody nests brackets deeper, and each level takes memory. */
const maxLevels = 100;

/** What brackets may hold, with the one that closes them, and the letter that stands for them outside. */
interface Brackets {
  readonly content: RegExp;
  readonly as: string;
}

function holding(content: string, close = ')', as = ''): Brackets {
  return { content: new RegExp(`^(?:${content})\\${close}$`), as };
}

/**
 * What is in brackets, in letters: `r` is a reference, `v` another value, `o` an operator, `n` is `not`, `w` another
 * word, and signs are themselves. Where versions of Velocity differ, this is what any of them can read.
 */
const expression = '[n!-]*[rv](?:[o-][n!-]*[rv])*';
const listOf = (item: string) => `(?:${item}(?:,${item})*)?`;
const formal = holding(`r(?:\\|${expression})?`, '}', 'r');
/** By what opens them: a sign, `r` and a sign directly after a reference, or `f` for `${name`. */
const brackets: Readonly<Record<string, Brackets>> = {
  '(': holding(expression, ')', 'v'),
  '[': holding(`${listOf(expression)}|${expression}\\.\\.${expression}`, ']', 'v'),
  '{': holding(listOf(`${expression}:${expression}`), '}', 'v'),
  'r(': holding(listOf(`(?:${expression}|w)`)),
  'r[': holding(expression, ']'),
  f: formal,
};

interface Directive {
  /** What is text without this after it. */
  readonly needs?: RegExp;
  readonly takes?: Brackets;
  readonly example?: string;
  readonly opens?: true;
}

const directives: Readonly<Record<string, Directive>> = {
  if: { takes: holding(expression), example: '#if($name == "value")', opens: true },
  elseif: { takes: holding(expression), example: '#elseif($name == "value")' },
  else: {},
  end: {},
  foreach: { takes: holding('[rv],?w(?:,?[rv])+'), example: '#foreach($item in $items)', opens: true },
  // Without parentheses it is text, but hardly before a variable.
  set: { takes: holding(`r=${expression}`), example: '#set($name = "value")', needs: /\s*[($]/y },
  macro: { takes: holding('w(?:,?[rv](?:=[rv])?)*'), example: '#macro(name)', opens: true },
  define: { takes: holding('[rv]'), example: '#define($name)', opens: true },
  stop: {},
  break: {},
  // `#@name(…) … #end` calls a macro with a body.
  '@': { takes: holding('(?:,?[rv])*'), example: '#@name($value)', needs: /\s*\(/y, opens: true },
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
const argumentsBegin = /\s*\(/y;
const textFollows = /\s*\S/y;
const variableBegins = /\(\s*\$!?\{?([A-Za-z_]\w*)/y;
const macroParameters = /\$!?\{?([A-Za-z_]\w*)/g;
const variable = /\$!?\{?([A-Za-z_]\w*)/y;
const step = /\.[A-Za-z_]\w*\(?|\[/y;
/** A token in brackets: one group for each of these letters, where `s` is a step of a reference, and `c` any character. */
const kinds = 'srfvonwc';
const token = new RegExp(
  [
    String.raw`\s*(?:((?<=[\w\])}])[.-][A-Za-z_]\w*)|(\\?\$!?[A-Za-z_]\w*)|(\\?\$!?\{[A-Za-z_]\w*)`,
    // A quote may have a backslash, as in JSON.
    String.raw`((?:\\?"[^"]*")+|(?:\\?'[^']*')+|(?:true|false)\b`,
    String.raw`(?:(?<![\w\])}])-)?\$?(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)`,
    String.raw`([=!<>]=|[<>+*/%]|&&|\|\||(?:and|or|eq|ne|lt|gt|le|ge)\b)|(not\b)|([A-Za-z_]\w*)|(\.\.|[^]))`,
  ].join('|'),
  'y',
);
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
export function scanVelocity(text: string): Readonly<Scan> {
  const scan = new Scan(text);
  for (let found = match(scan, sign, 0); found; found = match(scan, sign, scan.position)) {
    const [whole, escapes = ''] = found;
    scan.position = found.index + whole.length;
    if (escapes.length % 2 === 1) continue;
    const at = scan.position - 1;
    if (text[at] === '$') readReference(scan, at);
    else readHash(scan, at);
  }
  for (const { name, offset } of scan.blocks) {
    const message = `This \`#${name}\` has no \`#end\`.`;
    report(scan, { code: 'velocity-unclosed', offset, message, hint: 'Add the `#end`.' });
  }
  return scan;
}

function readReference(scan: Scan, at: number): void {
  const end = noteReference(scan, at);
  if (end === null) return;
  scan.position = end;
  const hint = 'Write `${name}` if what follows is text.';
  if (scan.text.slice(at, end).includes('{')) {
    readBrackets(scan, at, formal, hint);
    return;
  }
  for (let next = match(scan, step, end); next; next = match(scan, step, scan.position)) {
    scan.position += next[0].length;
    const inside = get(brackets, `r${next[0].at(-1)}`);
    if (inside) readBrackets(scan, at, inside, hint);
  }
}

/** Notes the reference at `at`, unless the same one was noted before. Returns where its name ends. */
function noteReference(scan: Scan, at: number): number | null {
  const [whole, name = ''] = match(scan, variable, at) ?? [];
  if (whole === undefined) return null;
  const end = at + whole.length;
  // Most references are names alone.
  const isAlone = !'.['.includes(scan.text[end] ?? ' ');
  const [steps = ''] = (isAlone ? null : match(scan, followingSteps, end)) ?? [];
  if (!scan.noted.has(name + steps)) {
    scan.noted.add(name + steps);
    scan.references.push({ name, member: /^\.(\w+)/.exec(steps)?.[1] ?? null, steps, offset: at });
  }
  return end;
}

/** Reads the rest of brackets, and reports what Velocity could not read. */
function readBrackets(scan: Scan, offset: number, inside: Brackets, example: string): void {
  const { position } = scan;
  const isRight = findClose(scan, inside);
  if (isRight) return;
  const begin = cutShort(scan.text.slice(offset, position).replace(/\s+/, ''));
  const isOpen = isRight === null;
  // Without an end, there is nothing left to read.
  if (isOpen && scan.position === scan.text.length) scan.blocks.length = 0;
  const message = isOpen ? `\`${begin}\` is not closed.` : `Velocity cannot read what follows \`${begin}\`.`;
  const hint = isOpen ? 'Add the bracket or quote that is missing.' : example;
  report(scan, { code: 'velocity-syntax', offset, message, hint });
}

/** Reads to the end of brackets. Says whether Velocity can read what is inside; `null` if it finds no end. */
function findClose(scan: Scan, inside: Brackets): boolean | null {
  const levels = [openLevel(inside)];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const letter = readToken(scan, level);
    if (letter === null || levels.length > maxLevels) return null;
    const inner = get(brackets, letter);
    if (inner) levels.push(openLevel(inner));
    else if (letter !== 's' || level.letters.at(-1) !== 'r') level.letters.push(letter);
    if (!')]}'.includes(letter)) continue;
    levels.pop();
    const isRight = level.content.test(level.letters.join(''));
    const outer = levels.at(-1);
    if (!outer) return isRight;
    outer.letters.push(...(isRight ? level.as : '?'));
  }
  return null;
}

function openLevel(inside: Brackets) {
  const letters: string[] = inside === formal ? ['r'] : [];
  return { ...inside, letters };
}

/** The letter of the next token; `null` at the end of the text, and of a line that does not close its `${`. Notes references. */
function readToken(scan: Scan, { as, letters }: ReturnType<typeof openLevel>): string | null {
  const found = match(scan, token, scan.position);
  if (!found) return null;
  const group = found.findIndex((each, index) => index > 0 && each !== undefined);
  const [kind, word = ''] = [kinds.charAt(group - 1), found[group]];
  const start = found.index + found[0].length - word.length;
  if (as === formal.as && scan.text.slice(found.index, start).includes('\n')) return null;
  scan.position = start + word.length;
  if (/^\\?[$"]/.test(word)) for (const { index } of word.matchAll(/\$/g)) noteReference(scan, start + index);
  if (kind !== 'c') return kind;
  const isNext = start === found.index && letters.at(-1) === 'r' && '(['.includes(word);
  return isNext ? `r${word}` : word;
}

function readHash(scan: Scan, at: number): void {
  const [begin, end, name] = skipped.find(([begin]) => scan.text.startsWith(begin, at)) ?? [];
  if (begin === undefined) {
    readDirective(scan, at);
    return;
  }
  const found = scan.text.indexOf(end, at + 2);
  scan.position = found === -1 ? scan.text.length : found + end.length;
  if (found !== -1 || name === null) return;
  // Nothing is left to read.
  scan.blocks.length = 0;
  const [message, hint] = [`This ${name} is not closed.`, `Add the \`${end}\`.`];
  report(scan, { code: 'velocity-syntax', offset: at, message, hint });
}

function readDirective(scan: Scan, at: number): void {
  const [whole, braced, plain = ''] = match(scan, plainDirective, at) ?? [];
  if (whole === undefined) return;
  const end = at + whole.length;
  const isCall = whole.startsWith('#@');
  const name = isCall ? `@${plain}` : (braced ?? plain);
  const directive = get(directives, isCall ? '@' : name);
  if (!directive || (directive.needs && !match(scan, directive.needs, end))) return;
  scan.directives.add(name);
  scan.position = end;
  const isOutside = scan.blocks.length === 0;
  if (name === 'end') scan.blocks.pop();
  const isStop = name === 'stop' || name === 'break';
  if (isOutside && (name === 'end' || (isStop && match(scan, textFollows, end)))) {
    const message = `This \`#${name}\` has no open block${isStop ? ', and nothing after it is sent' : ''}.`;
    const hint = `Remove it, or write \`\\#${name}\` for the word itself.`;
    report(scan, { code: 'velocity-unopened', offset: at, message, hint });
  }
  if (name === 'else' || name === 'elseif') {
    const block = scan.blocks.at(-1);
    const message = `There is no open \`#if\` that this \`#${name}\` could belong to.`;
    if (block && !block.hasElse && ['if', 'foreach'].includes(block.name)) block.hasElse = name === 'else';
    else report(scan, { code: 'velocity-unopened', offset: at, message, hint: null });
  }
  if (directive.opens) scan.blocks.push({ name, offset: at, hasElse: false });
  readArguments(scan, name, directive, at);
}

function readArguments(scan: Scan, name: string, { takes, example }: Directive, at: number): void {
  if (!takes) return;
  const hint = `Write \`${example}\`, or \`\\#${name}\` for the word itself.`;
  const begin = match(scan, argumentsBegin, scan.position);
  if (begin) {
    scan.position += begin[0].length;
    const open = scan.position - 1;
    readBrackets(scan, at, takes, hint);
    readNames(scan, name, open, scan.position);
  } else {
    const message = `\`#${name}\` has no parentheses.`;
    report(scan, { code: 'velocity-syntax', offset: at, message, hint });
  }
}

function readNames(scan: Scan, name: string, open: number, close: number): void {
  const text = scan.text.slice(open, close);
  if (name === 'macro')
    for (const [, parameter = ''] of text.matchAll(macroParameters)) scan.defined.add(parameter);
  const first = match(scan, variableBegins, open)?.[1];
  if (['set', 'define', 'foreach'].includes(name) && first !== undefined) scan.defined.add(first);
  const [, alias, sign, of, steps = ''] = aliasHead.exec(text) ?? [];
  if (alias !== undefined && of !== undefined)
    scan.aliases.push({ name: alias, of: { name: of, steps }, isItem: sign === 'in' });
  if (name !== 'if' && name !== 'elseif') return;
  for (const [, left = '', leftSteps = '', number, quoted, single] of text.matchAll(comparison)) {
    const value = number === undefined ? (quoted ?? single ?? '') : Number(number);
    scan.comparisons.push({ reference: { name: left, steps: leftSteps }, value });
  }
}

function report({ problems }: Scan, problem: VelocityProblem): void {
  if (problems.length < maxProblems) problems.push(problem);
}

function match(scan: Scan, sticky: RegExp, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(scan.text);
}
