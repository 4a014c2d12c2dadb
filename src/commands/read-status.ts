import { dnsName, domainOf } from '../kinds/dns-records.ts';
import { kindNamed } from '../kinds/index.ts';
import { identityOf } from '../kinds/live.ts';
import { mailFrom } from '../kinds/mail-from.ts';
import { senderAddress } from '../kinds/sender-address.ts';
import { verificationOf } from '../kinds/verification.ts';
import { verifiedDomain } from '../kinds/verified-domain.ts';
import { type Address, formatAddress, type Key } from '../model/address.ts';
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
  const known = earlier && new Set(earlier.identities.map(nameOfStatus));
  const both = [senderAddress, verifiedDomain].map((kind) => ({ kind, keys: [], ids: [], complete: true }));
  const { objects: identities } = await tenant.readWanted(both);
  const keys = mailFromKeys(declared, identities, scope, known);
  const { objects } = await tenant.readWanted([{ kind: mailFrom, keys, ids: [], complete: false }]);
  const live = [...identities, ...objects].filter(({ address }) => scope.includes(address));
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

/** There is no list of MAIL FROM domains: any sender or domain may have one, and each takes a call. */
function mailFromKeys(
  declared: readonly Declared[],
  identities: readonly LiveObject[],
  { includes }: StatusScope,
  known: ReadonlySet<string> | null,
): Key[] {
  const keys = declared.filter(({ kind }) => kind === mailFrom.name).map(({ key }) => key);
  const live = candidates(identities)
    .filter((key) => includes(formatAddress(mailFrom.name, key)))
    .filter((key) => known === null || known.has(identityOf(mailFrom, key)));
  return [...new Map([...live, ...keys].map((key) => [identityOf(mailFrom, key), key])).values()];
}

/** A tenant may list what cannot be asked about. */
function candidates(identities: readonly LiveObject[]): Key[] {
  const { read } = mailFrom;
  const keys = read.how === 'each-declared' ? read.candidates(identities) : [];
  return keys.filter(([identity = '']) => dnsName(domainOf(identity)) !== null);
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

function nameOfStatus({ kind, name }: IdentityStatus): string {
  return nameOf({ kind, key: [name] });
}

function nameOf({ kind, key }: Pick<Resource, 'kind' | 'key'>): string {
  return identityOf(kindNamed(kind), key);
}
