import { lazy } from '../model/basics.ts';

/** Every text that comes from a tenant, a manifest or a plan file passes one of these before it is shown. */

/** Most texts match this, which saves compiling the expressions below. */
const plain = /^[\n\t\x20-\x7e]*$/;
/** Besides what Unicode calls ignorable, such as variation selectors and fillers: the empty pattern of Braille. */
const hidden = lazy(
  () => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800]/gu,
);
/** The same, with a group for what belongs to an emoji: a joiner, or a selector of its form. */
const emojiOrHidden = lazy(
  () =>
    new RegExp(
      `((?<=\\p{Extended_Pictographic}[\\u{fe0f}\\u{1f3fb}-\\u{1f3ff}]?)\\u200d|(?<=\\p{Extended_Pictographic})[\\u{fe0e}\\u{fe0f}]|\\u{fe0f}(?=\\u{20e3}))|${hidden().source}`,
      'gu',
    ),
);

/**
 * CI systems read these as commands in the output of a job: `::name::` at the beginning of a line (GitHub), `##[name]`
 * anywhere in it (GitHub, Azure DevOps, TeamCity), and the marks of sections (GitLab).
 */
const command = /#(?=#\w*\[)|:(?=:)(?<=^[^\S\n]*:)|s(?=ection_(?:start|end):)/gim;
const mayBeCommand = ['##', '::', 'ection_'];

function replaceCommands(text: string, sign: (char: string) => string): string {
  return mayBeCommand.some((part) => text.includes(part)) ? text.replace(command, sign) : text;
}

/** `text` with a visible sign in every command to a CI system, so that no system runs it: `<U+0023>#[error]`. */
export function disarm(text: string): string {
  return replaceCommands(text, codePoint);
}

/**
 * `text` with a visible sign for every control character: terminal escapes, bidirectional overrides, invisible formatting, lone
 * surrogates; and of letters that look like others. Line feeds and tabs stay. It holds no command to a CI system.
 */
export function printable(text: string): string {
  if (plain.test(text)) return disarm(text);
  const shown = showLookAlikes(text).replace(emojiOrHidden(), (char, part: string | undefined) => {
    if (char === '\n' || char === '\t' || part !== undefined) return char;
    const code = char.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '␡' : codePoint(char);
  });
  return disarm(shown);
}

/** Scripts with letters that look like ASCII, and such phonetic Latin letters. */
const otherLetters =
  '\\p{sc=Cyrillic}\\p{sc=Greek}\\p{sc=Armenian}\\p{sc=Cherokee}\\p{sc=Coptic}\\p{sc=Lisu}\\u0251\\u0261\\u0262';
/** These look like a slash or a colon, but do not end the name of a host: `acme.example\u2215login.other.example` is one. */
const otherSlashes = '\\u2044\\u2215\\u2236\\u2571\\u29f8\\ua789';
/** A word of these and Latin letters. In JSON, the letter of an escape such as `\\n` does not belong to the word after it. */
const mixedWord = lazy(
  () => new RegExp(`(?<!\\\\)[\\p{sc=Latin}\\p{M}${otherLetters}]+[${otherSlashes}]?`, 'gu'),
);
const otherLetter = lazy(() => new RegExp(`[${otherLetters}${otherSlashes}]`, 'gu'));

/**
 * `text` with a visible sign for each letter of another script in a word with Latin letters, and for lookalikes of a slash or
 * colon after it. U+0430 looks like an `a`, and makes another domain of `acme.example`.
 */
export function showLookAlikes(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(mixedWord(), (word) =>
    /[a-z]/i.test(word) ? word.replace(otherLetter(), codePoint) : word,
  );
}

/** {@link printable}, with line feeds and tabs shown as signs too. */
export function oneLine(text: string): string {
  return printable(text).replaceAll('\n', '␊').replaceAll('\t', '⇥');
}

/** The first characters of a text, without half a character such as an emoji at the cut. */
export function takeFirst(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

export function takeLast(text: string, length: number): string {
  return text.slice(-length).replace(/^[\udc00-\udfff]/, '');
}

/** The value as JSON, with every character escaped that a terminal or a CI system might obey. */
export function safeJson(value: unknown, indent = 2): string {
  const text = replaceCommands(JSON.stringify(value, null, indent), unicodeEscape);
  return text.replace(hidden(), (char) => (char === '\n' ? char : unicodeEscape(char)));
}

export function json(value: unknown, indent = 2): string {
  return `${safeJson(value, indent)}\n`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For HTML and XML, between tags and inside quoted attributes. */
export function escapeHtml(text: string): string {
  return quoteHtml(printable(text));
}

/** Escapes markup and commands to CI systems only, for a document inside an attribute that has to arrive unchanged. */
export function quoteHtml(text: string): string {
  const quoted = text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
  return replaceCommands(quoted, (char) => `&#${char.charCodeAt(0)};`);
}

/** For text in Markdown: it makes no markup, mention, reference or link. */
export function escapeMarkdown(text: string): string {
  return oneLine(text)
    .replace(/[&<>]/g, (char) => entities[char] ?? char)
    .replace(/[\\`*_[\]()#|~$!]/g, '\\$&')
    .replace(/^\s*(\d*)([-+=.)])/, '$1\\$2')
    .replace(/@|\\#|:(?=\/\/)|www(?=\.)|\bGH(?=-)/gi, '$&&#8203;');
}

export function uriPath(file: string): string {
  return file.replaceAll('\\', '/').toWellFormed().split('/').map(encodeURIComponent).join('/');
}

export function codeSpan(text: string): string {
  const safe = oneLine(text);
  if (safe === '') return '';
  const fence = '`'.repeat(longestRun(safe) + 1);
  const pad = safe.startsWith('`') || safe.endsWith('`') || safe.trim() === '' ? ' ' : '';
  return `${fence}${pad}${safe}${pad}${fence}`;
}

/** Text as a fenced Markdown block that nothing inside can close. */
export function codeBlock(text: string, language: string): string {
  const safe = printable(text);
  const fence = '`'.repeat(Math.max(3, longestRun(safe) + 1));
  return `${fence}${language}\n${safe}\n${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}

export function codePoint(char: string): string {
  return `<U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** A character as JSON escapes it: `\\u00a0`. */
export function unicodeEscape(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
