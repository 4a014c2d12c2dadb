import { type Address, parseAddress } from '../model/address.ts';
import { sha256 } from '../model/digest.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { shownPlace } from './omission.ts';

/** A value that is replaced by `!secret`. */
export interface SecretPlace {
  readonly address: Address;
  readonly at: Pointer;
}

/** Some systems limit the names of variables. */
const longest = 120;

/**
 * A name for each place, made of address and field: `SIM_INTEGRATION_SERVICENOW_ATTRIBUTES_PASSWORD`. Names are
 * unique, and none of `taken`, which stand in manifests already.
 */
export function secretNames(
  places: readonly SecretPlace[],
  taken: ReadonlySet<string> = new Set(),
): (place: SecretPlace) => string {
  const wanted = new Map(places.map((place) => [idOf(place), nameOf(place)]));
  const uses = new Map<string, number>();
  for (const name of wanted.values()) uses.set(name, (uses.get(name) ?? 0) + 1);
  return (place) => {
    const name = nameOf(place);
    const isFree = uses.get(name) === 1 && !taken.has(name);
    return isFree ? name : `${name}_${sha256(idOf(place)).slice(7, 15).toUpperCase()}`;
  };
}

/** The text of `.env.example`: each secret's name, and where it belongs. */
export function envExample(places: readonly SecretPlace[], name: (place: SecretPlace) => string): string {
  const lines = places.map((place) => `# ${place.address}, ${shownPlace(place.at)}\n${name(place)}=\n`);
  return `# The secrets that the manifests name. Set them where tenantctl runs; no value belongs into git.\n\n${lines.join('\n')}`;
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
