import { Document, type Node, Pair, Scalar, type ScalarTag, YAMLMap, YAMLSeq } from 'yaml';

/** One member of a mapping. */
export type Member = readonly [name: string, value: Printable];

/** A value of a manifest: JSON with tags, and with ordered members. */
export type Printable =
  | null
  | boolean
  | number
  | string
  | readonly Printable[]
  | Mapping
  /** `!secret NAME`, `!file PATH`, `!lookup {…}`. */
  | { readonly tag: string; readonly value: Printable };

export interface Mapping {
  readonly members: readonly Member[];
}

/** One document of a manifest file. */
export interface ManifestDocument extends Mapping {
  /** Comments below the members, one line each. */
  readonly remarks: readonly string[];
}

/** The text of a manifest file. The loader reads exactly the same values from it, whatever characters they contain. */
export function printManifest(documents: readonly ManifestDocument[]): string {
  return documents.map(printDocument).join('---\n');
}

/** A value on one line, in flow style, to be used after a key or inside another flow collection. */
export function printInline(value: Printable): string {
  return print(nodeOf(value), { collectionStyle: 'flow' }).trimEnd();
}

/** A mapping or list in block style, without indentation; ends with a newline. */
export function printBlock(value: Mapping | readonly Printable[]): string {
  return print(nodeOf(value), {});
}

/** Text in double quotes. Characters that are invisible, or that editors and terminals interpret, are escaped. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(
    unseen,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Control characters, line and paragraph separators, byte order mark, and marks of the text direction. */
const unseen = /[\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]/g;

function printDocument({ members, remarks }: ManifestDocument): string {
  const contents = nodeOf({ members });
  if (remarks.length > 0) contents.comment = remarks.map((remark) => ` ${remark}`).join('\n');
  return print(contents, {});
}

function print(contents: Node, style: { collectionStyle?: 'flow' }): string {
  const document = new Document(null, {
    customTags: (tags) => [text, ...tags.filter((tag) => typeof tag === 'string' || tag.tag !== text.tag)],
  });
  document.contents = contents;
  return document.toString({ lineWidth: 0, directives: false, ...style });
}

function nodeOf(value: Printable): Node {
  if (value === null || typeof value !== 'object') return new Scalar(value);
  if ('tag' in value) {
    const node = nodeOf(value.value);
    if (node instanceof Scalar || node instanceof YAMLMap) node.tag = value.tag;
    if (node instanceof YAMLMap) node.flow = true;
    return node;
  }
  if ('members' in value) {
    const map = new YAMLMap();
    map.items = value.members.map(([name, item]) => new Pair(new Scalar(name), nodeOf(item)));
    return map;
  }
  const list = new YAMLSeq();
  list.items = value.map(nodeOf);
  list.flow = value.length === 0;
  return list;
}

/** How text is written: plain if it is unambiguous, as a block if it has several lines, else in double quotes. */
const text: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string',
  resolve: (value) => value,
  stringify(item, { indent, inFlow, implicitKey }) {
    const value = String(item.value);
    if (isPlain(value) && !(inFlow && /[,[\]{}]/.test(value))) return value;
    if (isBlock(value) && !inFlow && !implicitKey) return literalBlock(value, indent);
    return quote(value);
  },
};

/** Whether every YAML parser, also one for YAML 1.1, reads the text without quotes as the same text. */
function isPlain(value: string): boolean {
  return (
    /^[\p{L}\p{N}$_/(]/u.test(value) &&
    !/[\p{C}\p{Zl}\p{Zp}\t\n]|(?! )\p{Zs}|: | #|[: ]$/u.test(value) &&
    !/^[\d_][\d_.:a-fox+\-tz ]*$/i.test(value) &&
    !/^(y|n|yes|no|on|off|true|false|null)$/i.test(value)
  );
}

function literalBlock(value: string, indent: string): string {
  const lines = value.replace(/\n$/, '').split('\n');
  return [value.endsWith('\n') ? '|' : '|-', ...lines.map((line) => line && indent + line)].join('\n');
}

/** Whether a text of several lines can be a block that no editor changes. */
function isBlock(value: string): boolean {
  return /^\S.*\n/.test(value) && !/[ \t](\n|$)|\n\n$|[^\P{C}\n]|[\p{Zl}\p{Zp}]/u.test(value);
}
