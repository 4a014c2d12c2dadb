import picomatch from 'picomatch';

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
 * no glob matches them. Most parts need no encoding, and testing that is faster than encoding them.
 */
function encodePart(part: string): string {
  if (part === '.' || part === '..') return part.replaceAll('.', '%2E');
  if (/^[\w.-]*$/.test(part)) return part;
  const encoded = part.isWellFormed() ? encodeURIComponent(part) : encodeUnpaired(part);
  return encoded.replace(/[!*()]/g, (character) => percentCode(character.charCodeAt(0)));
}

/**
 * Encodes unpaired surrogates, which JSON of a tenant may hold and URLs cannot, each as three bytes: different texts have different
 * addresses. {@link parseAddress} does not read them back, since no manifest can declare such an object.
 */
function encodeUnpaired(part: string): string {
  const pieces = part.split(/(\p{Surrogate})/u).map((piece, at) => {
    if (at % 2 === 0) return encodeURIComponent(piece);
    const unit = piece.charCodeAt(0);
    const bytes = [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
    return bytes.map(percentCode).join('');
  });
  return pieces.join('');
}

function percentCode(byte: number): string {
  return `%${byte.toString(16).toUpperCase()}`;
}

/** An object's kind and key as in a `!ref`: unchanged, except for characters that would separate parts. */
export function referenceText(kind: string, key: Key): string {
  return [kind, ...key.map((part) => part.replace(/[%/]/g, encodeURIComponent))].join('/');
}

/** The kind and key of an address, or `null` if it is not valid. A single object has no key: its address is its kind. */
export function parseAddress(address: Address): { kind: string; key: Key } | null {
  const [kind, ...parts] = address.split('/');
  if (!kind || parts.includes('')) return null;
  try {
    return { kind, key: parts.map(decodeURIComponent) };
  } catch {
    return null;
  }
}

/**
 * True if one of `globs` matches (`*` within a part, `**` across parts). A glob may be plain text where the address is encoded.
 * An address from {@link formatAddress} only matches itself. With `isGuard`, other spellings match too: neither case nor the
 * encoding of accents counts, and `Sim/Tickets (EU)*` covers names with parentheses.
 */
export function matchAddresses(
  globs: readonly string[],
  { isGuard = false }: { readonly isGuard?: boolean } = {},
): (address: Address) => boolean {
  // Usually there are no globs, but thousands of addresses.
  if (globs.length === 0) return () => false;
  const compose = (text: string) => (isGuard ? text.normalize('NFC') : text);
  const withStarsOnly = (isGuard ? globs : []).map((glob) => glob.replace(/[\\"()[\]{}!+@|]/g, '\\$&'));
  const matchers = [...globs, ...withStarsOnly].map((glob) =>
    picomatch(compose(glob), { dot: true, nonegate: true, nocase: isGuard }),
  );
  return (address) => {
    const { encoded, plain, readable } = spellingsOf(address);
    const spellings = new Set([encoded, plain, readable].map(compose));
    return globs.includes(plain) || [...spellings].some((text) => matchers.some((matches) => matches(text)));
  };
}

/** An address as a glob may mean it: encoded, as plain text, and as plain text in which each part is still one. */
function spellingsOf(address: Address): { encoded: string; plain: string; readable: string } {
  // A star stands for at least one character: it has to cover an empty name too.
  const encoded = address.replace(/\/(?=\/|$)/g, '/%');
  if (!encoded.includes('%')) return { encoded, plain: address, readable: address };
  try {
    const parts = address.split('/').map(decodeURIComponent);
    return { encoded, plain: parts.join('/'), readable: parts.map(escapePart).join('/') };
  } catch {
    return { encoded, plain: address, readable: encoded };
  }
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

export function scopeFilter(scope: AddressScope): (address: Address) => boolean {
  const isInScope = namesFilter(scope);
  return (address) => isInScope([address]);
}

/** For an object with one name in its manifest and another one in the tenant: either includes it, or leaves it out. */
export function namesFilter({ only, except }: AddressScope): (names: readonly Address[]) => boolean {
  const isIncluded = matchAddresses(only);
  const isExcluded = matchAddresses(except);
  return (names) => (only.length === 0 || names.some(isIncluded)) && !names.some(isExcluded);
}
