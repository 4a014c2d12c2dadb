import { readRows } from '../client/pages.ts';
import { dnsName, domainOf } from '../kinds/dns-records.ts';
import { apiRequest } from '../kinds/http.ts';
import { kindNamed } from '../kinds/index.ts';
import { identityOf, liveObject } from '../kinds/live.ts';
import { mailFrom } from '../kinds/mail-from.ts';
import { senderAddress } from '../kinds/sender-address.ts';
import { verificationOf } from '../kinds/verification.ts';
import { verifiedDomain } from '../kinds/verified-domain.ts';
import { type Address, formatAddress, type Key } from '../model/address.ts';
import { type JsonObject, textOf } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Resource } from '../model/resource.ts';
import {
  type IdentityStatus,
  type Status,
  statusFormat,
  type VerifiedKind,
  verifications,
  verifiedKinds,
} from '../model/status.ts';
import type { Tenant } from './tenant.ts';

/** What `status` is about. */
export interface StatusScope {
  /** The declared objects, of all kinds. */
  readonly resources: readonly Resource[];
  includes(address: Address): boolean;
}

/**
 * Reads senders, domains and MAIL FROM domains, and says how far each one's verification has come. What is declared
 * and not in the tenant is told as absent. Throws a Failure where a read fails.
 *
 * @param earlier an earlier reading: what had no MAIL FROM domain then is not asked about again
 */
export async function readStatus(
  tenant: Tenant,
  scope: StatusScope,
  earlier: Status | null = null,
): Promise<Status> {
  const declared = declaredIn(scope);
  const known = earlier?.identities.map(({ address }) => address) ?? null;
  const rows = await readIdentities(tenant);
  const identities = rows.flatMap((row) => textOf(row, 'address') ?? textOf(row, 'domain') ?? []);
  const { objects } = await tenant.readWanted([
    { kind: senderAddress, keys: [], ids: [], complete: true },
    { kind: mailFrom, keys: mailFromKeys(declared, identities, scope, known), ids: [], complete: false },
  ]);
  const { settings } = tenant.environment;
  const domains = rows
    .map((row) => liveObject(verifiedDomain, row, settings, null))
    .filter((domain) => domain !== null);
  const live = [...domains, ...objects].filter(({ address }) => scope.includes(address));
  const found = live.flatMap((object) => liveStatus(object, declared, tenant) ?? []);
  const present = new Set(live.map(nameOf));
  const absent = declared.filter((resource) => !present.has(nameOf(resource))).map(absentStatus);
  return statusOf([...found, ...absent], tenant);
}

type Declared = Resource & { readonly kind: VerifiedKind };

function declaredIn({ resources, includes }: StatusScope): Declared[] {
  return resources.filter(
    (resource): resource is Declared =>
      isVerified(resource.kind) && resource.ensure === 'present' && includes(resource.address),
  );
}

/** The list of DKIM attributes, e-mail identities included: they may have a MAIL FROM domain too. */
function readIdentities({ client, environment }: Tenant): Promise<JsonObject[]> {
  const { read, name } = verifiedDomain;
  if (read.how !== 'list') return Promise.resolve([]);
  const { path, pageSize, undeclaredPaging } = read.list;
  const { settings } = environment;
  const request = apiRequest('GET', path(settings), settings);
  return readRows(client, { what: name, request, pageSize, undeclaredPaging });
}

/** One call each, so only for what is declared and for the identities that the provider knows. */
function mailFromKeys(
  declared: readonly Declared[],
  identities: readonly string[],
  { includes }: StatusScope,
  known: readonly Address[] | null,
): Key[] {
  const keys = declared.filter(({ kind }) => kind === mailFrom.name).map(({ key }) => key);
  const live = identities
    .filter((identity) => dnsName(domainOf(identity)) !== null)
    .map((identity): Key => [identity])
    .filter((key) => {
      const address = formatAddress(mailFrom.name, key);
      return includes(address) && (known === null || known.includes(address));
    });
  return [...new Map([...live, ...keys].map((key) => [identityOf(mailFrom, key), key])).values()];
}

function liveStatus(
  { kind, key, address, raw }: LiveObject,
  declared: readonly Declared[],
  { environment }: Tenant,
): IdentityStatus | null {
  if (!isVerified(kind)) return null;
  const { records, ...facts } = verificationOf(kind, key[0] ?? '', raw, environment.settings);
  return {
    address,
    kind,
    name: key[0] ?? '',
    declared: declared.some((resource) => nameOf(resource) === nameOf({ kind, key })),
    ...facts,
    records: records.map((record) => ({ record, publication: null })),
  };
}

function absentStatus({ kind, key, address }: Declared): IdentityStatus {
  return {
    address,
    kind,
    name: key[0] ?? '',
    declared: true,
    verification: 'absent',
    reported: null,
    mailFromDomain: null,
    remarks: ['Declared, but not in the tenant: `tenantctl apply` creates it.'],
    records: [],
    refused: [],
  };
}

function statusOf(identities: readonly IdentityStatus[], { tenant, environment }: Tenant): Status {
  const place = ({ kind }: IdentityStatus) => verifiedKinds.indexOf(kind);
  const sorted = identities.toSorted(
    (a, b) => place(a) - place(b) || Number(a.name > b.name) - Number(a.name < b.name),
  );
  const count = (verification: string) =>
    identities.filter((identity) => identity.verification === verification).length;
  const [verified = 0, notNeeded = 0, pending = 0, failed = 0, absent = 0, unknown = 0] =
    verifications.map(count);
  return {
    formatVersion: statusFormat,
    environment: environment.name,
    tenant,
    checkedAt: new Date().toISOString(),
    identities: sorted,
    summary: { verified, 'not-needed': notNeeded, pending, failed, absent, unknown },
  };
}

function isVerified(kind: string): kind is VerifiedKind {
  return verifiedKinds.some((name) => name === kind);
}

function nameOf({ kind, key }: Pick<Resource, 'kind' | 'key'>): string {
  return identityOf(kindNamed(kind), key);
}
