import { pointer, segmentsOf } from '../model/pointer.ts';
import type { Redact } from './options.ts';

/** Members whose values are words of this program, or made by it. All others may hold text of a tenant or file. */
const ownWords = new Set(
  'action checkedAt code createdAt digest endedAt fingerprint in is kind kinds method modified op origin outcome planDigest risk rules severity startedAt state template tool type verification'.split(
    ' ',
  ),
);
/** Members that hold values of a tenant or of a manifest: their names and numbers may be secrets too. */
const values = new Set('body context declared headers members named profiles query'.split(' '));
const sides = new Set('after base before'.split(' '));
const byAddress = new Set('desired proven rendered'.split(' '));
const addresses = new Set('address undeclared'.split(' '));
const pointers = new Set('beside path paths secrets unmet withheld'.split(' '));

/**
 * A document, or what a report shows beside it, without secrets: one walk by member name that redacts everything but known words
 * of this program. Reports are made from redacted data: escaping or wrapping a text may change a secret in it, and the script of
 * a page may contain one by chance.
 */
export function redactDocument<T>(document: T, redact: Redact): T;
export function redactDocument(document: unknown, redact: Redact): unknown {
  // Plans hold the same texts many times: before, after and in requests.
  const known = new Map<string, string>();
  return walk(document, '', (text) => {
    const clean = known.get(text) ?? redact(text);
    known.set(text, clean);
    return clean;
  });
}

/** @param name of the member, or of the list, that holds the value */
function walk(value: unknown, name: string, redact: Redact): unknown {
  if (ownWords.has(name)) return value;
  if (typeof value === 'string') {
    if (addresses.has(name)) return redactAddress(value, redact);
    // Part by part, since a pointer has escapes of its own.
    return pointers.has(name) ? pointer(...segmentsOf(value).map(redact)) : redact(value);
  }
  if (Array.isArray(value)) return value.map((item) => walk(item, name, redact));
  if (typeof value !== 'object' || value === null) return value;
  // Elsewhere, before and after are numbers, or the sides of a rendered template.
  const hasValues = 'op' in value || 'outcome' in value;
  const isRequest = 'method' in value;
  const members = Object.entries(value).map(([member, item]) => {
    const isValue = values.has(member) || (hasValues && sides.has(member));
    if (isValue) return [member, redactValue(item, redact)];
    const key = byAddress.has(name) ? redactAddress(member, redact) : member;
    return [key, walk(item, isRequest && member === 'path' ? '' : member, redact)];
  });
  return Object.fromEntries(members);
}

/** The name of the kind is a word of the program. */
function redactAddress(address: string, redact: Redact): string {
  const [kind = '', ...key] = address.split('/');
  return key.length === 0 ? redact(address) : [kind, ...key.map(redact)].join('/');
}

/** A value without secrets in its texts, numbers and names of members. */
export function redactValue<T>(value: T, redact: Redact): T;
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number')
    return redact(String(value)) === String(value) ? value : redact(String(value));
  if (Array.isArray(value)) return value.map((item) => redactValue<unknown>(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, item]) => [
    redact(name),
    redactValue<unknown>(item, redact),
  ]);
  return Object.fromEntries(members);
}
