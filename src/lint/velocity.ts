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

interface Scan {
  readonly text: string;
  /** Where reading continues. */
  position: number;
  /** The references that were noted, each with its steps. */
  readonly noted: Set<string>;
  readonly blocks: OpenBlock[];
  /** At most {@link maxProblems}. */
  readonly problems: VelocityProblem[];
  /** Each variable with the same steps once, where it first occurs. */
  readonly references: Reference[];
  /** Variables that the text itself gives a value. */
  readonly defined: Set<string>;
  readonly aliases: Alias[];
  /** Comparisons of references with constants, in conditions. */
  readonly comparisons: ValueComparison[];
  /** Rendering then changes more than references. */
  hasDirectives: boolean;
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
export function scanVelocity(text: string): Readonly<Scan> {
  const scan: Scan = {
    text,
    position: 0,
    noted: new Set(),
    blocks: [],
    problems: [],
    references: [],
    defined: new Set(),
    aliases: [],
    comparisons: [],
    hasDirectives: false,
  };
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
  const found = noteReference(scan, at);
  if (!found) return;
  if (found.brace !== null) {
    const close = findClose(scan, found.brace, '\n');
    if (close !== null) {
      scan.position = close;
      return;
    }
    // It should be closed on its line: reading continues on the next one.
    const message = 'This `${` is not closed.';
    report(scan, { code: 'velocity-syntax', offset: at, message, hint: 'Add the `}`.' });
    const end = scan.text.indexOf('\n', found.brace);
    scan.position = end === -1 ? scan.text.length : end;
    return;
  }
  let { end } = found;
  for (let next = match(scan, member, end); next; next = match(scan, member, end)) {
    end += next[0].length;
    if (scan.text[end] !== '(') continue;
    const close = findClose(scan, end);
    if (close === null) {
      lose(scan, at, 'The parentheses of this call are not closed.', 'Add the `)`.');
      return;
    }
    end = close;
  }
  scan.position = end;
}

/** Notes the reference at `at`, unless the same one was noted before. */
function noteReference(scan: Scan, at: number) {
  const [whole, brace, name = ''] = match(scan, variable, at) ?? [];
  if (whole === undefined) return null;
  const end = at + whole.length;
  const [steps = ''] = match(scan, followingSteps, end) ?? [];
  if (!scan.noted.has(name + steps)) {
    scan.noted.add(name + steps);
    scan.references.push({ name, member: /^\.(\w+)/.exec(steps)?.[1] ?? null, steps, offset: at });
  }
  return { brace: brace === '{' ? at + whole.indexOf('{') : null, end };
}

/**
 * The offset after the bracket that closes the one at `open`; `null` if it is not closed, or not before `limit`. Notes
 * the references inside. Brackets in strings do not count; a `'…'` string has no references.
 */
function findClose(scan: Scan, open: number, limit?: string): number | null {
  let depth = 0;
  let quote = '';
  for (let at = open; at < scan.text.length; at += 1) {
    const sign = scan.text.charAt(at);
    if (sign === limit) return null;
    if (sign === '$' && quote !== "'") {
      const found = noteReference(scan, at);
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

function readHash(scan: Scan, at: number): void {
  const [begin, end, name] = skipped.find(([begin]) => scan.text.startsWith(begin, at)) ?? [];
  if (begin === undefined) {
    readDirective(scan, at);
    return;
  }
  const found = scan.text.indexOf(end, at + 2);
  if (found !== -1) scan.position = found + end.length;
  else if (name === null) scan.position = scan.text.length;
  else lose(scan, at, `This ${name} is not closed.`, `Add the \`${end}\`.`);
}

function readDirective(scan: Scan, at: number): void {
  const [whole, formal, plain = ''] = match(scan, plainDirective, at) ?? [];
  if (whole === undefined) return;
  const end = at + whole.length;
  if (formal === undefined && match(scan, hyphenatedWord, end)) return;
  const isCall = whole.startsWith('#@');
  const name = isCall ? `@${plain}` : (formal ?? plain);
  const directive = isCall ? blockCall : get(directives, name);
  if (!directive || (isCall && scan.text[end] !== '(')) return;
  scan.hasDirectives = true;
  scan.position = end;
  if (name === 'end' && !scan.blocks.pop()) {
    const hint = 'Remove it, or write `\\#end` for the word itself.';
    report(scan, { code: 'velocity-unopened', offset: at, message: 'This `#end` has no open block.', hint });
  }
  if (name === 'else' || name === 'elseif') {
    const block = scan.blocks.at(-1);
    const message = `There is no open \`#if\` that this \`#${name}\` could belong to.`;
    if (block && !block.hasElse && ['if', 'foreach'].includes(block.name)) block.hasElse = name === 'else';
    else report(scan, { code: 'velocity-unopened', offset: at, message, hint: null });
  }
  if (directive.opens) scan.blocks.push({ name, offset: at, hasElse: false });
  if (directive.example !== undefined) readArguments(scan, name, directive.example, at);
}

function readArguments(scan: Scan, name: string, example: string, at: number): void {
  const begin = match(scan, argumentsBegin, scan.position);
  if (!begin) {
    const hint = `Write \`${example}\`, or \`\\#${name}\` for the word itself.`;
    report(scan, { code: 'velocity-syntax', offset: at, message: `\`#${name}\` has no parentheses.`, hint });
    return;
  }
  const open = scan.position + begin[0].length - 1;
  const close = findClose(scan, open);
  if (close === null) {
    lose(scan, at, `The parentheses of this \`#${name}\` are not closed.`, 'Add the `)`, or a quote.');
    return;
  }
  scan.position = close;
  readNames(scan, name, open, close);
  if (name === 'foreach' && !match(scan, loopHead, open)) {
    const message = '`#foreach` does not say what to iterate over.';
    report(scan, { code: 'velocity-syntax', offset: at, message, hint: `Write \`${example}\`.` });
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

/** Reports a problem after which the rest of the text cannot be read. */
function lose(scan: Scan, at: number, message: string, hint: string): void {
  report(scan, { code: 'velocity-syntax', offset: at, message, hint });
  scan.blocks.length = 0;
  scan.position = scan.text.length;
}

function report({ problems }: Scan, problem: VelocityProblem): void {
  if (problems.length < maxProblems) problems.push(problem);
}

function match(scan: Scan, sticky: RegExp, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(scan.text);
}

/** `#@name(…) … #end` calls a macro with a body. */
const blockCall: Directive = { example: '#@name(…)', opens: true };
