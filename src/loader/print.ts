import { Document, type Node, Pair, Scalar, type ScalarTag, YAMLMap, YAMLSeq } from 'yaml';
import { isArray, isObject, type Json } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';

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

export interface ManifestDocument extends Mapping {
  readonly comments: ReadonlyMap<Pointer, string>;
  readonly remarks: readonly string[];
}

/** A declared value, with tags in place of its markers (see model/marker.ts). */
export function printableOf(value: Json): Printable {
  if (isArray(value)) return value.map(printableOf);
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  const [name = '', argument = null] = members.length === 1 ? (members[0] ?? []) : [];
  if (['$secret', '$ref', '$lookup'].includes(name))
    return { tag: name.replace('$', '!'), value: printableOf(argument) };
  return { members: members.map(([member, part]): Member => [member, printableOf(part)]) };
}

/** Double quotes around a text that should have them; `null` for others. */
type QuoteText = (text: string) => string | null;

/** The text of a manifest file. The loader reads exactly the same values from it, whatever characters they contain. */
export function printManifest(documents: readonly ManifestDocument[], quoteText?: QuoteText): string {
  const texts = documents.map(({ members, comments, remarks }) => {
    const contents = nodeOf({ members }, { at: pointer(), comments });
    return print(contents, {}, quoteText) + remarks.map((remark) => `# ${remark}\n`).join('');
  });
  return texts.join('---\n');
}

/** A value on one line, in flow style, to be used after a key or inside another flow collection. */
export function printInline(value: Printable): string {
  return print(nodeOf(value), { collectionStyle: 'flow' }).trimEnd();
}

/** A mapping or list in block style, without indentation; ends with a newline. */
export function printBlock(value: Mapping | readonly Printable[]): string {
  return print(nodeOf(value), {});
}

/** A value as JSON: a text is in double quotes. Characters that are invisible, or that editors and terminals interpret, are escaped. */
export function quote(value: Json): string {
  return JSON.stringify(value).replace(
    unseen,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Control characters, line and paragraph separators, byte order mark, and marks of the text direction. */
const unseen = /[\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]/g;

function print(contents: Node, style: { collectionStyle?: 'flow' }, quoteText?: QuoteText): string {
  const text = textTag(quoteText);
  const document = new Document(null, {
    customTags: (tags) => [text, ...tags.filter((tag) => typeof tag === 'string' || tag.tag !== text.tag)],
  });
  document.contents = contents;
  // The library puts another blank before it.
  const commentString = (comment: string) => ` # ${comment}`;
  return document.toString({ lineWidth: 0, directives: false, commentString, ...style });
}

interface PrintPlace {
  readonly at: Pointer;
  readonly comments: ManifestDocument['comments'];
}

const noPlace: PrintPlace = { at: pointer(), comments: new Map() };

function nodeOf(value: Printable, place: PrintPlace = noPlace): Node {
  const node = bareNodeOf(value, place);
  const comment = place.comments.get(place.at);
  // Behind a block, a comment would be part of the text.
  if (comment !== undefined && !String(value).includes('\n')) node.comment = comment;
  return node;
}

function bareNodeOf(value: Printable, place: PrintPlace): Node {
  const partOf = (step: string | number, part: Printable) =>
    nodeOf(part, { ...place, at: `${place.at}${pointer(step)}` });
  if (value === null || typeof value !== 'object') return new Scalar(value);
  if ('tag' in value) {
    const node = nodeOf(value.value);
    node.tag = value.tag;
    if (node instanceof YAMLMap) node.flow = true;
    return node;
  }
  if ('members' in value) {
    const map = new PrintedMap();
    map.items = value.members.map(([name, item]) => new Pair(new Scalar(name), memberOf(partOf(name, item))));
    return map;
  }
  const list = new PrintedList();
  list.items = value.map((item, index) => partOf(index, item));
  return list;
}

type ToString = Parameters<YAMLMap['toString']>;

/** In flow style, mappings are written as people do: `{ a: b }`. */
class PrintedMap extends YAMLMap {
  override toString(...[context, ...more]: ToString): string {
    return super.toString(context && { ...context, flowCollectionPadding: ' ' }, ...more);
  }
}

/** In flow style, lists are written as people do: `[a, b]`. */
class PrintedList extends YAMLSeq<Node> {
  override toString(...[context, ...more]: ToString): string {
    return super.toString(context && { ...context, flowCollectionPadding: '' }, ...more);
  }
}

const longestInline = 60;

/** The value of a member: a short list of single values stands on the line of its name. */
function memberOf(node: Node): Node {
  if (!(node instanceof YAMLSeq)) return node;
  const single = node.items.filter(
    (item) => item instanceof Scalar && !item.comment && !String(item.value).includes('\n'),
  );
  const texts = single.map((item) => (item instanceof Scalar ? `${item.value}, ` : ''));
  node.flow = single.length === node.items.length && texts.join('').length <= longestInline;
  return node;
}

/** Writes text plain if it is unambiguous, as a block if it has several lines, else in double quotes. */
const textTag = (quoteText: QuoteText = () => null): ScalarTag => ({
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string',
  resolve: (value) => value,
  stringify(item, { indent, inFlow, implicitKey }) {
    const value = String(item.value);
    const quoted = quoteText(value);
    if (quoted !== null) return quoted;
    const isPlain = plain.test(value) && !readOtherwise.some((form) => form.test(value));
    if (isPlain && !(inFlow && /[,[\]{}]/.test(value))) return value;
    const isBlock = /^\S.*\n/.test(value) && !noBlock.test(value);
    if (!isBlock || inFlow || implicitKey) return quote(value);
    const lines = value.replace(/\n$/, '').split('\n');
    return [value.endsWith('\n') ? '|' : '|-', ...lines.map((line) => line && indent + line)].join('\n');
  },
});

/** Matches what every YAML parser reads without quotes as the same text, unless one, also for YAML 1.1, reads it otherwise. */
const plain = /^([\p{L}\p{N}$_/(]|<[a-z/!])/u;
const readOtherwise: readonly RegExp[] = [
  /[\p{C}\p{Zl}\p{Zp}\t\n]|(?! )\p{Zs}|: | #|[: ]$/u,
  /^(y|n|yes|no|on|off|true|false|null)$/i,
  // Numbers, times and dates: also 1_000, 12:30 and versions such as 1.2.3.
  /^[\d_.:]+$/,
  /^[\d_.]*e[+-]?[\d_.]+$/i,
  /^0[box][\da-f_]+$/i,
  /^\d+-\d+-\d/,
];

/** Matches in a text of several lines what editors change in a block. */
const noBlock = /[ \t](\n|$)|\n\n$|[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;
