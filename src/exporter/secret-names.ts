import { type Address, parseAddress } from '../model/address.ts';
import { sha256 } from '../model/digest.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import type { Draft } from './draft.ts';

/** The place of a value that a `!secret` replaces. */
export interface SecretPlace {
  readonly address: Address;
  readonly at: Pointer;
}

/** The name of the secret at a place. */
export type NameSecret = (place: SecretPlace) => string;

/** The places of all secrets in the drafts. */
export function secretPlaces(drafts: readonly Draft[]): SecretPlace[] {
  return drafts.flatMap(({ object, secrets }) => secrets.map((at) => ({ address: object.address, at })));
}

/** Some systems limit the length of variable names. */
const longest = 120;

/**
 * A name for each place, made of address and field: `SIM_INTEGRATION_SERVICENOW_ATTRIBUTES_PASSWORD`. Names are
 * unique and differ from those in `taken`, which manifests use already.
 */
export function secretNames(
  places: readonly SecretPlace[],
  taken: ReadonlySet<string> = new Set(),
): NameSecret {
  const wanted = new Map(places.map((place) => [idOf(place), nameOf(place)]));
  const uses = new Map<string, number>();
  for (const name of wanted.values()) uses.set(name, (uses.get(name) ?? 0) + 1);
  return (place) => {
    const name = nameOf(place);
    const isFree = uses.get(name) === 1 && !taken.has(name);
    return isFree ? name : `${name}_${sha256(idOf(place)).slice(7, 15).toUpperCase()}`;
  };
}

function nameOf({ address, at }: SecretPlace): string {
  const { kind, key } = parseAddress(address) ?? { kind: '', key: [address] };
  const words = [kind.replaceAll(/(?!^)[A-Z]/g, '_$&'), ...key, ...segmentsOf(at)]
    .join('_')
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .slice(0, longest)
    .replaceAll(/_+$/g, '');
  // `NAME_FILE` means the file that holds `NAME`.
  return words.endsWith('_FILE') ? `${words}_TEXT` : words;
}

function idOf({ address, at }: SecretPlace): string {
  return `${address}#${at}`;
}
