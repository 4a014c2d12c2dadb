import { systemClock } from '../client/clock.ts';
import type { DnsChecker } from '../client/dns-checker.ts';
import { readObjects } from '../client/read.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { candidateKeys, distinctKeys, identityOf } from '../kinds/live-objects.ts';
import { mailFrom } from '../kinds/mail-from.ts';
import { allOf, type ReadRequest, someOf } from '../kinds/read-request.ts';
import type { Resource } from '../kinds/resource.ts';
import { senderAddress } from '../kinds/sender-address.ts';
import { verifiedDomain } from '../kinds/verified-domain.ts';
import { type Address, formatAddress, type Key } from '../model/address.ts';
import { interruption } from '../model/failure.ts';
import {
  domainOf,
  type IdentityStatus,
  isVerificationOver,
  type Status,
  statusFormat,
  type VerifiedKind,
  verifications,
  verifiedKinds,
} from '../model/status.ts';
import { Unusable } from './reading.ts';
import type { Tenant } from './tenant.ts';
import { dnsName, verificationOf } from './verification.ts';

export interface StatusScope {
  readonly resources: readonly Resource[];
  includes(address: Address): boolean;
}

/**
 * Reads senders, domains and MAIL FROM domains with the state of their verification. What is declared but not in the
 * tenant is `absent`. Throws a Failure when a read fails.
 *
 * @param earlier an earlier status: an identity without a MAIL FROM domain in it is not asked for one again
 */
export async function readStatus(
  tenant: Tenant,
  scope: StatusScope,
  earlier: Status | null = null,
): Promise<Status> {
  const declared = findDeclared(scope);
  const { kinds } = tenant.environment;
  const known =
    earlier && new Set(earlier.identities.map(({ kind, name }) => identityOf(kinds.get(kind), [name])));
  const { client } = tenant;
  const read = (requests: readonly ReadRequest[]) => readObjects(client, requests);
  const identities = await read([allOf(senderAddress), allOf(verifiedDomain)]);
  const unusable = new Unusable();
  const mailFroms = someOf(mailFrom, mailFromKeys(declared, identities, scope, known));
  const objects = await read([{ ...mailFroms, onUnusable: unusable.add }]);
  const live = [...identities, ...objects].filter(({ address }) => scope.includes(address));
  const found = live.flatMap((object) => liveStatus(object, declared, tenant) ?? []);
  const present = new Set(live.map(({ identity }) => identity));
  const absent = declared
    .filter(({ kind, key }) => !present.has(identityOf(kind, key)))
    .map((resource) => missingStatus(resource, unusable.why(resource)));
  return statusOf([...found, ...absent], tenant);
}

interface WaitOptions {
  readonly limit: number;
  readonly interval: number;
  readonly signal: AbortSignal;
  /** Called with the first status, where there is something to wait for. */
  onWait(status: Status): void;
  onRead(before: Status, after: Status): void;
}

/** Reads the status until all verifications are over or the limit is reached. Throws a Failure on Ctrl-C. */
export async function waitForStatus(
  tenant: Tenant,
  scope: StatusScope,
  { limit, interval, signal, onWait, onRead }: WaitOptions,
): Promise<Status> {
  const end = systemClock.now() + limit;
  let status = await readStatus(tenant, scope);
  if (!isSettled(status)) onWait(status);
  while (!isSettled(status)) {
    const left = end - systemClock.now();
    if (left <= 0) break;
    await systemClock.sleep(Math.min(interval, left), signal);
    if (signal.aborted) throw interruption();
    const next = await readStatus(tenant, scope, status);
    onRead(status, next);
    status = next;
  }
  return status;
}

/** Returns the identities that manifests declare, or all if none is declared. */
export function identitiesToAwait({ identities }: Status): readonly IdentityStatus[] {
  const declared = identities.filter((identity) => identity.declared);
  return declared.length > 0 ? declared : identities;
}

export function isSettled(status: Status): boolean {
  return identitiesToAwait(status).every(isVerificationOver);
}

/** Looks each record up in DNS. Throws a Failure on Ctrl-C. */
export async function checkDns(status: Status, checker: DnsChecker, signal: AbortSignal): Promise<Status> {
  signal.addEventListener('abort', checker.cancel, { once: true });
  const identities = await Promise.all(
    status.identities.map(async (identity) => ({
      ...identity,
      records: await Promise.all(
        identity.records.map(async ({ record }) => ({ record, publication: await checker.check(record) })),
      ),
    })),
  );
  signal.removeEventListener('abort', checker.cancel);
  if (signal.aborted) throw interruption();
  return { ...status, identities };
}

type KindToVerify = Kind & { readonly name: VerifiedKind };
type VerifiedResource = Resource & { readonly kind: KindToVerify };

function findDeclared({ resources, includes }: StatusScope): VerifiedResource[] {
  return resources.filter(
    (resource): resource is VerifiedResource =>
      isVerifiedKind(resource.kind) && resource.ensure === 'present' && includes(resource.address),
  );
}

/** Each sender and domain may have a MAIL FROM domain. There is no list, and only valid domains may be asked for. */
function mailFromKeys(
  declared: readonly VerifiedResource[],
  identities: readonly LiveObject[],
  { includes }: StatusScope,
  known: ReadonlySet<string> | null,
): Key[] {
  const keys = declared.filter(({ kind }) => kind === mailFrom).map(({ key }) => key);
  const { read } = mailFrom;
  const candidates = read.how === 'each-declared' ? candidateKeys(read, identities) : [];
  const live = candidates
    .filter(([identity = '']) => dnsName(domainOf(identity)) !== null)
    .filter((key) => includes(formatAddress(mailFrom.name, key)))
    .filter((key) => known === null || known.has(identityOf(mailFrom, key)));
  return distinctKeys(mailFrom, [...live, ...keys]);
}

function liveStatus(
  { kind, key, address, identity, raw }: LiveObject,
  declared: readonly VerifiedResource[],
  { environment }: Tenant,
): IdentityStatus | null {
  if (!isVerifiedKind(kind)) return null;
  const { records, ...facts } = verificationOf(kind.name, key[0] ?? '', raw, environment.settings);
  return {
    address,
    kind: kind.name,
    name: key[0] ?? '',
    declared: declared.some((resource) => identityOf(resource.kind, resource.key) === identity),
    ...facts,
    records: records.map((record) => ({ record, publication: null })),
  };
}

/** A declared identity that was not found, or whose answer cannot be used. */
function missingStatus({ kind, key, address }: VerifiedResource, why: string | null): IdentityStatus {
  return {
    address,
    kind: kind.name,
    name: key[0] ?? '',
    declared: true,
    verification: why === null ? 'absent' : 'unknown',
    reported: null,
    mailFromDomain: null,
    remarks: [why ?? 'Declared, but not in the tenant: `tenantctl apply` creates it.'],
    records: [],
    refused: [],
  };
}

function statusOf(identities: readonly IdentityStatus[], { client, environment }: Tenant): Status {
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
    tenant: client.tenant,
    checkedAt: new Date().toISOString(),
    identities: sorted,
    summary: { verified, 'not-needed': notNeeded, pending, failed, absent, unknown },
  };
}

function isVerifiedKind(kind: Kind): kind is KindToVerify {
  return verifiedKinds.some((name) => name === kind.name);
}
