import picomatch from 'picomatch';
import { cutShort } from './words.ts';

/** `Kind/key`, key parts joined by `/` and percent-encoded: `NotificationTemplate/welcome/EMAIL/en`. */
export type Address = string;

export type Key = readonly string[];

/** The order of objects in every list, independent of the order in the tenant or folder. */
export function byAddress(one: { readonly address: Address }, other: { readonly address: Address }): number {
  return one.address < other.address ? -1 : 1;
}

export function formatAddress(kind: string, key: Key): Address {
  let address = kind;
  for (const part of key) address += `/${encodePart(part)}`;
  return address;
}

/**
 * Encodes characters with a meaning in globs, so that an address in `--only` only matches itself. `.` and `..` are encoded too:
 * no glob matches them.
 */
function encodePart(part: string): string {
  if (part === '.' || part === '..') return part.replaceAll('.', '%2E');
  return part.replace(/[^\w.~'-]/gu, (character) => {
    // JSON of a tenant may hold half a character, which URLs cannot. `%D83D` is not read back: no manifest can declare it.
    if (character.isWellFormed() && !'!*()'.includes(character)) return encodeURIComponent(character);
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

/** An object's kind and key as in a `!ref`: unchanged, except for characters that would separate parts. */
export function referenceText(kind: string, key: Key): string {
  return [kind, ...key.map(referencePart)].join('/');
}

export const referencePart = (part: string): string => part.replace(/[%/]/g, encodeURIComponent);

/** The kind and key of an address, or `null` if it is not valid. A single object has no key: its address is its kind. */
export function parseAddress(address: Address): { kind: string; key: Key } | null {
  const [kind, ...parts] = address.split('/');
  const key = kind && !parts.includes('') ? percentDecoded(parts) : null;
  return kind && key ? { kind, key } : null;
}

/** Texts without their percent codes; `null` if one has a code that is not valid. */
export function percentDecoded(texts: readonly string[]): string[] | null {
  try {
    return texts.map(decodeURIComponent);
  } catch {
    return null;
  }
}

/**
 * True if one of `globs` matches (`*` within a part, `**` across parts, `{a,b}`; all else stands for itself: names have parentheses
 * and question marks). A glob may be plain text where the address is encoded. An address from {@link formatAddress} only matches
 * itself. With `isGuard`, other spellings match too: neither case nor the encoding of accents counts, and braces may be a name's.
 */
export function matchAddresses(
  globs: readonly string[],
  { isGuard = false }: { readonly isGuard?: boolean } = {},
): (address: Address) => boolean {
  // Usually there are no globs, but thousands of addresses.
  if (globs.length === 0) return () => false;
  const compose = (text: string) => (isGuard ? text.normalize('NFC') : text);
  const plain = globs.map(addressGlob);
  const withStarsOnly = (isGuard ? plain : []).map((glob) => glob.replace(/[{}]/g, '\\$&'));
  const matchers = [...plain, ...withStarsOnly].map((glob) =>
    matchGlob(compose(glob), { dot: true, nonegate: true, nocase: isGuard }),
  );
  return (address) => {
    const spellings = spellingsOf(address);
    if (globs.includes(spellings[0])) return true;
    return spellings.map(compose).some((text) => matchers.some((matches) => matches(text)));
  };
}

/** A glob of addresses, in which only stars and braces have a meaning, as one of file names. */
export const addressGlob = (glob: string): string => glob.replace(/[\\"()[\]!?+@|]/g, '\\$&');

/** An address as a glob may mean it: as plain text, encoded, and as plain text in which each part is still one. */
function spellingsOf(address: Address): readonly [plain: string, ...others: string[]] {
  // A star stands for at least one character: it has to cover an empty name too.
  const encoded = address.replace(/\/(?=\/|$)/g, '/%');
  if (!encoded.includes('%')) return [address];
  const parts = percentDecoded(address.split('/'));
  return parts ? [parts.join('/'), encoded, parts.map(escapePart).join('/')] : [address, encoded];
}

/** Escapes what a star does not match: nothing, `.`, `..`, a slash or the end of a line. */
function escapePart(part: string): string {
  if (part === '') return '%';
  if (part === '.' || part === '..') return part.replaceAll('.', '%2E');
  return part.replace(/[/\n\r\u2028\u2029]/g, encodeURIComponent);
}

interface AddressScope {
  readonly only: readonly string[];
  readonly except: readonly string[];
}

/** An object may have one name in its manifest and another one in the tenant: either includes it, or leaves it out. */
export function scopeFilter({ only, except }: AddressScope): (...names: Address[]) => boolean {
  const isIncluded = matchAddresses(only);
  const isExcluded = matchAddresses(except);
  return (...names) => (only.length === 0 || names.some(isIncluded)) && !names.some(isExcluded);
}

/** A repeated group: each part of a name can belong to any repetition. */
const repeatedGroup = /[+*]\(|[)}]\+/;
/** Matches wildcards for any number of characters, including a plus after a class, and in parentheses. */
const stretch = /\*+|!\(|\]\+|(?<=\([^)]*)\+/g;
/** About the length of a long name, and so the number of ways in which a star can match. */
const waysOfStar = 300;
const mostWays = 100 * waysOfStar ** 3;
const mostGlobstars = 3;
/** The most ways to choose alternatives: each pair of braces, even `{,}`, multiplies them. */
const mostChoices = 1000;
const longestGlob = 4096;

/**
 * The problem with a glob whose comparison can take hours, or `null`: further stars between slashes and further alternatives
 * multiply the ways to try. A pull request can bring one, and names that take the longest. `pattern`: what is compared.
 */
export function slowGlob(glob: string, pattern = glob) {
  const plain = pattern.slice(0, 2 * longestGlob).replace(/\\.|\[[^\]]*\]/g, ']');
  const stars = plain.split('/').map((part) => part.match(stretch)?.length ?? 0);
  // The ways to choose alternatives. A group in parentheses can be left out too.
  let choices = 1;
  const open: number[] = [];
  for (const char of plain.match(/[{}()|,]/g) ?? []) {
    if (char === '{') open.push(1);
    else if (char === '(') open.push(2);
    else if (char === '}' || char === ')') choices *= open.pop() ?? 1;
    else if (open.length > 0) open.push((open.pop() ?? 0) + 1);
  }
  const isSlow =
    glob.length > longestGlob ||
    repeatedGroup.test(plain) ||
    plain.split('**').length - 1 > mostGlobstars ||
    choices > mostChoices ||
    waysOfStar ** Math.max(...stars) * choices > mostWays;
  if (!isSlow) return null;
  return {
    code: 'slow-glob',
    message: `\`${cutShort(glob, 200)}\` is so long, or can match a name in so many ways, that comparing it could take hours.`,
    hint: 'Write at most three stars between two slashes, few groups of alternatives, and none that is repeated, such as `+(…)`. Or write several globs.',
  };
}

/** True for a name that a glob matches. In it, `[!a]` is any character but `a`, as in a shell. */
export const matchGlob = (
  globs: string | string[],
  options: picomatch.PicomatchOptions = {},
): ((name: string) => boolean) => picomatch(globs, { ...options, posix: true });
