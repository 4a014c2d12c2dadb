import { get, getText, type JsonObject } from '../model/json.ts';
import { call, identityResource, idText } from './http.ts';
import { byHand, type Kind } from './kind.ts';

const resource = identityResource('VerifiedDomain', 'v2025', 'verified-domains');

/** The list calls the domain `address`, and may also hold e-mail identities. */
const nameIn = (row: JsonObject) => getText(row, 'domain') ?? getText(row, 'address');

/** A domain whose mail is signed by DKIM (seed 001; api-notes, "VerifiedDomain"). */
export const verifiedDomain: Kind = {
  name: 'VerifiedDomain',
  summary: 'A mail domain that the tenant signs for; creating one returns the DKIM tokens to publish in DNS.',
  keyFields: [{ name: 'domain', foldCase: true }],
  fields: {},
  serverOwned: ['id', 'dkimEnabled', 'dkimTokens', 'dkimVerificationStatus', 'region', 'address'],
  resource,
  read: {
    how: 'list',
    list: {
      resource,
      pageSize: 100,
      undeclaredPaging: true,
      isForeign: (row) => nameIn(row)?.includes('@') === true,
    },
  },
  parse(answer) {
    const domain = nameIn(answer);
    if (domain === null || domain.includes('@')) return null;
    const whyNotExported = undocumentedState(getText(answer, 'dkimVerificationStatus'));
    return { key: [domain], id: idText(get(answer, 'id')), fields: {}, whyNotExported };
  },
  // Not shown (seed 001).
  can: { create: 'duplicates', update: false, delete: false, rename: false, pin: false },
  write: {
    create({ key: [domain = ''], settings }) {
      return {
        requests: [call('POST', resource, settings, { body: { domain } })],
        warnings: [`Then publish the DKIM records of ${domain}: \`tenantctl status\` prints them.`],
      };
    },
    update: byHand('A verified domain has no fields that can be changed.'),
    remove: byHand(
      "The API cannot remove a verified domain; remove NAME in the admin interface, or ask the vendor's support.",
    ),
  },
};

export function domainOf(identity: string): string {
  return identity.slice(identity.lastIndexOf('@') + 1).toLowerCase();
}

/** A state in the spelling of the documents: providers also write `TemporaryFailure`. */
export function stateWord(reported: string | null): string {
  return (reported ?? '').replaceAll(/([a-z])[ -]?(?=[A-Z])/g, '$1_').toUpperCase();
}

/** Explains a state of the mail provider that the documents do not have; `null` for others. */
export function undocumentedState(reported: string | null): string | null {
  switch (stateWord(reported)) {
    case 'NOT_STARTED':
      return 'The mail provider has not started to verify it.';
    case 'TEMPORARY_FAILURE':
      return 'The mail provider could not look up the records, and will try again.';
    default:
      return null;
  }
}
