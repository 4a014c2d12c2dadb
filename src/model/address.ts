import picomatch from 'picomatch';

/** `Kind/key`, key parts joined by `/` and percent-encoded: `NotificationTemplate/welcome/EMAIL/en`. */
export type Address = string;

/** The parts of an object's natural key, in the order the kind names them. */
export type Key = readonly string[];

export function formatAddress(kind: string, key: Key): Address {
  let address = kind;
  for (const part of key) address += `/${encodePart(part)}`;
  return address;
}

/** Most parts need no encoding, and testing that is faster than encoding them. */
function encodePart(part: string): string {
  if (/^[\w.-]*$/.test(part)) return part;
  return part.isWellFormed() ? encodeURIComponent(part) : encodeUnpaired(part);
}

/**
 * Encodes a text with unpaired surrogates, which JSON of a tenant may hold and URLs cannot: each as the three bytes of
 * its code unit, so that different texts have different addresses. No manifest can declare such an object, so
 * {@link parseAddress} does not read the address back.
 */
function encodeUnpaired(part: string): string {
  return part
    .split(/(\p{Surrogate})/u)
    .map((piece, at) => (at % 2 === 0 ? encodeURIComponent(piece) : encodeUnit(piece.charCodeAt(0))))
    .join('');
}

function encodeUnit(unit: number): string {
  const bytes = [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join('');
}

/** The kind and key of an address, or `null` where it is not valid. */
export function parseAddress(address: Address): { kind: string; key: Key } | null {
  const [kind, ...parts] = address.split('/');
  if (!kind || parts.length === 0 || parts.includes('')) return null;
  try {
    return { kind, key: parts.map(decodeURIComponent) };
  } catch {
    return null;
  }
}

/**
 * A predicate over addresses: true where one of `globs` matches (`*` within a part, `**` across parts).
 * A glob may be written with plain text (`SenderAddress/help@acme.example`) where the address is encoded.
 */
export function matchAddresses(globs: readonly string[]): (address: Address) => boolean {
  // Usually there are no globs, but thousands of addresses.
  if (globs.length === 0) return () => false;
  const matchers = globs.map((glob) => picomatch(glob, { dot: true, nonegate: true }));
  return (address) => {
    const parsed = parseAddress(address);
    const plain = parsed ? [parsed.kind, ...parsed.key].join('/') : address;
    return matchers.some((matches) => matches(address) || matches(plain));
  };
}

/** A predicate for the addresses that `--only` and `--except` include. */
export function scopeFilter({
  only,
  except,
}: {
  readonly only: readonly string[];
  readonly except: readonly string[];
}): (address: Address) => boolean {
  const isIncluded = matchAddresses(only);
  const isExcluded = matchAddresses(except);
  return (address) => (only.length === 0 || isIncluded(address)) && !isExcluded(address);
}
