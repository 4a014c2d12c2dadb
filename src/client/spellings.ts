import { isUtf8 } from 'node:buffer';

/** Text without the escapes of URLs, JSON and HTML, and where each of its characters came from. */
export interface Decoded {
  readonly text: string;
  /** The offset of each character in the text before, and that of its end. */
  readonly offsets: Uint32Array;
}

const colourStart = '\u001b';
/** Colours of the terminal, tags, and where lines were wrapped. */
const layoutMarks = new RegExp(
  `${colourStart}\\[\\d+m|<[^<>]{0,300}>|(?<![^\\S\\n])[^\\S\\n]*\\n[^\\S\\n]*`,
  'g',
);

/**
 * Text without what a report puts between its characters: line breaks with the blanks around them, colours and tags.
 *
 * @param joint what takes the place of a line break
 */
export function withoutLayout(text: string, joint: '' | ' '): Decoded | null {
  if (!['\n', '<', colourStart].some((mark) => text.includes(mark))) return null;
  const offsets = new Uint32Array(text.length + 1);
  const parts: string[] = [];
  let [length, done, isJoined] = [0, 0, false];
  const keep = (end: number): void => {
    if (end > done) isJoined = false;
    parts.push(text.slice(done, end));
    for (let at = done; at < end; at += 1, length += 1) offsets[length] = at;
  };
  for (const { 0: mark, index } of text.matchAll(layoutMarks)) {
    keep(index);
    done = index + mark.length;
    if (joint === '' || isJoined || !mark.includes('\n')) continue;
    isJoined = true;
    parts.push(joint);
    offsets[length] = index;
    length += 1;
  }
  keep(text.length);
  offsets[length] = text.length;
  return { text: parts.join(''), offsets: offsets.subarray(0, length + 1) };
}

/** `%2F` and `%u0026`, `\u0026`, `\u{26}` and `\x26`, `\"` and any other sign behind `\`, `&#38;`, `&#x26;`, `&amp;`. */
const escapes =
  /(?:%[0-9a-f]{2})+|%u[0-9a-f]{4}|\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\x[0-9a-f]{2}|\\[bfnrt -/:-@[-`{-~]|&#x0*[0-9a-f]{1,6};?|&#0*[0-9]{1,7};?|&[a-z]{2,8}[1-4]{0,2};/iy;

/** Resolves one level of escapes, of all kinds at once; `null` where there are none. */
export function decode(text: string): Decoded | null {
  if (!/[%\\&]/.test(text)) return null;
  const units = new Uint16Array(text.length);
  const offsets = new Uint32Array(text.length + 1);
  let [length, isDecoded] = [0, false];
  const add = (unit: number, offset: number): void => {
    units[length] = unit;
    offsets[length] = offset;
    length += 1;
  };
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    const parts = unit === percent || unit === backslash || unit === ampersand ? partsAt(text, at) : null;
    if (!parts) {
      add(unit, at);
      at += 1;
      continue;
    }
    isDecoded = true;
    for (const [meaning, size] of parts) {
      // Both halves of a surrogate pair come from the whole escape.
      for (let half = 0; half < meaning.length; half += 1) add(meaning.charCodeAt(half), at);
      at += size;
    }
  }
  offsets[length] = text.length;
  if (!isDecoded) return null;
  // Not by TextDecoder, which would replace half a surrogate pair.
  const decoded = Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
  return { text: decoded, offsets: offsets.subarray(0, length + 1) };
}

const [percent, backslash, ampersand] = [0x25, 0x5c, 0x26];

/** The characters that an escape, or a run of them, stands for, each with the length of its own escape. */
type Parts = readonly (readonly [meaning: string, size: number])[];

/** The escape that begins at an offset; `null` where none does. */
function partsAt(text: string, at: number): Parts | null {
  escapes.lastIndex = at;
  const found = escapes.exec(text)?.[0];
  if (found === undefined) return null;
  if (/^%[^u]/i.test(found)) return percentParts(found);
  const meaning = meaningOf(found);
  return meaning === null ? null : [[meaning, found.length]];
}

/** The characters of percent-encoded bytes: UTF-8, or Latin-1 where they are not, each with the length of its escape. */
function percentParts(run: string): Parts {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  const parts: (readonly [string, number])[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    const text = bytes.toString('utf8', at, at + size);
    const isUtf8 = size > 1 && Buffer.from(text).equals(bytes.subarray(at, at + size));
    parts.push([isUtf8 ? text : String.fromCharCode(first), 3 * (isUtf8 ? size : 1)]);
    at += isUtf8 ? size : 1;
  }
  return parts;
}

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The character of one escape; `null` for a name that HTML does not have. */
function meaningOf(found: string): string | null {
  if (!found.startsWith('&')) {
    const [, letter = ''] = found;
    if (found.length === 2) return controls[letter] ?? letter;
    return characterOf(Number.parseInt(found.replace(/^..\{?/, ''), 16));
  }
  const name = found.slice(1).replace(/;$/, '');
  if (!name.startsWith('#')) return named.get(name) ?? null;
  return characterOf(/^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
}

const characterOf = (code: number): string | null => (code <= 0x10ffff ? String.fromCodePoint(code) : null);

/** The names of HTML for what is not a letter or digit of ASCII, and for the letters of Latin-1. */
const named = new Map(
  [
    'quot " amp & lt < gt > apos \' excl ! num # dollar $ percnt % lpar ( rpar ) ast * plus + comma , period . sol /',
    'colon : semi ; equals = quest ? commat @ lsqb [ lbrack [ bsol \\ rsqb ] rbrack ] Hat ^ lowbar _ grave ` lcub {',
    'lbrace { verbar | vert | rcub } rbrace } hyphen \u2010 dash \u2010 tilde \u02dc QUOT " AMP & LT < GT >',
    ...latin1Names(),
  ].flatMap((line) =>
    [...line.matchAll(/(\S+) (\S+)/g)].map(([, name = '', text = '']) => [name, text] as const),
  ),
)
  .set('nbsp', '\u00a0')
  .set('Tab', '\t')
  .set('NewLine', '\n');

/** The names of U+00A1 to U+00FF, in order. */
function latin1Names(): string[] {
  const names =
    'iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest ' +
    'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
    'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
  return names.split(' ').map((name, at) => `${name} ${String.fromCharCode(0xa1 + at)}`);
}

/** A part of a text that reads as another text in base64 or hex. */
export interface Encoded {
  readonly start: number;
  readonly end: number;
  /** Each byte as a character: see {@link byteByByte}. */
  readonly text: string;
}

/** What is read of a text in UTF-8 where each byte counts as a character, as in Latin-1. */
export function byteByByte(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** What a text may hold in base64 or hex. The first characters of a run may not belong to it, so all offsets are tried. */
export function* encodedTexts(text: string): Generator<Encoded> {
  for (const { encoding, signs, shortest, offsets, isWorthwhile } of encodings) {
    for (const [start, end] of runsOf(text, signs, shortest)) {
      const run = text.slice(start, end);
      if (!isWorthwhile(run)) continue;
      for (let offset = 0; offset < offsets; offset += 1) {
        const bytes = Buffer.from(run.slice(offset), encoding);
        if (isText(bytes)) yield { start, end, text: bytes.toString('latin1') };
      }
    }
  }
}

const signsLike = (sign: RegExp): Uint8Array =>
  Uint8Array.from({ length: 0x80 }, (_, code) => Number(sign.test(String.fromCharCode(code))));

/** Base64 as in mails and as in URLs, and hex, of texts that may be worth hiding. */
const encodings = [
  {
    encoding: 'base64',
    signs: signsLike(/[A-Za-z0-9+/_-]/),
    shortest: 10,
    offsets: 4,
    // Words have no capitals inside.
    isWorthwhile: (run: string) => /[a-z0-9+/_-][A-Z]/.test(run),
  },
  { encoding: 'hex', signs: signsLike(/[0-9A-Fa-f]/), shortest: 12, offsets: 2, isWorthwhile: () => true },
] as const;

/** Where only these signs follow each other. Not by an expression: the stack of one ends after some millions of signs. */
function* runsOf(
  text: string,
  signs: Uint8Array,
  shortest: number,
): Generator<readonly [start: number, end: number]> {
  const isSign = (at: number) => signs[text.charCodeAt(at)] === 1;
  // A run that is long enough has a sign at one of every so many places.
  for (let at = shortest - 1; at < text.length; at += shortest) {
    if (!isSign(at)) continue;
    let [start, end] = [at, at + 1];
    while (isSign(start - 1)) start -= 1;
    while (isSign(end)) end += 1;
    if (end - start >= shortest) yield [start, end];
    at = end;
  }
}

/** Whether bytes may be a text: most are letters, digits or signs, of which words and random bytes have a third, or all are UTF-8. */
function isText(bytes: Buffer): boolean {
  let printable = 0;
  for (const byte of bytes) if (byte > 0x1f && byte < 0x7f) printable += 1;
  return printable > 0.6 * bytes.length || isUtf8(bytes);
}
