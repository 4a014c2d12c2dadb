import { type Address, parseAddress } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { digestStart } from '../model/digest.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { append } from './edit/document.ts';
import { printPlace } from './remarks.ts';

interface SecretPlace {
  readonly address: Address;
  readonly at: Pointer;
}

interface NamedPlace extends SecretPlace {
  readonly name?: string | null;
}

export interface NamedSecret extends SecretPlace {
  readonly name: string;
}

export type NameSecret = (place: SecretPlace) => string;

/** Some systems limit the length of variable names. */
const longest = 120;

/**
 * A name for each place: the one that an existing manifest gives it, else one made of address and field, such as
 * `SIM_INTEGRATION_SERVICENOW_ATTRIBUTES_PASSWORD`. New names are unique and differ from those in `inUse`, which manifests
 * use already.
 */
export function secretNames(
  places: readonly NamedPlace[],
  inUse: ReadonlySet<string> = new Set(),
): NameSecret {
  const given = new Map(
    places.flatMap((place): [string, string][] => (place.name ? [[idOf(place), place.name]] : [])),
  );
  const taken = new Set([...inUse, ...given.values()]);
  const wanted = new Map(places.map((place) => [idOf(place), nameOf(place)]));
  const uses = new Map<string, number>();
  for (const name of wanted.values()) uses.set(name, (uses.get(name) ?? 0) + 1);
  return (place) => {
    const known = given.get(idOf(place));
    if (known !== undefined) return known;
    const name = nameOf(place);
    const isFree = uses.get(name) === 1 && !taken.has(name);
    return isFree ? name : `${name}_${digestStart(idOf(place)).toUpperCase()}`;
  };
}

function nameOf({ address, at }: SecretPlace): string {
  const { kind, key } = parseAddress(address) ?? { kind: '', key: [address] };
  const fields = segmentsOf(at).map((name) => name.replaceAll(/(?<=[a-z\d])[A-Z]/g, '_$&'));
  const words = [kind.replaceAll(/(?!^)[A-Z]/g, '_$&'), ...key, ...fields]
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

export const envExampleFile = '.env.example';

const envExampleHeader =
  '# The secrets that the manifests name. Set them where tenantctl runs; keep the values out of git.\n';

/**
 * The text of `.env.example` with a line for each secret that it does not list, and where the secret is used. What is
 * there stays as it is.
 *
 * @param existing the present text; `null` where there is no such file
 */
export function addToEnvExample(existing: string | null, secrets: readonly NamedSecret[]): string | null {
  const listed = new Set(
    [...(existing ?? '').matchAll(/^[#\s]*(?:export\s+)?(\w+)\s*=/gm)].map(([, name]) => name),
  );
  const missing = secrets.filter(({ name }) => !listed.has(name));
  if (missing.length === 0) return existing;
  const entries = groupBy(missing, ({ name }) => name).map(([name, places]) => {
    const uses = places.map(({ address, at }) => `# ${address}, ${printPlace(at)}\n`);
    return `\n${uses.join('')}${name}=\n`;
  });
  const added = entries.join('');
  return existing === null || existing.trim() === '' ? envExampleHeader + added : append(existing, added);
}
