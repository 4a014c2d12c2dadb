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
    return this.#clean(text, []);
  }

  /** `cuts`: where a secret may end before its own end, in order. */
  #clean(text: string, cuts: readonly number[]): string {
    if (this.#spellings.size === 0 || text.length < shortest) return text;
    if (this.#matcher === null) {
      const forms = [...this.#spellings.values()].flat();
      const byStart = new Map(groupBy(forms, ({ text: form }) => form.slice(0, shortest)));
      this.#matcher = { filter: new Uint8Array(0x10000), byStart };
      for (const { text: form } of forms) this.#matcher.filter[hashAt(form, 0)] = 1;
    }
    let [clean, done] = ['', 0];
    for (const { start, end } of findSpellings(text, this.#matcher, cuts)) {
      if (end <= done) continue;
      if (start >= done) clean += `${text.slice(done, start)}[secret]`;
      done = end;
    }
    return clean + text.slice(done);
  }

  /** The answer without secrets. The body of a success stays as it is, unless a message may cut or change what it quotes of it. */
  answer<T extends Answer>(answer: T, isQuoted = answer.outcome !== 'answered' || holdsMessage(answer)): T {
    if (answer.outcome !== 'answered') return { ...answer, detail: this.text(answer.detail) };
    // A host may have cut its message, and a secret with it.
    const clean = (text: string) => {
      const end = /["'}\]\s]*$/.exec(text.slice(-20))?.[0] ?? '';
      const marks = [...text.matchAll(/…|\.{3}/g)].map(({ index }) => index);
      return this.#clean(text, [...marks, text.length - end.length]);
    };
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, clean(value)]);
    const text = answer.text === null ? null : clean(answer.text);
    const body = isQuoted ? this.json(answer.body, clean) : answer.body;
    return { ...answer, headers: Object.fromEntries(headers), text, body };
  }

  json(value: Json, clean = (text: string) => this.text(text)): Json {
    return mapJson(value, (item) => {
      if (typeof item === 'string') return clean(item);
      if (!isObject(item)) return item;
      return objectFrom(Object.entries(item).map(([key, inner]) => [clean(key), inner]));
    });
  }
}

/** Shorter texts occur everywhere. */
const shortest = 4;
/** Texts below this length count only as whole words: `1234` is not part of `12345`. */
const shortestAnywhere = 8;
/** A line of a secret with several lines is one itself if it is not too short. */
const shortestLine = 12;

const inForm = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const inXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const inHtml = (text: string) => inXml(text).replaceAll('"', '&quot;');
const inPercent = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
/** As RFC 3986 reserves signs. JavaScript leaves five of them. */
const inUrl = (text: string) => encodeURIComponent(text).replaceAll(/[!'()*]/g, inPercent);
const inHex = (unit: string) => `&#x${unit.charCodeAt(0).toString(16).toUpperCase()};`;
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const spellers: readonly ((text: string) => string)[] = [
  ...[encodeURIComponent, inUrl, inForm, (text: string) => inUrl(text).replaceAll('%20', '+')].flatMap(
    (spell) => [spell, (text: string) => spell(text).replaceAll(/%../g, (code) => code.toLowerCase())],
  ),
  inJson,
  (text) => inJson(text).replaceAll('/', '\\/'),
  // JSON encoders that emit ASCII only (Python, PHP), and those that write for pages (Go, PHP, Gson, .NET).
  (text) => inJson(text).replaceAll(/[^ -~]/g, escaped),
  (text) =>
    inJson(text)
      .replaceAll('/', '\\/')
      .replaceAll(/[^ -~]/g, escaped),
  ...[/[<>&\u2028\u2029]/g, /[<>&'\u2028\u2029]/g, /[<>&='\u2028\u2029]/g].map((signs) => (text: string) => {
    return inJson(text).replaceAll(signs, escaped);
  }),
  (text) =>
    inJson(text)
      .replaceAll('\\"', '\\u0022')
      .replaceAll(/[<>&'+`]|[^ -~]/g, (unit) => `\\u${escaped(unit).slice(2).toUpperCase()}`),
  inXml,
  inHtml,
  // Libraries write quotes in these ways, and some (Handlebars, Mustache) further signs.
  (text) => inHtml(text).replaceAll(/['=`]/g, inHex),
  (text) => inHtml(text).replaceAll("'", '&#39;').replaceAll(/[=`/]/g, inHex),
  ...['&quot; &#39;', '&quot; &#x27;', '&quot; &#039;', '&#34; &#39;', '&quot; &apos;'].map((quotes) => {
    const [double = '', single = ''] = quotes.split(' ');
    return (text: string) => inHtml(text).replaceAll('&quot;', double).replaceAll("'", single);
  }),
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
  const encoded = new Set<string>();
  for (const text of repeated) {
    // What comes before it in a group of three bytes decides on its base64; the first and last characters are not its alone.
    for (const [before, from] of [0, 2, 3].entries()) {
      const bytes = Buffer.from(' '.repeat(before) + text);
      const to = Math.floor((bytes.length * 8) / 6);
      for (const base of ['base64', 'base64url'] as const) encoded.add(bytes.toString(base).slice(from, to));
    }
  }
  return [
    ...[...written].map((text) => ({ text, isBase64: false })),
    ...[...encoded].map((text) => ({ text, isBase64: true })),
  ].filter(({ text, isBase64 }) => text.length >= (isBase64 ? shortestAnywhere : shortest));
}

/** Spellings by their first four characters, and a filter that rules out almost every place of a text at once. */
interface Matcher {
  readonly filter: Uint8Array;
  readonly byStart: ReadonlyMap<string, readonly Spelling[]>;
}

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
function findSpellings(
  text: string,
  { filter, byStart }: Matcher,
  cuts: readonly number[],
): readonly Range[] {
  const ranges: Range[] = [];
  let runEnd = 0;
  for (let at = 0; at + shortest <= text.length; at += 1) {
    if (filter[hashAt(text, at)] === 0) continue;
    for (const { text: whole, isBase64 } of byStart.get(text.slice(at, at + shortest)) ?? []) {
      const cut = cuts.find((end) => end > at) ?? at;
      const form = text.startsWith(whole, at) ? whole : text.slice(at, cut);
      // Every key begins with `-----BEGIN`.
      const isCut = form.length >= shortestAnywhere && whole.startsWith(form) && !form.startsWith('-----');
      if ((form !== whole && !isCut) || (isBase64 && at < runEnd)) continue;
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
  const sign = /[A-Za-z0-9+/_-]/;
  let [from, to] = [start, end];
  while (sign.test(text.charAt(from - 1))) from -= 1;
  while (sign.test(text.charAt(to))) to += 1;
  for (let padding = 0; padding < 2 && text.charAt(to) === '='; padding += 1) to += 1;
  return { start: from, end: to };
}

/** True when what begins and ends here is not part of a longer word. An escape before it belongs to no word. */
function isWord(text: string, { start, end }: Range): boolean {
  const isEdge = /(^|[^A-Za-z0-9]|\\[bfnrt]|%[0-9a-f]{2})$/i.test(text.slice(Math.max(0, start - 3), start));
  return isEdge && !/[A-Za-z0-9]/.test(text.charAt(end));
}
