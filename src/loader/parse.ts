import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  isCollection,
  isNode,
  isScalar,
  type Node,
  type ParseOptions,
  Parser,
  Schema,
  type SchemaOptions,
  visit,
  type YAMLError,
} from 'yaml';
import { hasCode } from '../model/failure.ts';
import { lineEnd, lineStart, type Place, type Problem, Problems, SourceFile } from './problems.ts';
import type { FileSource } from './source.ts';
import { findNode, type YamlDocument } from './tree.ts';

/** A byte order mark at the start of a further document: files were joined. */
const innerMark = /^\uFEFF(?=---(?:\s|$))|\uFEFF(?<=^---[ \t]*\r?\n\uFEFF)/gm;

export function openFile(source: FileSource, path: string, problems: Problems): SourceFile | null {
  try {
    return new SourceFile(path, source.text(path).replace(innerMark, ''));
  } catch (error) {
    // Where it stops being UTF-8; its beginning, without a line to show, if it cannot be read at all.
    const text = hasCode(error, 'not-utf8') ? source.text(path, true) : '';
    const offset = Math.max(0, text.indexOf('\uFFFD'));
    problems.addFailure(error, { file: new SourceFile(path, text), offset });
    return null;
  }
}

/** The document of a file that must contain exactly one; `emptyHint` says what to do if it has none. Problems are reported. */
export function openSingle(
  source: FileSource,
  path: string,
  problems: Problems,
  emptyHint: string,
): YamlDocument | null {
  const file = openFile(source, path, problems);
  if (!file) return null;
  const before = problems.count;
  const [document, second] = parseDocuments(file, problems);
  if (second) {
    const { place } = findNode(second, '');
    const hint = 'Remove the `---`.';
    problems.add('second-document', 'This file may contain only one document.', place, { hint });
  }
  if (!document && problems.count === before)
    problems.add('empty-file', `${path} is empty.`, { file, offset: 0 }, { hint: emptyHint });
  return document ?? null;
}

/** Deeper nesting is refused before it reaches the composer, which is recursive. */
const maxDepth = 100;
/** Further errors of a document are mostly consequences of the first ones. */
const maxSyntaxErrors = 3;

export const tagNames = ['!var', '!env', '!secret', '!file', '!format', '!lookup', '!ref'] as const;

/**
 * One schema for all documents. Known tags cause no warnings, which are expensive to make. They are not custom tags,
 * because the library would try those on every plain scalar.
 */
const schema = new Schema({ schema: 'core', resolveKnownTags: true });
schema.knownTags = {
  ...schema.knownTags,
  ...Object.fromEntries(tagNames.map((tag) => [tag, { tag, resolve: String }])),
  '!lookup': { tag: '!lookup', collection: 'map' },
};
const word = /^(?!(?:[Nn]ull|NULL|[Tt]rue|TRUE|[Ff]alse|FALSE)$)[A-Za-z_]/;
// Nearly all plain scalars are words. Without this, each is first tried as eight other things.
for (const tag of schema.tags.filter(({ tag }) => tag === 'tag:yaml.org,2002:str'))
  if (!tag.collection) schema.tags.unshift({ ...tag, test: word });

export const yamlOptions: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.2',
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
  schema,
};

/**
 * Composes the documents of a file. Empty documents are left out. Duplicate keys and unknown tags are found later by
 * `readTree`: the library's own check of keys is quadratic.
 */
export function parseDocuments(file: SourceFile, problems: Problems, withErrors = false): YamlDocument[] {
  const tokens = [...new Parser().parse(file.text)];
  const deep = tokens.map(findTooDeep).find((offset) => offset !== null);
  // The library composes what is nested by recursion.
  if (deep !== undefined) {
    const message = `The file is nested more than ${maxDepth} levels deep.`;
    problems.add('too-deep', message, { file, offset: deep });
    return [];
  }
  const documents = [...new Composer(yamlOptions).compose(tokens)];
  const isRead = documents.every(({ errors }) => errors.length === 0);
  const conflict = isRead ? -1 : file.text.search(conflictMarker);
  if (conflict >= 0) problems.report(conflictWords, { file, offset: conflict });
  return documents.flatMap((document) => {
    const { contents: root, errors } = document;
    // What follows a conflict is a consequence of it.
    const isValid = conflict >= 0 ? errors.length === 0 : checkDocument(document, file, problems);
    const isWanted = isValid || withErrors;
    if (!isWanted || !root) return [];
    const isEmpty = isScalar(root) && root.source === '' && root.tag === undefined;
    return isEmpty ? [] : [{ file, root, offset: findNode({ file, root }, '').place.offset }];
  });
}

/** The documents of the file that was opened again last: messages come file by file. */
let reopened: { readonly file: SourceFile; readonly byOffset: ReadonlyMap<number, YamlDocument> } | null =
  null;

/**
 * Parses the document at a place again, for the position of one of its values. Nodes take up to a hundred times as much
 * memory as their text, and most are never needed again once a manifest has been read.
 */
export function reopenDocument({ file, offset }: Place): YamlDocument {
  if (reopened?.file !== file) {
    const documents = parseDocuments(file, new Problems(), true);
    reopened = { file, byOffset: new Map(documents.map((document) => [document.offset, document])) };
  }
  const found = reopened.byOffset.get(offset);
  if (!found) throw new Error(`${file.path} has no document at ${offset}.`);
  return found;
}

function checkDocument(document: Document.Parsed, file: SourceFile, problems: Problems): boolean {
  const { explicit, version } = document.directives.yaml;
  if (explicit && version !== '1.2') {
    const offset = Math.max(0, file.text.indexOf('%YAML'));
    const message = `Only YAML 1.2 is supported; YAML ${version} reads some values differently.`;
    problems.add('yaml-version', message, { file, offset }, { hint: 'Remove the %YAML line.' });
    return false;
  }
  // Further errors on a line are mostly consequences of its first one.
  const lines = new Set<number>();
  let reported = 0;
  for (const error of document.errors) {
    const stopped = file.at(error.pos[0]).line;
    // Explaining an error takes longer the longer the file is, and a line may have thousands.
    if (lines.has(stopped)) continue;
    const { message, hint, place } = explainSyntax(error, document, file);
    const { line } = file.at(place.offset);
    const isFirst = !lines.has(line);
    lines.add(stopped).add(line);
    if (!isFirst) continue;
    problems.add('yaml-syntax', message, place, { hint });
    reported += 1;
    if (reported === maxSyntaxErrors) break;
  }
  return document.errors.length === 0;
}

/** The offset at which the nesting gets too deep, or `null`. Not recursive itself. */
function findTooDeep(token: CST.Token): number | null {
  if (token.type !== 'document' || !token.value) return null;
  const open: [CST.Token, number][] = [[token.value, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [{ offset }, depth] = next;
    if (depth > maxDepth) return offset;
    if (!('items' in next[0])) continue;
    for (const { key, value } of next[0].items) {
      // Only collections can be nested further.
      for (const inner of [key, value]) if (inner && 'items' in inner) open.push([inner, depth + 1]);
    }
  }
  return null;
}

interface Slip {
  readonly document: Document.Parsed;
  readonly text: string;
  readonly at: number;
}

interface Words extends Omit<Problem, 'code'> {
  /** Left out: the place where the library stopped. */
  readonly at?: number;
}

/** The first blank that YAML does not count as a space, as texts from web pages have, or `null`. */
export function findOddBlank(text: string): { readonly at: number; readonly name: string } | null {
  const at = text.search(/[\u00a0\u2000-\u200b\u202f\u205f\u3000\ufeff]/);
  if (at < 0) return null;
  return { at, name: `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}` };
}

/** Explains an error of the library. No value of the file is part of the words: it might be a secret. */
function explainSyntax(
  { code, message, pos }: YAMLError,
  document: Document.Parsed,
  file: SourceFile,
): Omit<Problem, 'code'> & { readonly place: Place } {
  const slip: Slip = { document, text: file.text, at: pos[0] };
  const [, explain] = explanations.find(([error]) => error.test(`${code}: ${message}`)) ?? [];
  // The library ends some of its messages with what it could not read.
  const said = message.replace(/ in YAML stream: .*/s, '');
  const found = typeof explain === 'function' ? explain(slip) : explain;
  const words: Words = found ?? { message: `YAML: ${said}.`, hint: null };
  return { message: words.message, hint: words.hint, place: { file, offset: words.at ?? slip.at } };
}

const conflictMarker = /^(?:<{7}|={7}|>{7})(?= |\r?$)/m;
const conflictWords: Problem = {
  code: 'yaml-syntax',
  message: 'The file contains the markers of a merge conflict.',
  hint: 'Keep one side of each conflict, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.',
};

const inQuotes = 'Put the text in quotes.';
const inColumn =
  'Begin all fields of a mapping in the same column, and all items of a list with `- ` in the same column.';

/** The words for an error, by its code and the library's own words. The first that fits counts. */
const explanations: readonly (readonly [RegExp, Words | ((slip: Slip) => Words)])[] = [
  [/^TAB_AS_INDENT/, { message: 'This line is indented with a tab.', hint: 'Indent it with spaces.' }],
  [
    /^(?:BAD_INDENT|MISSING_CHAR): Flow /,
    (slip) => explainUnclosed(slip, (node) => isCollection(node) && node.flow === true),
  ],
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
    {
      message: 'A comma is missing here, between two settings in braces.',
      hint: 'Separate the settings by commas. Put a text that contains `: ` in quotes.',
    },
  ],
  [
    /^MISSING_CHAR.*quote$/,
    (slip) => explainUnclosed(slip, (node) => isScalar(node) && /^QUOTE/.test(node.type ?? '')),
  ],
  [/^MULTILINE_IMPLICIT_KEY|^MISSING_CHAR: Implicit map keys/, explainNoColon],
  [/^UNEXPECTED_TOKEN.*at node end/, explainEnd],
  [
    /^UNEXPECTED_TOKEN: (?:Block scalar header|Not a YAML token)/,
    {
      message: 'A text after `|` or `>` must begin on the next line.',
      hint: 'Put it there, indented. Or put a text that begins with `|` or `>` in quotes.',
    },
  ],
  [
    /^UNEXPECTED_TOKEN: Unexpected flow-(?:seq|map)-end/,
    ({ text, at }) => ({
      message: `No bracket is open that this \`${text.charAt(at)}\` could close.`,
      hint: 'Remove it.',
    }),
  ],
  [
    /^BAD_SCALAR_START/,
    ({ text, at }) => ({
      message: `A text can begin with \`${text.charAt(at)}\` only in quotes.`,
      hint: inQuotes,
    }),
  ],
];

/** A mapping instead of a single value: a text with a colon, or a line with the wrong indentation. */
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

const closings: Readonly<Record<string, readonly [what: string, end: string]>> = {
  '[': ['list', ']'],
  '{': ['mapping', '}'],
};

/** At the innermost node around the error that `isWanted`, and that has no end. */
function explainUnclosed({ document, text, at }: Slip, isWanted: (node: Node) => boolean): Words {
  let open = at;
  visit(document, (_key, node) => {
    if (!isNode(node) || !node.range || !isWanted(node)) return;
    const [from, , to] = node.range;
    if (from <= at && at <= to) open = from;
  });
  const mark = text.charAt(open);
  const [what, end] = closings[mark] ?? [`quote (${mark})`, mark];
  return {
    at: open,
    message: `The ${what} that begins here is not closed.`,
    hint: `Close it with \`${end}\`.`,
  };
}

function explainNoColon(slip: Slip): Words {
  const { text, at } = slip;
  // It begins after a colon: the value goes on in the next line.
  if (text.slice(lineStart(text, at), at).trim() !== '') return explainNesting(slip);
  const line = text.slice(at, lineEnd(text, at));
  const [name] = /^[\w.-]+:(?=\S)/.exec(line) ?? [];
  if (name !== undefined)
    return { at: at + name.length, message: 'A colon needs a space after it.', hint: 'Write `name: value`.' };
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
  if (before.trim() === '')
    return { message: 'This line does not belong to the list or mapping above.', hint: inColumn };
  const [, first = ''] = /^\s*(?:- +)*(?:[\w.-]+: +)?(.)/.exec(before) ?? [];
  return { message: 'The value ends before this text.', hint: trailingHints[first] ?? inQuotes };
}

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
