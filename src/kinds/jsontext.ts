import { isTooDeep, type Json, objectFrom, parseJson } from '../model/json.ts';

/** Parses JSON text, and the `{a=b}` map text of some tenants (api-notes, "JSON in text"). Text that is nested too deeply stays. */
export function readJsonText(value: Json): Json {
  if (typeof value !== 'string' || !mayBeJson.test(value)) return value;
  const json = parseJson(value);
  const parsed = json === undefined ? readMapText(value, 0) : json;
  return parsed === undefined || isTooDeep(parsed) ? value : parsed;
}

/** Most texts are not JSON, and a parse error costs a hundred times as much as this test. */
const mayBeJson = /^\s*(\{|\[|null\s*$)/;

/** Deeper maps stay text: they do not occur, and reading them costs their length at each level. */
const deepest = 20;

/** A name has no sign of JSON or Velocity: a template of JSON is not a map, though it may contain `=`. */
const mapName = '[^\\s,="{}[\\]$#][^,="{}[\\]$#]*';
const beforeName = new RegExp(`, (?=${mapName}=)`, 'g');
const mapMember = new RegExp(`^(${mapName})=(.*)$`, 's');

/** `{a=b, closed by={d=e}}`; a value may contain `=` but not `, name=`. */
function readMapText(text: string, depth: number): Json | undefined {
  const inner = depth > deepest ? null : insideOf(text.trim(), '{}');
  if (inner === null) return undefined;
  if (inner.trim() === '') return {};
  const members = split(inner, beforeName).map((member) => mapMember.exec(member));
  const entries: [string, Json][] = [];
  for (const member of members) {
    if (!member) return undefined;
    const [, name = '', value = ''] = member;
    entries.push([name, value === 'null' ? null : readMapValue(value, depth + 1)]);
  }
  return objectFrom(entries);
}

function readMapValue(text: string, depth: number): Json {
  const items = depth > deepest ? null : insideOf(text, '[]');
  if (items === '') return [];
  if (items !== null && depthsOf(items))
    return split(items, /, /g).map((item) => readMapValue(item, depth + 1));
  return readMapText(text, depth) ?? text;
}

function insideOf(text: string, pair: string): string | null {
  return text.at(0) === pair[0] && text.at(-1) === pair[1] ? text.slice(1, -1) : null;
}

/** The pieces between the separators outside of brackets. Unbalanced brackets count as ordinary characters. */
function split(text: string, separator: RegExp): string[] {
  const depths = depthsOf(text);
  const ends = [...text.matchAll(separator)].filter(({ index }) => !depths?.[index]);
  const starts = [0, ...ends.map(({ 0: found, index }) => index + found.length)];
  return starts.map((start, piece) => text.slice(start, ends[piece]?.index));
}

function depthsOf(text: string): Uint32Array | null {
  const depths = new Uint32Array(text.length);
  const open: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '{' || char === '[') open.push(char);
    else if ((char === '}' || char === ']') && open.pop() !== (char === '}' ? '{' : '[')) return null;
    depths[at] = open.length;
  }
  return open.length === 0 ? depths : null;
}
