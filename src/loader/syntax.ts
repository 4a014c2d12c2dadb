import { type Document, isCollection, isNode, isScalar, Scalar, visit, type YAMLError } from 'yaml';
import { lineEnd, lineStart, type Place, type SourceFile } from './file.ts';
import type { Problem } from './problems.ts';

/** A mistake in YAML, in words for people who do not know the grammar of YAML. */
interface SyntaxProblem extends Omit<Problem, 'code'> {
  readonly place: Place;
}

interface Slip {
  readonly document: Document.Parsed;
  readonly text: string;
  readonly at: number;
}

interface Words extends Omit<Problem, 'code'> {
  /** Left out: where the library stopped. */
  readonly at?: number;
}

/** The first blank that YAML does not count as a space, as texts from web pages have, or `null`. */
export function findOddBlank(text: string): { readonly at: number; readonly name: string } | null {
  const at = text.search(/[\u00a0\u2000-\u200b\u202f\u205f\u3000\ufeff]/);
  if (at < 0) return null;
  return { at, name: `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}` };
}

/** Explains an error of the library. No value of the file is part of the words: it might be a secret. */
export function explainSyntax(
  { code, message, pos }: YAMLError,
  document: Document.Parsed,
  file: SourceFile,
): SyntaxProblem {
  const conflict = file.text.search(conflictMarker);
  if (conflict >= 0) return { ...conflictWords, place: { file, offset: conflict } };
  const slip: Slip = { document, text: file.text, at: pos[0] };
  const [, explain] = explanations.find(([error]) => error.test(`${code}: ${message}`)) ?? [];
  // The library ends some of its messages with what it could not read.
  const said = message.replace(/ in YAML stream: .*/s, '');
  const words = explain?.(slip) ?? { message: `YAML: ${said}.`, hint: null };
  return { message: words.message, hint: words.hint, place: { file, offset: words.at ?? slip.at } };
}

/** The lines that git writes around the two sides of a conflict. */
const conflictMarker = /^(?:<{7}|={7}|>{7})(?= |\r?$)/m;
const conflictWords: Words = {
  message: 'The file contains the markers of a merge conflict.',
  hint: 'Keep one side of each conflict, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.',
};

const inQuotes = 'Put the text in quotes.';
const inColumn =
  'Begin all fields of a mapping in the same column, and all items of a list with `- ` in the same column.';

const say = (message: string, hint: string) => (): Words => ({ message, hint });

/** The words for an error, by its code and the library's own words. The first that fits counts. */
const explanations: readonly (readonly [RegExp, (slip: Slip) => Words])[] = [
  [/^TAB_AS_INDENT/, say('This line is indented with a tab.', 'Indent it with spaces.')],
  [/^(?:BAD_INDENT|MISSING_CHAR): Flow /, explainUnclosed],
  [
    /^BAD_INDENT|^BLOCK_AS_IMPLICIT_KEY.*sequence/,
    (slip) => ({
      at: firstAfterBlanks(slip),
      message: 'This line does not begin in the same column as the lines that it belongs to.',
      hint: inColumn,
    }),
  ],
  [/^BLOCK_AS_IMPLICIT_KEY/, explainNesting],
  [
    /^BLOCK_IN_FLOW/,
    say(
      'A comma is missing here, between two settings in braces.',
      'Separate the settings by commas. Put a text that contains `: ` in quotes.',
    ),
  ],
  [/^MISSING_CHAR.*quote$/, explainOpenQuote],
  [/^MULTILINE_IMPLICIT_KEY|^MISSING_CHAR: Implicit map keys/, explainNoColon],
  [/^MISSING_CHAR: Missing ,/, say('A comma is missing before this.', 'Separate the items by commas.')],
  [
    /^MISSING_CHAR: Comments/,
    say('A comment needs a space before its `#`.', 'Put a text that contains `#` in quotes.'),
  ],
  [/^UNEXPECTED_TOKEN.*at node end/, explainEnd],
  [
    /^UNEXPECTED_TOKEN: (?:Block scalar header|Not a YAML token)/,
    say(
      'A text after `|` or `>` must begin on the next line.',
      'Put it there, indented. Or put a text that begins with `|` or `>` in quotes.',
    ),
  ],
  [
    /^UNEXPECTED_TOKEN: Unexpected flow-(?:seq|map)-end/,
    ({ text, at }) => ({
      message: `No bracket is open that this \`${text.charAt(at)}\` could close.`,
      hint: 'Remove it.',
    }),
  ],
  [
    /^UNEXPECTED_TOKEN.*same line with key/,
    say('A list must begin on a line of its own.', 'Put the `-` on the next line.'),
  ],
  [/^UNEXPECTED_TOKEN: Unexpected (?:,|empty item) in/, say('There is one comma too many.', 'Remove it.')],
  [
    /^BAD_SCALAR_START/,
    ({ text, at }) => ({
      message: `A text can begin with \`${text.charAt(at)}\` only in quotes.`,
      hint: inQuotes,
    }),
  ],
  [
    /^BAD_ALIAS/,
    say(
      'The name of an alias (`*`) or anchor (`&`) is missing or ends in a colon.',
      'If it is text, put it in quotes.',
    ),
  ],
  [
    /^BAD_DQ_ESCAPE/,
    say('YAML has no such escape with `\\`.', 'Write a backslash as `\\\\`, or use single quotes.'),
  ],
];

/** A mapping where one value was expected: a text with a colon, or a line with the wrong indentation. */
function explainNesting({ text, at }: Slip): Words {
  const end = lineEnd(text, at);
  if (/:(?:\s|$)/.test(text.slice(at, end))) {
    return {
      message: 'This text contains a colon followed by a space, so it is not one value.',
      hint: inQuotes,
    };
  }
  return {
    at: firstAfterBlanks({ text, at: Math.min(end + 1, text.length) }),
    message: 'This line is indented further than the line above, which already has a value.',
    hint: inColumn,
  };
}

function explainOpenQuote({ document, text, at }: Slip): Words {
  const open = startsAround(
    document,
    at,
    (node) => isScalar(node) && (node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE),
  );
  const quote = text.charAt(open);
  return {
    at: open,
    message: `The quote (${quote}) that begins here is not closed.`,
    hint: `Close it with ${quote}.`,
  };
}

function explainUnclosed({ document, text, at }: Slip): Words {
  const open = startsAround(document, at, (node) => isCollection(node) && node.flow === true);
  const [what, end] = text.charAt(open) === '[' ? ['list', ']'] : ['mapping', '}'];
  return {
    at: open,
    message: `The ${what} that begins here is not closed.`,
    hint: `Close it with \`${end}\`.`,
  };
}

/** Where the innermost node around an offset begins, of those that are wanted. */
function startsAround(document: Document.Parsed, at: number, isWanted: (node: unknown) => boolean): number {
  let start = at;
  visit(document, (_key, node) => {
    if (!isNode(node) || !node.range || !isWanted(node)) return;
    const [from, , to] = node.range;
    if (from <= at && at <= to) start = from;
  });
  return start;
}

function explainNoColon(slip: Slip): Words {
  const { text, at } = slip;
  // It begins after a colon: the value goes on in the next line.
  if (text.slice(lineStart(text, at), at).trim() !== '') return explainNesting(slip);
  const line = text.slice(at, lineEnd(text, at));
  const [name] = /^[\w.-]+:(?=\S)/.exec(line) ?? [];
  if (name !== undefined) {
    return { at: at + name.length, message: 'A colon needs a space after it.', hint: 'Write `name: value`.' };
  }
  const blank = findOddBlank(line);
  if (blank) {
    return {
      at: at + blank.at,
      message: `This space is the character ${blank.name}, which YAML does not count as one.`,
      hint: 'Replace it with an ordinary space. Text copied from web pages often contains such characters.',
    };
  }
  const above = text.slice(0, lineStart(text, at)).trimEnd();
  if (/(?:^|\s)[|>][-+\d]{0,2}$/.test(above)) {
    return {
      message: 'This line belongs to the text that begins above, and must be indented.',
      hint: 'Indent every line of a text after `|` or `>`.',
    };
  }
  return {
    message: 'This line has no colon between a name and a value.',
    hint: 'Write `name: value`. If the line continues the text above, indent it.',
  };
}

function explainEnd({ text, at }: Slip): Words {
  const before = text.slice(lineStart(text, at), at);
  if (before.trim() === '') {
    return { message: 'This line does not belong to the list or mapping above.', hint: inColumn };
  }
  const [, first = ''] = /^\s*(?:- +)*(?:[\w.-]+: +)?(.)/.exec(before) ?? [];
  return { message: 'The value ends before this text.', hint: trailingHints[first] ?? inQuotes };
}

/** Hints about text after a value, by the value's first character. */
const trailingHints: Readonly<Record<string, string>> = {
  "'": "Write an apostrophe inside single quotes twice: `'It''s time'`. Or use double quotes.",
  '"': 'Put the whole text in quotes, and write a quote inside it as `\\"`.',
  '{': 'Put the whole text in quotes. Without them, `{` begins a mapping.',
  '[': 'Put the whole text in quotes. Without them, `[` begins a list.',
  '*': 'Put the whole text in quotes. Without them, `*` begins an alias.',
};

function firstAfterBlanks({ text, at }: Pick<Slip, 'text' | 'at'>): number {
  return at + (/^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0);
}
