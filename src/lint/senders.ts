import { foldName } from '../kinds/field.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import type { Resource } from '../kinds/resource.ts';
import { senderAddress } from '../kinds/sender-address.ts';
import { verifiedDomain } from '../kinds/verified-domain.ts';
import type { Key } from '../model/address.ts';
import { get, getText } from '../model/json.ts';
import type { Change } from '../model/plan.ts';
import { pointer } from '../model/pointer.ts';
import { domainOf } from '../model/status.ts';
import { cutShort, didYouMean } from '../model/words.ts';
import type { Finding } from './finding.ts';
import { scanVelocity } from './velocity.ts';

export interface KnownSenders {
  readonly senders?: readonly string[];
  readonly verifiedDomains?: readonly string[];
  /** Reasons against other senders of the tenant, by their addresses in one form. */
  readonly unusable?: ReadonlyMap<string, string>;
}

/** The addresses and domains that notifications may come from, in one form. */
export interface Senders {
  readonly addresses: ReadonlySet<string>;
  readonly domains: readonly string[];
  readonly unusable: ReadonlyMap<string, string>;
  readonly isAsked: boolean;
}

/**
 * The senders among live objects: addresses whose verification has not failed, and verified domains.
 *
 * @param deleted the addresses of senders that the plan deletes, in one form
 */
export function sendersIn(objects: readonly LiveObject[], deleted: ReadonlySet<string>): KnownSenders {
  const unusable = new Map<string, string>();
  const senders: string[] = [];
  for (const { key, raw } of objects.filter(({ kind }) => kind === senderAddress)) {
    const address = nameIn(key);
    if (deleted.has(address)) unusable.set(address, 'a sender that this plan deletes');
    else if (getText(raw, 'verificationStatus') === 'FAILED')
      unusable.set(address, 'a sender of the tenant whose verification has failed');
    else senders.push(address);
  }
  const verified = objects.filter(
    ({ kind, raw }) => kind === verifiedDomain && getText(raw, 'dkimVerificationStatus') === 'SUCCESS',
  );
  return { senders, unusable, verifiedDomains: verified.map(({ key }) => nameIn(key)) };
}

export function collectSenders(resources: readonly Resource[], known: KnownSenders | null): Senders {
  const { senders, verifiedDomains = [], unusable = new Map() } = known ?? {};
  const namesOf = (wanted: Kind) =>
    resources
      .filter(({ kind, ensure }) => kind === wanted && ensure === 'present')
      .map(({ key }) => nameIn(key));
  return {
    addresses: new Set([...namesOf(senderAddress), ...(senders ?? []).map(foldName)]),
    domains: [...namesOf(verifiedDomain), ...verifiedDomains.map(foldName)],
    unusable,
    isAsked: senders !== undefined,
  };
}

const nameIn = ([name = '']: Key) => foldName(name);

interface NamedAddress {
  readonly field: string;
  readonly address: string;
}

/** The addresses of a template that are neither a sender nor in one of the domains, with their fields. */
export function findUnknownSenders(
  resource: Resource,
  { addresses, domains }: Pick<Senders, 'addresses' | 'domains'>,
): NamedAddress[] {
  return addressesIn(resource).filter(({ address }) => {
    const domain = domainOf(address);
    return (
      !addresses.has(address) &&
      !(address.includes('@') && domains.some((each) => domain === each || domain.endsWith(`.${each}`)))
    );
  });
}

export function deletedSenders(changes: readonly Change[]): ReadonlySet<string> {
  const deleted = changes.filter(({ kind, action }) => kind === senderAddress.name && action === 'delete');
  return new Set(deleted.map(({ key }) => nameIn(key)));
}

/** The declared templates that are sent from one of these addresses, or replied to there. */
export function findSentFrom(senders: ReadonlySet<string>, resources: readonly Resource[]): Resource[] {
  if (senders.size === 0) return [];
  return resources.filter(
    (resource) =>
      resource.kind === notificationTemplate &&
      resource.ensure === 'present' &&
      addressesIn(resource).some(({ address }) => senders.has(address)),
  );
}

function addressesIn({ fields }: Resource): NamedAddress[] {
  return ['from', 'replyTo'].flatMap((field) => {
    const value = get(fields, field);
    if (typeof value !== 'string' || value === '') return [];
    const { references, hasDirectives } = scanVelocity(value);
    // The value of a variable is only known when the notification is sent.
    if (references.length > 0 || hasDirectives) return [];
    return [{ field, address: foldName((/<([^<>]*)>\s*$/.exec(value)?.[1] ?? value).trim()) }];
  });
}

export function lintSenders(resource: Resource, senders: Senders): Finding[] {
  // Without the senders of the tenant, only projects that declare some can be judged.
  if (!senders.isAsked && senders.addresses.size === 0) return [];
  return findUnknownSenders(resource, senders).map(({ field, address }) => {
    const why = senders.unusable.get(address);
    const unknown = senders.isAsked
      ? 'neither a declared sender nor one of the tenant'
      : 'not a declared sender';
    const problem = why ?? unknown;
    const hint = why
      ? 'Notifications may not be delivered. Use another sender, or verify its domain.'
      : (didYouMean(address, senders.addresses) ?? 'Declare it as a SenderAddress, or verify its domain.');
    const message = `\`${field}\`: ${cutShort(address)} is ${problem}, and its domain is not verified.`;
    return { code: 'unknown-sender', message, hint, at: pointer(field) };
  });
}

/** A MAIL FROM domain that the tenant would refuse: it must be a subdomain of the identity's domain (api-notes). */
export function lintMailFrom(resource: Resource): Finding[] {
  const domain = domainOf(resource.key[0] ?? '');
  const declared = getText(resource.fields, 'mailFromDomain');
  if (!declared || foldName(declared).endsWith(`.${foldName(domain)}`)) return [];
  const message = `The MAIL FROM domain ${declared} is not a subdomain of ${domain}.`;
  const hint = `Use a subdomain, such as \`bounce.${domain}\`.`;
  return [{ code: 'mail-from-domain', message, hint, at: '/mailFromDomain' }];
}
