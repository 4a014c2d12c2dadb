import { readDefaults } from '../client/read.ts';
import { exportObjects } from '../exporter/files.ts';
import { globProblem } from '../kinds/address-glob.ts';
import type { Kinds } from '../kinds/catalog.ts';
import { someOf } from '../kinds/read-request.ts';
import { noLifecycle, type Resource } from '../kinds/resource.ts';
import { type ManifestDocument, type Member, printableOf } from '../loader/print.ts';
import { type Address, matchAddresses, parseAddress } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { didYouMean } from '../model/words.ts';
import { kindsNamed } from './choices.ts';
import { type ExportOptions, exportTenant } from './export.ts';
import type { Tenant } from './tenant.ts';

/**
 * The live objects at these addresses and globs, as manifests. A template that nobody customised is the vendor's default. Throws a
 * Failure when the tenant cannot be read, and for addresses that can name nothing. The diagnostics have an error for each
 * address that names no object.
 */
export async function getLive(
  tenant: Tenant,
  addresses: readonly Address[],
  options: Pick<ExportOptions, 'root' | 'declaredSecrets'>,
) {
  const { kinds } = tenant.environment;
  checkAddresses(addresses, kinds);
  const known = new Set<Address>();
  const isWanted = matchAddresses(addresses);
  const exported = await exportTenant(tenant, {
    ...options,
    kinds: kindsNamed({ only: addresses }),
    isInScope(address) {
      known.add(address);
      return isWanted(address);
    },
  });
  const standards = await getDefaults(tenant, missingOf(addresses, [...known]), kinds);
  const documents = new Map([...exported.documents, ...standards]);
  const missing = missingOf(addresses, [...known, ...standards.keys()]);
  return {
    documents,
    diagnostics: [
      ...exported.diagnostics,
      ...[...standards.keys()].map((address): Diagnostic => {
        const message = `${address} is not customised: this is the vendor's default.`;
        return { code: 'vendor-default', severity: 'info', message, address };
      }),
      ...missing.map((address) => absent('not-in-tenant', address, 'The tenant has no object', [...known])),
    ],
  };
}

/** The objects that manifests declare at these addresses and globs, after variables and overlays. */
export function getDeclared(resources: readonly Resource[], addresses: readonly Address[], kinds: Kinds) {
  checkAddresses(addresses, kinds);
  const isWanted = matchAddresses(addresses);
  const wanted = resources.filter(({ address }) => isWanted(address));
  const known = resources.map(({ address }) => address);
  return {
    documents: new Map(wanted.map((resource) => [resource.address, documentOf(resource)])),
    diagnostics: missingOf(addresses, known).map((address) =>
      absent('not-declared', address, 'No manifest declares an object', known),
    ),
  };
}

/** Throws a Failure for addresses of kinds that do not exist, and for those that no object can have. */
function checkAddresses(addresses: readonly Address[], kinds: Kinds): void {
  const problems = addresses.flatMap((address): Diagnostic[] => {
    const problem = globProblem(address, kinds);
    return problem ? [{ ...problem, severity: 'error' }] : [];
  });
  if (problems.length > 0) throw new Failure(problems);
}

function missingOf(addresses: readonly Address[], known: readonly Address[]): Address[] {
  return addresses.filter((address) => !known.some(matchAddresses([address])));
}

async function getDefaults(
  { client }: Tenant,
  addresses: readonly Address[],
  kinds: Kinds,
): Promise<ReadonlyMap<Address, ManifestDocument>> {
  const requests = addresses.flatMap((address) => {
    const { kind: name = '', key = [] } = parseAddress(address) ?? {};
    const kind = kinds.find(name);
    return kind?.read.defaults && key.length === kind.keyFields.length ? [someOf(kind, [key])] : [];
  });
  const found = requests.length === 0 ? [] : await readDefaults(client, requests);
  const isWanted = matchAddresses(addresses);
  const objects = found.filter(({ address }) => isWanted(address));
  return exportObjects({ objects, records: new Map() }).documents;
}

function absent(code: string, address: Address, what: string, known: readonly Address[]): Diagnostic {
  const near = didYouMean(address, known);
  const hint = near ?? '`tenantctl get "KIND/**"` lists the objects of a kind.';
  return { code, severity: 'error', message: `${what} at the address \`${address}\`.`, hint };
}

function documentOf({ kind, key, id, ensure, fields, lifecycle }: Resource): ManifestDocument {
  // The parent in a key is a field too, which refers to it.
  const names = kind.keyFields.map(({ name }, part): Member => {
    return [name, printableOf(get(fields, name) ?? key[part] ?? '')];
  });
  const isPinnedOnly = id !== null && key[0] === id;
  const unset = new Map<string, unknown>(Object.entries(noLifecycle));
  const { renamedFrom, ...others } = lifecycle;
  // A manifest has the name alone, which only a key of one part can be.
  const written = { ...others, renamedFrom: renamedFrom?.[0] ?? null };
  const rules = Object.entries(written).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(unset.get(name)),
  );
  return {
    members: [
      ['kind', kind.name],
      ...(isPinnedOnly ? [] : names),
      ...(id === null ? [] : [['id', id] as const]),
      ...(ensure === 'absent' ? [['ensure', ensure] as const] : []),
      ...Object.entries(fields).flatMap(([name, value]): Member[] =>
        name === kind.parent?.part ? [] : [[name, printableOf(value)]],
      ),
      ...(rules.length === 0 ? [] : [['lifecycle', { members: rules }] as const]),
    ],
    comments: new Map(),
    remarks: [],
  };
}
