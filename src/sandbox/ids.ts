import { createHash } from 'node:crypto';

/** Hexadecimal digits that depend on `parts` only. */
function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\u0000')).digest('hex').slice(0, 32);
}

/** An id in the form of a UUID that depends on `parts` only. */
export function uuid(...parts: string[]): string {
  const hex = digest(parts);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** An unused id for a new object. Equal keys get equal ids in equal tenants, in any order of creation. */
export function newId(
  { generation }: { readonly generation: number },
  kind: string,
  key: string,
  taken: readonly { id: string | null }[],
): string {
  const used = new Set(taken.map(({ id }) => id));
  for (let copy = 0; ; copy += 1) {
    const id = uuid(kind, key, String(generation), String(copy));
    if (!used.has(id)) return id;
  }
}

/** The three DKIM tokens of an address. */
export function dkimTokens(address: string): string[] {
  return ['1', '2', '3'].map((number) => digest(['dkim', address, number]));
}

/** The uid that a tenant makes from a label. */
export function uidOf(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}
