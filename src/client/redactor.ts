import { groupBy } from '../model/basics.ts';
import { isObject, type Json, mapJson, objectFrom } from '../model/json.ts';
import { type Answer, holdsMessage } from './answer.ts';

/** Removes secrets from all text output: as they are, and as spelled in URLs, JSON, HTML, base64 and Basic credentials. */
export class Redactor {
  readonly #spellings = new Map<string, readonly Spelling[]>();
  #matcher: Matcher | null = null;

  /** From now on `secret` is replaced wherever it occurs. Texts of less than 4 characters do not count as secrets. */
  learn(secret: string): void {
    if (secret.length < shortest || this.#spellings.has(secret)) return;
    this.#spellings.set(secret, formsOf(secret));
    this.#matcher = null;
  }

  with(texts: readonly string[]): Redactor {
    const redactor = new Redactor();
    for (const [secret, forms] of this.#spellings) redactor.#spellings.set(secret, forms);
    for (const text of texts) redactor.learn(text);
    return redactor;
  }

  text(text: string): string {
    if (this.#spellings.size === 0 || text.length < shortest) return text;
    this.#matcher ??= createMatcher([...this.#spellings.values()].flat());
    let [clean, done] = ['', 0];
    for (const { start, end } of findSpellings(text, this.#matcher)) {
      if (end <= done) continue;
      if (start >= done) clean += `${text.slice(done, start)}[secret]`;
      done = end;
    }
    return clean + text.slice(done);
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
    return { ...answer, headers: Object.fromEntries(entries), text, body: this.json(answer.body) };
  }

  json(value: Json): Json {
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

type Speller = (text: string) => string;

const inForm: Speller = (text) => new URLSearchParams([['', text]]).toString().slice(1);
const inJson: Speller = (text) => JSON.stringify(text).slice(1, -1);
const inHtml: Speller = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const escapeUnits = (text: string, which: RegExp) =>
  text.replaceAll(which, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const spellers: readonly Speller[] = [
  encodeURIComponent,
  (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  inForm,
  inJson,
  (text) => inJson(text).replaceAll('/', '\\/'),
  // JSON encoders that emit ASCII only, and those that write for pages.
  (text) => escapeUnits(inJson(text), /[^ -~]/g),
  (text) => escapeUnits(inJson(text), /[<>&='\u2028\u2029]/g),
  inHtml,
  (text) => inHtml(text).replaceAll("'", '&#39;'),
  (text) => inHtml(text).replaceAll("'", '&#x27;'),
];

interface Spelling {
  readonly text: string;
  readonly isBase64: boolean;
}

/** A secret and its lines, as sent (in a form, or JSON in JSON), as hosts repeat them, and as a report writes them. */
function formsOf(secret: string): Spelling[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  const parts = lines.filter((line) => line.length >= shortestLine && !line.startsWith('-----'));
  const plain = [secret, secret.trim(), secret.replaceAll(/\r\n?/g, '\n'), secret.toWellFormed()];
  const sent = [...plain, ...(lines.length > 1 ? parts : [])].flatMap((text) => [
    text,
    inJson(text),
    inJson(inJson(text)),
    inForm(text.toWellFormed()),
  ]);
  const repeated = new Set([
    ...sent,
    ...spellers.flatMap((spell) => sent.map((text) => spell(text.toWellFormed()))),
  ]);
  const written = new Set([...repeated].flatMap((text) => [text, inJson(text), inHtml(text)]));
  const encoded = new Set([...repeated].flatMap(base64Of));
  return [
    ...[...written].map((text) => ({ text, isBase64: false })),
    ...[...encoded].map((text) => ({ text, isBase64: true })),
  ].filter(({ text, isBase64 }) => text.length >= (isBase64 ? shortestAnywhere : shortest));
}

/** The part of base64 that only depends on `text`, for each place in three bytes at which it may begin. */
function base64Of(text: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(' '.repeat(before) + text);
    // The first and last characters also depend on what is around it.
    const own = (encoding: 'base64' | 'base64url') =>
      bytes.toString(encoding).slice([0, 2, 3][before], Math.floor((bytes.length * 8) / 6));
    return [own('base64'), own('base64url')];
  });
}

/** Spellings by their first four characters, and a filter that rules out almost every place of a text at once. */
interface Matcher {
  readonly filter: Uint8Array;
  readonly byStart: ReadonlyMap<string, readonly Spelling[]>;
}

function createMatcher(forms: readonly Spelling[]): Matcher {
  const filter = new Uint8Array(0x10000);
  for (const { text } of forms) filter[hashAt(text, 0)] = 1;
  return { filter, byStart: new Map(groupBy(forms, ({ text }) => text.slice(0, shortest))) };
}

/** A number for the four characters at an offset. */
function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let next = at; next < at + shortest; next += 1) hash = (hash * 31 + text.charCodeAt(next)) & 0xffff;
  return hash;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Sorted by where they begin. */
function findSpellings(text: string, { filter, byStart }: Matcher): readonly Range[] {
  const ranges: Range[] = [];
  let runEnd = 0;
  for (let at = 0; at + shortest <= text.length; at += 1) {
    if (filter[hashAt(text, at)] === 0) continue;
    for (const { text: form, isBase64 } of byStart.get(text.slice(at, at + shortest)) ?? []) {
      if (!text.startsWith(form, at) || (isBase64 && at < runEnd)) continue;
      const range = { start: at, end: at + form.length };
      if (isBase64) {
        ranges.push(wholeRun(text, range));
        runEnd = ranges.at(-1)?.end ?? 0;
      } else if (form.length >= shortestAnywhere || isWord(text, range)) ranges.push(range);
    }
  }
  return ranges.sort((a, b) => a.start - b.start);
}

/** All of the base64 around a part of it. */
function wholeRun(text: string, { start, end }: Range): Range {
  const isSign = (at: number) => /[A-Za-z0-9+/_-]/.test(text.charAt(at));
  let [from, to] = [start, end];
  while (isSign(from - 1)) from -= 1;
  while (isSign(to)) to += 1;
  for (let padding = 0; padding < 2 && text.charAt(to) === '='; padding += 1) to += 1;
  return { start: from, end: to };
}

/** True when what begins and ends here is not part of a longer word. An escape before it belongs to no word. */
function isWord(text: string, { start, end }: Range): boolean {
  const isEdge = /(^|[^A-Za-z0-9]|\\[bfnrt]|%[0-9a-f]{2})$/i.test(text.slice(Math.max(0, start - 3), start));
  return isEdge && !/[A-Za-z0-9]/.test(text.charAt(end));
}
