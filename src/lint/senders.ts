import { domainOf } from '../kinds/dns-records.ts';
import type { LiveObject } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { own, textOf } from '../model/json.ts';
import { pointer } from '../model/pointer.ts';
import { didYouMean } from '../model/suggest.ts';
import { type Finding, shorten } from './finding.ts';
import { scanVelocity } from './velocity.ts';

/** The senders of the tenant; absent if it was not asked. */
export interface KnownSenders {
  /** Addresses that notifications may come from. */
  readonly senders?: readonly string[];
  readonly verifiedDomains?: readonly string[];
}

/** The senders among live objects: addresses whose verification has not failed, and verified domains. */
export function sendersIn(objects: readonly LiveObject[]): KnownSenders {
  const keys = (kind: string, counts: (object: LiveObject) => boolean) =>
    objects
      .filter((object) => object.kind.name === kind && counts(object))
      .map(({ key: [first = ''] }) => first);
  return {
    senders: keys('SenderAddress', ({ raw }) => textOf(raw, 'verificationStatus') !== 'FAILED'),
    verifiedDomains: keys('VerifiedDomain', ({ raw }) => textOf(raw, 'dkimVerificationStatus') === 'SUCCESS'),
  };
}

/** The addresses and domains that notifications may come from, in lower case. */
export interface Senders {
  readonly addresses: ReadonlySet<string>;
  readonly domains: readonly string[];
  /** Whether the senders of the tenant are among them. */
  readonly isAsked: boolean;
}

/** Combines the senders and domains that resources declare with those of the tenant. */
export function collectSenders(resources: readonly Resource[], known: KnownSenders | null): Senders {
  const declared = (kind: string) =>
    resources.flatMap(({ kind: { name }, ensure, key: [first = ''] }) =>
      name === kind && ensure === 'present' ? [first.toLowerCase()] : [],
    );
  return {
    addresses: new Set([...declared('SenderAddress'), ...(known?.senders ?? []).map(lower)]),
    domains: [...declared('VerifiedDomain'), ...(known?.verifiedDomains ?? []).map(lower)],
    isAsked: known?.senders !== undefined,
  };
}

const lower = (text: string) => text.toLowerCase();

/** The addresses of a template that are neither a sender nor in one of the domains, with their fields. */
export function findUnknownSenders(
  { fields }: Resource,
  { addresses, domains }: Senders,
): { field: string; address: string }[] {
  return ['from', 'replyTo'].flatMap((field) => {
    const value = own(fields, field);
    if (typeof value !== 'string' || value === '') return [];
    const { references, hasDirectives } = scanVelocity(value);
    // The value of a variable is only known when the notification is sent.
    if (references.length > 0 || hasDirectives) return [];
    const address = (/<([^<>]*)>\s*$/.exec(value)?.[1] ?? value).trim().toLowerCase();
    const domain = domainOf(address);
    const isCovered =
      addresses.has(address) ||
      (address.includes('@') && domains.some((each) => domain === each || domain.endsWith(`.${each}`)));
    return isCovered ? [] : [{ field, address }];
  });
}

/** Findings about `from` and `replyTo` of a template. */
export function lintSenders(resource: Resource, senders: Senders): Finding[] {
  // Without the senders of the tenant, only projects that declare some can be judged.
  if (!senders.isAsked && senders.addresses.size === 0) return [];
  return findUnknownSenders(resource, senders).map(({ field, address }) => {
    const problem = senders.isAsked
      ? 'neither a declared sender nor one of the tenant'
      : 'not a declared sender';
    const hint =
      didYouMean(address, senders.addresses) ?? 'Declare it as a SenderAddress, or verify its domain.';
    const message = `\`${field}\`: ${shorten(address)} is ${problem}, and its domain is not verified`;
    return { code: 'unknown-sender', message, hint, resource, at: pointer(field) };
  });
}

/** A MAIL FROM domain that the tenant would refuse: it must be a subdomain of the identity's domain (api-notes). */
export function lintMailFrom(resource: Resource): Finding[] {
  const domain = domainOf(resource.key[0] ?? '');
  const declared = textOf(resource.fields, 'mailFromDomain');
  if (!declared || declared.toLowerCase().endsWith(`.${domain}`)) return [];
  const message = `The MAIL FROM domain ${declared} is not a subdomain of ${domain}`;
  const hint = `Use a subdomain, such as \`bounce.${domain}\`.`;
  return [{ code: 'mail-from-domain', message, hint, resource, at: '/mailFromDomain' }];
}
