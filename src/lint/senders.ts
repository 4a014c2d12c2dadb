import { own } from '../model/json.ts';
import { pointer } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import { didYouMean } from '../model/suggest.ts';
import { brief, type Finding } from './finding.ts';
import type { LintKnowledge } from './knowledge.ts';
import { scanVelocity } from './velocity.ts';

/** Whom notifications may come from. */
export interface Senders {
  readonly addresses: ReadonlySet<string>;
  readonly domains: readonly string[];
  /** Whether the tenant was asked for its senders. */
  readonly isAsked: boolean;
}

/** Declared senders and domains, and those of the tenant where it was asked. */
export function sendersOf(resources: readonly Resource[], known: LintKnowledge | null): Senders {
  const declared = (kind: string) =>
    resources.flatMap(({ kind: name, ensure, key: [first = ''] }) =>
      name === kind && ensure === 'present' ? [first.toLowerCase()] : [],
    );
  return {
    addresses: new Set([...declared('SenderAddress'), ...(known?.senders ?? []).map(lower)]),
    domains: [...declared('VerifiedDomain'), ...(known?.verifiedDomains ?? []).map(lower)],
    isAsked: known?.senders !== undefined,
  };
}

const lower = (text: string) => text.toLowerCase();

/** The addresses of a template that no sender or domain covers, with the fields that name them. */
export function foreignAddresses(
  { fields }: Resource,
  { addresses, domains }: Senders,
): { field: string; address: string }[] {
  return ['from', 'replyTo'].flatMap((field) => {
    const value = own(fields, field);
    if (typeof value !== 'string' || value === '') return [];
    const { references, hasDirectives } = scanVelocity(value);
    // What a variable stands for shows only when the notification is sent.
    if (references.length > 0 || hasDirectives) return [];
    const address = (/<([^<>]*)>\s*$/.exec(value)?.[1] ?? value).trim().toLowerCase();
    const domain = address.slice(address.lastIndexOf('@') + 1);
    const isCovered =
      addresses.has(address) ||
      (address.includes('@') && domains.some((each) => domain === each || domain.endsWith(`.${each}`)));
    return isCovered ? [] : [{ field, address }];
  });
}

/** Without the tenant's word only a project that declares senders can be judged. */
export function senderFindings(resource: Resource, senders: Senders): Finding[] {
  if (!senders.isAsked && senders.addresses.size === 0) return [];
  return foreignAddresses(resource, senders).map(({ field, address }) => {
    const who = senders.isAsked ? 'neither a declared sender nor one of the tenant' : 'no declared sender';
    const hint =
      didYouMean(address, senders.addresses) ?? 'Declare it as a SenderAddress, or verify its domain.';
    const message = `\`${field}\`: ${brief(address)} is ${who}, and its domain is not verified`;
    return { code: 'unknown-sender', message, hint, resource, at: pointer(field) };
  });
}
