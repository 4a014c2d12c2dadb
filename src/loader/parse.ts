import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  isScalar,
  type ParsedNode,
  type ParseOptions,
  Parser,
  Schema,
  type SchemaOptions,
  type YAMLError,
} from 'yaml';
import type { SourceFile } from './file.ts';
import type { Problems } from './problems.ts';
import { tagNames } from './tags.ts';
import { placeOfNode, type YamlDocument } from './tree.ts';

/** Deeper nesting is refused before the parser, which recurses, sees it. */
const deepest = 100;
/** Errors after the third are mostly consequences of the first. */
const mostSyntaxErrors = 3;

/** How scalars are read: YAML 1.2, and our tags. */
const schema = schemaWithTags();

const options: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.2',
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
  schema,
};

/**
 * One for all documents. A tag that it knows raises no warning, which would cost as much as a page of text; as a custom
 * tag it would be tried on every plain text.
 */
function schemaWithTags(): Schema {
  const schema = new Schema({ schema: 'core', resolveKnownTags: true });
  const known = tagNames.map((tag) => [tag, { tag, resolve: (text: string) => text }] as const);
  schema.knownTags = {
    ...schema.knownTags,
    ...Object.fromEntries(known),
    '!lookup': { tag: '!lookup', collection: 'map' },
  };
  return schema;
}

/**
 * The documents of a file, without the empty ones; those with errors are reported and left out. Duplicate keys and
 * unknown tags are found later, when nodes become values: the parser's own check of keys is quadratic.
 */
export function parseDocuments(file: SourceFile, problems: Problems): YamlDocument[] {
  return composeDocuments(file, problems).flatMap(({ document, isSound }) => (isSound ? [document] : []));
}

/** Like {@link parseDocuments}, but includes documents with syntax errors, as far as they can be read. */
export function parseIncomplete(file: SourceFile, problems: Problems): YamlDocument[] {
  return composeDocuments(file, problems).map(({ document }) => document);
}

function composeDocuments(
  file: SourceFile,
  problems: Problems,
): { readonly document: YamlDocument; readonly isSound: boolean }[] {
  const tokens = unlessTooComplex(file, problems, () => [...new Parser().parse(file.text)]) ?? [];
  const deep = tokens.map(tooDeep).find((offset) => offset !== null);
  if (deep !== undefined) {
    const message = `The file is nested more than ${deepest} levels deep`;
    problems.add('too-deep', message, { file, offset: deep ?? 0 });
    return [];
  }
  const composed = unlessTooComplex(file, problems, () => [...new Composer(options).compose(tokens)]);
  return (composed ?? []).flatMap((document) => {
    const { contents: root } = document;
    const isSound = checkSyntax(document, file, problems);
    if (!root || isBlank(root)) return [];
    return [{ document: { file, root, offset: placeOfNode(root, file).offset }, isSound }];
  });
}

/** The parser spreads long lists over a call's arguments and so exhausts the stack. */
function unlessTooComplex<T>(file: SourceFile, problems: Problems, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const hint = 'Split the file.';
    problems.add(
      'too-complex',
      'The file is too large a puzzle for the parser',
      { file, offset: 0 },
      { hint },
    );
    return null;
  }
}

function checkSyntax(document: Document.Parsed, file: SourceFile, problems: Problems): boolean {
  const { explicit, version } = document.directives.yaml;
  if (explicit && version !== '1.2') {
    const offset = Math.max(0, file.text.indexOf('%YAML'));
    problems.add(
      'yaml-version',
      `YAML ${version} reads values differently; only YAML 1.2 is read`,
      { file, offset },
      {
        hint: 'Remove the %YAML line.',
      },
    );
    return false;
  }
  // What else is wrong with a line mostly follows from the first error.
  const told = new Set<number>();
  for (const error of document.errors) {
    const { line } = file.at(error.pos[0]);
    if (told.has(line)) continue;
    addSyntaxError(error, file, problems);
    if (told.add(line).size === mostSyntaxErrors) break;
  }
  return document.errors.length === 0;
}

function addSyntaxError({ code, message, pos }: YAMLError, file: SourceFile, problems: Problems): void {
  const hint = syntaxHints[code];
  problems.add('yaml-syntax', message, { file, offset: pos[0] }, hint === undefined ? {} : { hint });
}

const syntaxHints: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BLOCK_AS_IMPLICIT_KEY: 'Put text that contains `: ` in quotes.',
  BAD_SCALAR_START: 'Put the text in quotes.',
  TAB_AS_INDENT: 'Indent with blanks.',
  MULTILINE_IMPLICIT_KEY: 'Is a colon missing, or quotes?',
};

function isBlank(root: ParsedNode): boolean {
  return isScalar(root) && root.source === '' && root.tag === undefined && root.anchor === undefined;
}

/** Where the nesting goes too deep, or `null`; without recursion. */
function tooDeep(token: CST.Token): number | null {
  if (token.type !== 'document' || !token.value) return null;
  const open: [CST.Token, number][] = [[token.value, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [{ offset }, depth] = next;
    if (depth > deepest) return offset;
    if (!('items' in next[0])) continue;
    for (const { key, value } of next[0].items) {
      // A collection alone can hold more.
      for (const inner of [key, value]) if (inner && 'items' in inner) open.push([inner, depth + 1]);
    }
  }
  return null;
}
