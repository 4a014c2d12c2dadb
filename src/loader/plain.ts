import { CST, type Schema } from 'yaml';
import type { Json, JsonObject } from '../model/json.ts';
import { isSpecialKey, joined } from './tree.ts';

/** A document's value, and where it begins. */
export interface PlainDocument {
  readonly offset: number;
  readonly value: JsonObject;
}

/**
 * The documents of a file, read straight from its tokens, where they are mappings of names to texts on lines of their
 * own, as most manifests are. `null` where anything else stands in the file, be it sound or not: then composing it
 * tells.
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
  const value = readMap(root, schema);
  return value && { offset: root.offset, value };
}

/** Manifests are not deeper; what is goes to the composer, which has a limit of its own. */
const deepest = 10;

function readMap({ indent, items }: CST.BlockMap, schema: Schema, depth = 1): JsonObject | null {
  if (depth > deepest) return null;
  const object: Record<string, Json> = {};
  for (const { start, explicitKey, key, sep, value } of items) {
    if (explicitKey || !key || !sep || !value || !start.every(isBlank)) return null;
    const name = key.type === 'scalar' && key.indent === indent ? key.source : null;
    if (name === null || !isName(name, schema) || Object.hasOwn(object, name)) return null;
    const item = readValue(value, sep, indent, schema, depth);
    if (item === null) return null;
    object[name] = item;
  }
  return object;
}

function readValue(
  token: CST.Token,
  [colon, ...gap]: readonly CST.SourceToken[],
  indent: number,
  schema: Schema,
  depth: number,
): string | JsonObject | null {
  if (colon?.type !== 'map-value-ind') return null;
  if (token.type === 'block-map') {
    const isBelow = gap.some(({ type }) => type === 'newline') && token.indent > indent;
    return isBelow && gap.every(isBlank) ? readMap(token, schema, depth + 1) : null;
  }
  return gap.length === 1 && gap[0]?.source === ' ' ? readText(token, schema) : null;
}

/** The text of a scalar; `null` where it means something else, or leaves a question open. */
function readText(token: CST.Token, schema: Schema): string | null {
  switch (token.type) {
    case 'scalar':
      if (!isText(token.source, schema)) return null;
      break;
    case 'single-quoted-scalar':
    case 'double-quoted-scalar':
      break;
    case 'block-scalar':
      return token.props.every((prop) => prop.type === 'block-scalar-header' || prop.type === 'newline')
        ? resolved(token)
        : null;
    default:
      return null;
  }
  return token.source.includes('\n') || !(token.end ?? []).every(isBlank) ? null : resolved(token);
}

function resolved(token: CST.FlowScalar | CST.BlockScalar): string | null {
  let isSound = true;
  const { value } = CST.resolveAsScalar(token, true, () => {
    isSound = false;
  });
  return isSound ? joined(value) : null;
}

/** Blanks, line ends and comments; tabs leave questions open. */
function isBlank({ type, source }: Pick<CST.Token, 'type'> & { readonly source?: string }): boolean {
  return type === 'newline' || type === 'comment' || (type === 'space' && !source?.includes('\t'));
}

const nameForm = /^[A-Za-z][\w.-]{0,99}$/;

function isName(source: string, schema: Schema): boolean {
  return nameForm.test(source) && isText(source, schema) && !isSpecialKey(source);
}

/** Whether a plain scalar is a text, and no number, truth value or null. */
function isText(source: string, schema: Schema): boolean {
  return !schema.tags.some((tag) => tag.default === true && 'test' in tag && tag.test?.test(source));
}
