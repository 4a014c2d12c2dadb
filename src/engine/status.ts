import { domainToASCII } from 'node:url';
import type { DnsChecker } from '../client/dns-checker.ts';
import { systemClock } from '../client/rate-limiter.ts';
import { readObjects } from '../client/read.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { allOf, candidateKeys, distinctKeys, identityOf, someOf } from '../kinds/live-objects.ts';
import { mailFrom } from '../kinds/mail-from.ts';
import type { Resource } from '../kinds/resource.ts';
import { senderAddress } from '../kinds/sender-address.ts';
import { domainOf, stateWord, undocumentedState, verifiedDomain } from '../kinds/verified-domain.ts';
import { type Address, formatAddress, type Key } from '../model/address.ts';
import { type DnsRecord, type IdentityStatus, type Status, verifiedKinds } from '../model/documents.ts';
import { interruption } from '../model/failure.ts';
import { get, getText, isArray, type JsonObject } from '../model/json.ts';
import type { ApiSettings } from '../model/tenant.ts';
import { cutShort, quote } from '../model/words.ts';
import type { Tenant } from './tenant.ts';

interface StatusScope {
  readonly resources: readonly Resource[];
  includes(address: Address): boolean;
}

/** `earlier`: an earlier status: an identity without a MAIL FROM domain in it is not asked for one again. */
async function readNow(tenant: Tenant, scope: StatusScope, earlier: Status | null = null): Promise<Status> {
  const declared = scope.resources.filter(
    (resource): resource is VerifiedResource =>
      // Asked first: a glob that matches other objects is no mistake.
      scope.includes(resource.address) && isVerifiedKind(resource.kind) && resource.ensure === 'present',
  );
  const { client } = tenant;
  const identities = await readObjects(client, [allOf(senderAddress), allOf(verifiedDomain)]);
  const unusable = new Map<string, string>();
  const asked = someOf(mailFrom, mailFromKeys(declared, identities, scope, earlier));
  const mailFroms = await readObjects(client, [
    { ...asked, onUnusable: ({ kind, key }, why) => void unusable.set(identityOf(kind, key), why) },
  ]);
  const live = [...identities, ...mailFroms].filter(({ address }) => scope.includes(address));
  const named = new Map(declared.map((resource) => [identityOf(resource.kind, resource.key), resource]));
  const found = live.flatMap(({ kind, key, address, identity, raw }): IdentityStatus[] => {
    if (!isVerifiedKind(kind)) return [];
    const name = key[0] ?? '';
    const { records, ...facts } = verificationOf(kind.name, name, raw, tenant.environment.settings);
    const unchecked = records.map((record) => ({ record, publication: null }));
    return [{ address, kind: kind.name, name, declared: named.has(identity), ...facts, records: unchecked }];
  });
  for (const { identity } of live) named.delete(identity);
  const missing = [...named].map(([identity, resource]) => missingStatus(resource, unusable.get(identity)));
  return statusOf([...found, ...missing], tenant);
}

/** A declared identity that was not found, or whose answer cannot be used. */
function missingStatus({ kind, key, address }: VerifiedResource, why: string | undefined): IdentityStatus {
  return {
    address,
    kind: kind.name,
    name: key[0] ?? '',
    declared: true,
    verification: why === undefined ? 'absent' : 'unknown',
    reported: null,
    mailFromDomain: null,
    remarks: [why ?? 'Declared, but not in the tenant: `tenantctl apply` creates it.'],
    records: [],
    refused: [],
  };
}

interface WaitOptions {
  readonly limit: number;
  readonly interval: number;
  readonly signal: AbortSignal;
  /** Called with each status that has something to wait for. */
  onWait(status: Status): void;
}

/**
 * Reads senders, domains and MAIL FROM domains with the state of their verification. What is declared but not in the
 * tenant is `absent`. With `wait`, reads until all verifications are over or the limit is reached. Throws a Failure when a read
 * fails, and on Ctrl-C.
 */
export async function readStatus(
  tenant: Tenant,
  scope: StatusScope,
  wait: WaitOptions | null = null,
): Promise<Status> {
  let status = await readNow(tenant, scope);
  if (!wait) return status;
  const { limit, interval, signal, onWait } = wait;
  const end = systemClock.now() + limit;
  while (openIdentities(status).length > 0) {
    onWait(status);
    const left = end - systemClock.now();
    if (left <= 0) break;
    await systemClock.sleep(Math.min(interval, left), signal);
    if (signal.aborted) throw interruption();
    status = await readNow(tenant, scope, status);
  }
  return status;
}

/** Those whose verification is not over: of the identities that manifests declare, or of all if they declare none. */
export function openIdentities({ identities }: Pick<Status, 'identities'>): readonly IdentityStatus[] {
  const declared = identities.filter((identity) => identity.declared);
  return (declared.length > 0 ? declared : identities).filter(
    ({ verification }) => verification !== 'verified' && verification !== 'not-needed',
  );
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

type KindToVerify = Kind & { readonly name: IdentityStatus['kind'] };
type VerifiedResource = Resource & { readonly kind: KindToVerify };

/** Each sender and domain may have a MAIL FROM domain. There is no list, and only valid domains may be asked for. */
function mailFromKeys(
  declared: readonly VerifiedResource[],
  identities: readonly LiveObject[],
  { includes }: StatusScope,
  earlier: Status | null,
): Key[] {
  const before = earlier?.identities.filter(({ kind }) => kind === mailFrom.name);
  const known = before && new Set(before.map(({ name }) => identityOf(mailFrom, [name])));
  const keys = declared.filter(({ kind }) => kind === mailFrom).map(({ key }) => key);
  const live = candidateKeys(identities)
    .filter(([identity = '']) => dnsName(domainOf(identity)) !== null)
    .filter((key) => includes(formatAddress(mailFrom.name, key)))
    .filter((key) => known?.has(identityOf(mailFrom, key)) ?? true);
  return distinctKeys(mailFrom, [...live, ...keys]);
}

function statusOf(identities: readonly IdentityStatus[], { client, environment }: Tenant): Status {
  const summary = { verified: 0, 'not-needed': 0, pending: 0, failed: 0, absent: 0, unknown: 0 };
  for (const { verification } of identities) summary[verification] += 1;
  return {
    formatVersion: 1,
    environment: environment.name,
    tenant: client.tenant,
    checkedAt: new Date().toISOString(),
    identities: identities.toSorted(
      (a, b) =>
        verifiedKinds.indexOf(a.kind) - verifiedKinds.indexOf(b.kind) ||
        Number(a.name > b.name) - Number(a.name < b.name),
    ),
    summary,
  };
}

function isVerifiedKind(kind: Kind): kind is KindToVerify {
  return verifiedKinds.some((name) => name === kind.name);
}

/** Reads the tenant's answer about an object (seed 001, DkimAttributes, MailFromAttributes, EmailStatusDto). */
export function verificationOf(
  kind: IdentityStatus['kind'],
  name: string,
  answer: JsonObject,
  { dkimSuffix }: Pick<ApiSettings, 'dkimSuffix'>,
) {
  const { stateField, advice } = verified[kind];
  const reported = getText(answer, stateField);
  const byDomain = kind === 'SenderAddress' && get(answer, 'isVerifiedByDomain') === true;
  const isUnsigned = kind === 'VerifiedDomain' && get(answer, 'dkimEnabled') === false;
  const verification = byDomain ? 'verified' : (get(known, stateWord(reported)) ?? 'unknown');
  const remarks = [
    byDomain ? 'Verified by its domain.' : null,
    isUnsigned ? 'DKIM signing is switched off.' : null,
    undocumentedState(reported),
    advice[verification],
  ];
  const published = { VerifiedDomain: dkimRecords, MailFrom: mailFromRecords, SenderAddress: null }[kind];
  const found = published?.(answer, name, dkimSuffix) ?? [];
  const records = found.filter((each) => typeof each !== 'string');
  return {
    verification,
    reported,
    mailFromDomain: kind === 'MailFrom' ? getText(answer, 'mailFromDomain') : null,
    remarks: remarks.filter((remark) => typeof remark === 'string'),
    records: [...new Map(records.map((record) => [JSON.stringify(record), record])).values()],
    refused: found.filter((each) => typeof each === 'string'),
  };
}

type Advice = Readonly<Partial<Record<IdentityStatus['verification'], string>>>;

const verified: Readonly<Record<IdentityStatus['kind'], { stateField: string; advice: Advice }>> = {
  VerifiedDomain: {
    stateField: 'dkimVerificationStatus',
    advice: {
      pending: 'Publish the CNAME records; the provider finds them within 72 hours.',
      failed:
        'The provider did not find the CNAME records in time. Publish them, check them with `tenantctl status --dns`, then ask the vendor to start the verification again: the API cannot.',
    },
  },
  MailFrom: {
    stateField: 'mailFromDomainStatus',
    advice: {
      pending: 'Publish the MX and TXT records; the provider finds them within 72 hours.',
      failed:
        'The provider did not find the MX record in time. Publish both records, check them with `tenantctl status --dns`, then set the MAIL FROM domain again in the admin interface.',
    },
  },
  SenderAddress: {
    stateField: 'verificationStatus',
    advice: {
      pending: 'Follow the link in the verification e-mail, or verify its domain.',
      failed:
        'The link in the verification e-mail was not followed in time. Delete the address and create it again, which sends another e-mail, or verify its domain.',
    },
  },
};

/** The states in the documents, and those of the mail provider behind some tenants. */
const known: Readonly<Record<string, IdentityStatus['verification']>> = {
  SUCCESS: 'verified',
  NA: 'not-needed',
  PENDING: 'pending',
  NOT_STARTED: 'pending',
  TEMPORARY_FAILURE: 'pending',
  FAILED: 'failed',
};

// The DNS records that verify a domain. Every value comes from a tenant and ends in a zone file, so a value that is not a
// DNS name, host or plain text is refused.

type RecordOrReason = DnsRecord | string;

/** The CNAME records of a domain's DKIM tokens (api-notes, "VerifiedDomain"). */
function dkimRecords(answer: JsonObject, domain: string, suffix: string): RecordOrReason[] {
  const name = dnsName(domain);
  if (name === null) return [`The domain ${quote(domain)} is not a DNS name.`];
  const tokens = get(answer, 'dkimTokens');
  if (!isArray(tokens) || tokens.length === 0) return ['The tenant shows no DKIM tokens.'];
  return tokens.map((token) => {
    const label = typeof token === 'string' && labelPattern.test(token) ? token : null;
    const alias = label && dnsName(`${label}._domainkey.${name}`);
    const value = label && dnsName(`${label}.${suffix}`);
    if (!alias || !value)
      return `The DKIM token ${cutShort(JSON.stringify(token), 200)} cannot be part of a DNS name.`;
    return { type: 'CNAME', name: alias, value };
  });
}

/** A longer text cannot be a mail policy. */
const longestText = 2000;

/** The MX and TXT records of a MAIL FROM domain (seed 001, operation rule 4; api-notes, "MailFrom"). */
function mailFromRecords(answer: JsonObject): RecordOrReason[] {
  const domain = getText(answer, 'mailFromDomain') ?? '';
  const name = dnsName(domain);
  if (name === null) return [`The MAIL FROM domain ${quote(domain)} is not a DNS name.`];
  const mx = getText(answer, 'mxRecord') ?? '';
  const [, number = '', host = ''] = /^\s*(\d{1,5})\s+(\S+)\s*$/.exec(mx) ?? [];
  const [priority, server] = [Number(number), dnsName(host)];
  const txt = getText(answer, 'txtRecord') ?? '';
  const policy = txt.trim().replace(/^"([^"]*)"$/, '$1');
  const isPolicy = policy !== '' && policy.length <= longestText && /^[\x20-\x7e]*$/.test(policy);
  return [
    server === null || priority > 65_535
      ? `The MX record ${quote(mx)} is not valid.`
      : { type: 'MX', name, priority, value: server },
    isPolicy ? { type: 'TXT', name, value: policy } : `The TXT record ${quote(txt)} is not plain text.`,
  ];
}

const labelPattern = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/i;

/** `text` as an absolute DNS name: lower case, ASCII, without the last dot; `null` if it is not one. */
function dnsName(text: string): string | null {
  // The conversion would drop line feeds and blanks.
  if (/[\p{Cc}\p{Z}]/u.test(text)) return null;
  const plain = /^[\x21-\x7e]*$/.test(text) ? text : domainToASCII(text);
  const name = plain.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  return name.length <= 253 && labels.length > 1 && labels.every((label) => labelPattern.test(label))
    ? name
    : null;
}
