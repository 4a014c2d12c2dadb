import { groupBy } from '../model/basics.ts';
import { isObject, type Json, mapJson, objectFrom } from '../model/json.ts';
import { type Answer, holdsMessage } from './answer.ts';
import { byteByByte, decode, encodedTexts, withoutLayout } from './spellings.ts';

/**
 * Removes secrets from text that leaves the program, however they are spelled: as they are, escaped for URLs, JSON or HTML
 * (also in each other), in base64 or hex, one line of several, or broken by the layout of a report. All text output goes through one redactor.
 */
export class Redactor {
  readonly #secrets = new Set<string>();
  #matcher: Matcher | null = null;

  /** From now on `secret` is replaced wherever it occurs. Texts of less than 4 characters do not count as secrets. */
  learn(secret: string): void {
    if (secret.length < shortest || this.#secrets.has(secret)) return;
    this.#secrets.add(secret);
    this.#matcher = null;
  }

  /** A redactor that also replaces these texts. */
  with(texts: readonly string[]): Redactor {
    const redactor = new Redactor();
    for (const text of [...this.#secrets, ...texts]) redactor.learn(text);
    return redactor;
  }

  text(text: string): string {
    if (this.#secrets.size === 0 || text.length < shortest) return text;
    this.#matcher ??= createMatcher(this.#secrets);
    return replaceRanges(text, [...findSecrets(text, this.#matcher), ...findBroken(text, this.#matcher)]);
  }

  /** The answer without secrets in the text of an error; the body of a success stays as it is. */
  answer(answer: Answer): Answer {
    if (answer.outcome !== 'answered' || holdsMessage(answer)) return this.whole(answer);
    return { ...this.whole({ ...answer, body: null }), body: answer.body };
  }

  /** The answer without secrets in any part, for a message: it may cut or change what it quotes. */
  whole<T extends Answer>(answer: T): T {
    if (answer.outcome !== 'answered') return { ...answer, detail: this.text(answer.detail) };
    const entries = Object.entries(answer.headers).map(([name, value]) => [name, this.text(value)]);
    const text = answer.text === null ? null : this.text(answer.text);
    return { ...answer, headers: Object.fromEntries(entries), text, body: this.#json(answer.body) };
  }

  #json(value: Json): Json {
    return mapJson(value, (item) => {
      if (typeof item === 'string') return this.text(item);
      if (!isObject(item)) return item;
      return objectFrom(Object.entries(item).map(([key, inner]) => [this.text(key), inner]));
    });
  }
}

/** Shorter texts occur everywhere. */
const shortest = 4;
/** Texts below this length count only as whole words: `1234` is not part of `12345`. */
const shortestAnywhere = 8;
/** A line of a secret with several lines is one itself if it is not too short. */
const shortestLine = 12;
/** JSON in JSON in a URL is as deep as servers go; a secret may look like an escape itself. */
const deepest = 6;

/** Spellings by their first four characters, and a filter that rules out almost every place of a text at once. */
interface Matcher {
  readonly filter: Uint8Array;
  readonly byStart: ReadonlyMap<string, readonly string[]>;
}

type Range = readonly [start: number, end: number];

function createMatcher(secrets: ReadonlySet<string>): Matcher {
  const filter = new Uint8Array(0x10000);
  const forms = new Set([...secrets].flatMap(formsOf));
  for (const form of forms) filter[hashAt(form, 0)] = 1;
  return { filter, byStart: new Map(groupBy(forms, (form) => form.slice(0, shortest))) };
}

/** A number for the four characters at an offset. */
function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let next = at; next < at + shortest; next += 1) hash = (hash * 31 + text.charCodeAt(next)) & 0xffff;
  return hash;
}

/** The text of a secret as it may be found once escapes are resolved: also its own, and those of its lines. */
function formsOf(secret: string): string[] {
  // Half a surrogate pair has no form in UTF-8: another character is sent in its place.
  const whole = [
    ...[secret, secret.trim(), secret.toWellFormed(), secret.replaceAll(/\r\n?/g, '\n')],
    // Letters with accents are one character or two.
    ...[secret.normalize('NFC'), secret.normalize('NFD')],
  ];
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  const parts =
    lines.length > 1 ? lines.filter((line) => line.length >= shortestLine && !line.startsWith('-----')) : [];
  const forms = [...whole, ...parts].flatMap((form) =>
    [form, ...decodedForms(form)].flatMap((each) => [each, byteByByte(each)]),
  );
  return [...new Set([...forms, ...forms.map((form) => form.replaceAll(' ', '+'))])].filter(
    ({ length }) => length >= shortest,
  );
}

/** What is left of a secret that itself looks like an escape, when the text around it is decoded. */
function decodedForms(text: string, depth = 0): string[] {
  const decoded = depth < deepest ? decode(text) : null;
  return decoded ? [decoded.text, ...decodedForms(decoded.text, depth + 1)] : [];
}

/**
 * Where secrets stand in a text, at each level of its escapes.
 *
 * @param layers how often a text in base64 or hex is read as text again
 */
function findSecrets(text: string, matcher: Matcher, layers = 2): Range[] {
  const found = [...rangesIn(text, matcher), ...encodedRanges(text, matcher, layers)];
  let level = decode(text);
  for (let depth = 1; level; depth += 1) {
    const { offsets } = level;
    const origin = (at: number) => offsets[at] ?? text.length;
    const next = depth < deepest ? decode(level.text) : null;
    // What base64 or hex there is can be read best where all escapes are resolved.
    const encoded = next ? [] : encodedRanges(level.text, matcher, layers);
    for (const [start, end] of [...rangesIn(level.text, matcher), ...encoded]) {
      found.push([origin(start), endIn(offsets, end)]);
    }
    level = next && { text: next.text, offsets: next.offsets.map(origin) };
  }
  return found;
}

/** Where secrets stand in a text that is laid out: broken by the ends of lines, colours or tags. */
function findBroken(text: string, matcher: Matcher): Range[] {
  return ([' ', ''] as const).flatMap((joint) => {
    const plain = withoutLayout(text, joint);
    if (!plain) return [];
    return findSecrets(plain.text, matcher, 0).map(
      ([start, end]): Range => [
        plain.offsets[start] ?? text.length,
        (plain.offsets[end - 1] ?? text.length) + 1,
      ],
    );
  });
}

/** Where the escape that ends before the character `at` ends; several characters may come from one escape. */
function endIn(offsets: Uint32Array, at: number): number {
  let end = at;
  while (end < offsets.length - 1 && offsets[end] === offsets[at - 1]) end += 1;
  return offsets[end] ?? 0;
}

function rangesIn(text: string, { filter, byStart }: Matcher): Range[] {
  const ranges: Range[] = [];
  for (let at = 0; at + shortest <= text.length; at += 1) {
    if (filter[hashAt(text, at)] === 0) continue;
    for (const form of byStart.get(text.slice(at, at + shortest)) ?? []) {
      const end = at + form.length;
      const isFound = text.startsWith(form, at) && (form.length >= shortestAnywhere || isWord(text, at, end));
      if (isFound) ranges.push([at, end]);
    }
  }
  return ranges;
}

function encodedRanges(text: string, matcher: Matcher, layers: number): Range[] {
  if (layers === 0) return [];
  const ranges: Range[] = [];
  for (const { start, end, text: inner } of encodedTexts(text)) {
    if (findSecrets(inner, matcher, layers - 1).length > 0) ranges.push([start, withPadding(text, end)]);
  }
  return ranges;
}

function withPadding(text: string, end: number): number {
  let until = end;
  while (text.charAt(until) === '=' && until < end + 2) until += 1;
  return until;
}

/** Whether what begins and ends here is not part of a longer word. */
function isWord(text: string, start: number, end: number): boolean {
  const isPart = (at: number) => /[A-Za-z0-9]/.test(text.charAt(at));
  return !(start > 0 && isPart(start - 1)) && !isPart(end);
}

function replaceRanges(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const sorted = [...ranges].sort(([a], [b]) => a - b);
  let [clean, done] = ['', 0];
  for (const [start, end] of sorted) {
    if (end <= done) continue;
    if (start >= done) clean += `${text.slice(done, start)}[secret]`;
    done = end;
  }
  return clean + text.slice(done);
}
