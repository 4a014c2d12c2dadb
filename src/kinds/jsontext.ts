import { type Json, objectFrom, parseJson } from '../model/json.ts';

/**
 * The JSON value of a field that the contract keeps in text: an object as it is, JSON text parsed, and the
 * `{a=b, c=d}` map text of some tenants taken apart (api-notes, "JSON in text"). Other text stays text.
 */
export function readJsonText(value: Json): Json {
  if (typeof value !== 'string') return value;
  const parsed = parseJson(value);
  if (parsed !== undefined && typeof parsed === 'object') return parsed;
  return readMapText(value) ?? value;
}

/** `{a=b, c=d}`; a value may hold `=` but no `, name=`. */
function readMapText(text: string): Json | null {
  const inner = /^\{(.*)\}$/s.exec(text.trim())?.[1];
  if (inner === undefined) return null;
  if (inner.trim() === '') return {};
  const members = inner.split(/, (?=[\w.-]+=)/).map((member) => /^([\w.-]+)=(.*)$/s.exec(member));
  const entries: [string, Json][] = [];
  for (const member of members) {
    if (!member) return null;
    const [, name = '', value = ''] = member;
    entries.push([name, value === 'null' ? null : value]);
  }
  return objectFrom(entries);
}
