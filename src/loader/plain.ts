import { CST, type Schema } from 'yaml';
import type { Json, JsonObject } from '../model/json.ts';
import { isSpecialKey, joined } from './tree.ts';

/** A document's value, and where it begins. */
export interface PlainDocument {
  readonly offset: number;
  readonly value: JsonObject;
}

/**
 * The documents of a file, read straight from its tokens, where they are mappings of names to texts, numbers, lists and
 * mappings written as most people write them. `null` where anything else stands in the file, be it sound or not: then
 * composing it tells.
 *
 * Nodes tell where something stands, and to make them costs as much as all the rest of reading a file; the library's
 * own reading of a scalar is used here as it is there.
 */
export function plainDocuments(
  tokens: readonly CST.Token[],
  schema: Schema,
): readonly PlainDocument[] | null {
  const documents: PlainDocument[] = [];
  for (const token of tokens) {
    if (isBlank(token)) continue;
    const document = token.type === 'document' ? readDocument(token, schema) : null;
    if (!document) return null;
    documents.push(document);
  }
  return documents;
}

function readDocument({ start, value: root, end = [] }: CST.Document, schema: Schema): PlainDocument | null {
  if (root?.type !== 'block-map' || root.indent !== 0 || !end.every(isBlank)) return null;
  const marker = start.findIndex(({ type }) => type === 'doc-start');
  const [before, after] = [start.slice(0, Math.max(marker, 0)), start.slice(marker + 1)];
  const isApart = marker === -1 || after.some(({ type }) => type === 'newline');
  if (!isApart || !before.every(isBlank) || !after.every(isBlank)) return null;
  const value = readMap(root, { schema, depth: 1 });
  return value ? { offset: root.offset, value } : null;
}

/** Manifests are not deeper; what is goes to the composer, which has a limit of its own. */
const deepest = 10;

interface Level {
  readonly schema: Schema;
  readonly depth: number;
}

const below = ({ schema, depth }: Level): Level => ({ schema, depth: depth + 1 });

/** A value, or `undefined` where the composer has to tell it. */
type Read<T extends Json = Json> = T | undefined;

function readMap({ indent, items }: CST.BlockMap, level: Level): Read<JsonObject> {
  if (level.depth > deepest) return undefined;
  const object: Record<string, Json> = {};
  for (const { start, explicitKey, key, sep, value } of items) {
    if (explicitKey || !sep || !value || !start.every(isBlank)) return undefined;
    const name = nameIn(key, level);
    if (name === null || indentOf(key) !== indent || Object.hasOwn(object, name)) return undefined;
    const item = readBelowName(value, sep, indent, level);
    if (item === undefined) return undefined;
    object[name] = item;
  }
  return object;
}

/** The value after `name:`, on the same line or on those below. */
function readBelowName(
  token: CST.Token,
  [colon, ...gap]: readonly CST.SourceToken[],
  indent: number,
  level: Level,
): Read {
  if (colon?.type !== 'map-value-ind') return undefined;
  if (token.type !== 'block-map' && token.type !== 'block-seq') {
    return isBlankSign(gap) ? readInline(token, level) : undefined;
  }
  // The items of a list may stand right below its name.
  const least = token.type === 'block-seq' ? indent : indent + 1;
  const isBelow = gap.some(({ type }) => type === 'newline') && token.indent >= least;
  if (!isBelow || !gap.every(isBlank)) return undefined;
  return token.type === 'block-map' ? readMap(token, below(level)) : readList(token, below(level));
}

function readList({ indent, items }: CST.BlockSequence, level: Level): Read<Json[]> {
  if (level.depth > deepest) return undefined;
  const list: Json[] = [];
  for (const { start, value } of items) {
    const dash = start.findIndex(({ type }) => type === 'seq-item-ind');
    const [before, [, ...gap]] = [start.slice(0, dash), start.slice(dash)];
    if (dash === -1 || start[dash]?.indent !== indent || !before.every(isBlank) || !isBlankSign(gap)) {
      return undefined;
    }
    const isMap = value?.type === 'block-map' && value.indent === indent + 2;
    const item = isMap ? readMap(value, below(level)) : value && readInline(value, level);
    if (item === undefined) return undefined;
    list.push(item);
  }
  return list;
}

/** What begins on the line of its name or dash. */
function readInline(token: CST.Token, level: Level): Read {
  if (token.type !== 'flow-collection') return readScalar(token, level.schema);
  const [close, ...rest] = token.end;
  const isClosed = close?.type === (token.start.type === 'flow-seq-start' ? 'flow-seq-end' : 'flow-map-end');
  return isClosed && isLineEnd(rest) ? readFlow(token, below(level)) : undefined;
}

/** What stands in brackets on one line. */
function readFlow({ start: { type }, items }: CST.FlowCollection, level: Level): Read {
  if (level.depth > deepest || !items.every(isSetApart)) return undefined;
  return type === 'flow-seq-start' ? readFlowList(items, level) : readFlowMap(items, level);
}

type FlowItem = CST.FlowCollection['items'][number];

/** Whether a comma is all that stands before the item, but for blanks; none before the first one. */
function isSetApart({ start }: FlowItem, at: number): boolean {
  const gap = start.slice(at === 0 ? 0 : 1);
  return (at === 0 || start[0]?.type === 'comma') && gap.every(isSpace);
}

function readFlowList(items: readonly FlowItem[], level: Level): Read<Json[]> {
  const list: Json[] = [];
  for (const { key, sep, value } of items) {
    const item = key || sep ? undefined : readFlowValue(value, level);
    if (item === undefined) return undefined;
    list.push(item);
  }
  return list;
}

function readFlowMap(items: readonly FlowItem[], level: Level): Read<JsonObject> {
  const object: Record<string, Json> = {};
  for (const { key, sep = [], value } of items) {
    const name = nameIn(key, level);
    const [colon, ...gap] = sep;
    if (name === null || Object.hasOwn(object, name)) return undefined;
    if (colon?.type !== 'map-value-ind' || !isBlankSign(gap)) return undefined;
    const item = readFlowValue(value, level);
    if (item === undefined) return undefined;
    object[name] = item;
  }
  return object;
}

function readFlowValue(value: CST.Token | undefined, level: Level): Read {
  return value && endsOnItsLine(value) ? readInline(value, level) : undefined;
}

/** Nothing in brackets leaves their line, with the comments and indents that would bring. */
function endsOnItsLine(token: CST.Token): boolean {
  return !('end' in token) || (token.end ?? []).every(({ type }) => type !== 'newline' && type !== 'comment');
}

function nameIn(key: CST.Token | null | undefined, { schema }: Level): string | null {
  return key?.type === 'scalar' && isName(key.source, schema) ? key.source : null;
}

function indentOf(token: CST.Token | null | undefined): number | null {
  return token && 'indent' in token ? token.indent : null;
}

function readScalar(token: CST.Token, schema: Schema): Read {
  switch (token.type) {
    case 'scalar':
      if (!isText(token.source, schema)) return isOnOneLine(token) ? readPlainly(token.source) : undefined;
      break;
    case 'single-quoted-scalar':
    case 'double-quoted-scalar':
      break;
    case 'block-scalar':
      return token.props.every((prop) => prop.type === 'block-scalar-header' || prop.type === 'newline')
        ? resolved(token)
        : undefined;
    default:
      return undefined;
  }
  return isOnOneLine(token) ? resolved(token) : undefined;
}

function isOnOneLine({ source, end }: CST.FlowScalar): boolean {
  return !source.includes('\n') && isLineEnd(end ?? []);
}

/** What is no text and can be nothing else; other notations of numbers and the like are left to the composer. */
function readPlainly(source: string): Read {
  if (source === 'true' || source === 'false') return source === 'true';
  if (source === 'null') return null;
  return /^(0|-?[1-9]\d{0,14})$/.test(source) ? Number(source) : undefined;
}

function resolved(token: CST.FlowScalar | CST.BlockScalar): Read<string> {
  let isSound = true;
  const { value } = CST.resolveAsScalar(token, true, () => {
    isSound = false;
  });
  return isSound ? joined(value) : undefined;
}

/** Blanks, line ends and comments; tabs leave questions open. */
function isBlank({ type, source }: Pick<CST.Token, 'type'> & { readonly source?: string }): boolean {
  return type === 'newline' || type === 'comment' || (type === 'space' && !source?.includes('\t'));
}

/** What may follow a value: a comment not right behind it. */
function isLineEnd(end: readonly CST.SourceToken[]): boolean {
  return end[0]?.type !== 'comment' && end.every(isBlank);
}

const isSpace = ({ type, source }: CST.SourceToken) => type === 'space' && !source.includes('\t');

/** A single blank, and nothing else. */
function isBlankSign(gap: readonly CST.SourceToken[]): boolean {
  return gap.length === 1 && gap[0]?.source === ' ';
}

const nameForm = /^[A-Za-z][\w.-]{0,99}$/;

function isName(source: string, schema: Schema): boolean {
  return nameForm.test(source) && isText(source, schema) && !isSpecialKey(source);
}

/** What begins so is no number, truth value or null, which spares trying the notations of each. */
const surelyText = /^[a-eg-mo-su-zA-EG-MO-SU-Z]/;

/** Whether a plain scalar is a text, and no number, truth value or null. */
function isText(source: string, schema: Schema): boolean {
  return (
    surelyText.test(source) ||
    !schema.tags.some((tag) => tag.default === true && 'test' in tag && tag.test?.test(source))
  );
}
