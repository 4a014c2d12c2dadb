import { get, getText, isObject } from '../model/json.ts';
import { apiRequest, call, identityResource } from './http.ts';
import { byHand, type Kind, type Write, type WriteInput } from './kind.ts';
import { senderAddress } from './sender-address.ts';
import { verifiedDomain } from './verified-domain.ts';

const resource = identityResource('MailFrom', 'v2025', 'mail-from-attributes');

/** The MAIL FROM domain of a mail identity (seed 001; api-notes, "MailFrom"). */
export const mailFrom: Kind = {
  name: 'MailFrom',
  summary: 'The MAIL FROM (bounce) domain of a mail identity.',
  keyFields: [{ name: 'identity', foldCase: true }],
  fields: { mailFromDomain: { is: 'email' } },
  serverOwned: ['id', 'mxRecord', 'txtRecord', 'mailFromDomainStatus'],
  resource,
  read: {
    how: 'each-declared',
    // The documents have the identity in the path and require `id` in the query, so both are sent to hosts that keep to them.
    each: ([identity = ''], settings) =>
      apiRequest('GET', resource, settings, {
        below: [identity],
        query: settings.mailFrom === 'id' ? { id: identity } : {},
      }),
    isAbsent: ({ status, body }) =>
      status === 400 ||
      status === 404 ||
      (status === 200 && isObject(body) && !getText(body, 'mailFromDomain')),
    candidatesFrom: [senderAddress, verifiedDomain],
  },
  parse(answer, id) {
    const identity = getText(answer, 'identity') ?? id;
    if (identity === null) return null;
    return { key: [identity], id: null, fields: { mailFromDomain: get(answer, 'mailFromDomain') ?? null } };
  },
  can: { create: 'replaces', update: true, delete: false, rename: false, pin: false },
  write: {
    create: put,
    update: put,
    remove: byHand('The API cannot remove the MAIL FROM domain of NAME; remove it in the admin interface.'),
  },
};

function put({ key: [identity = ''], fields, settings }: WriteInput): Write {
  const mailFromDomain = get(fields, 'mailFromDomain') ?? null;
  if (mailFromDomain === null) {
    return {
      manual: `${identity} has no MAIL FROM domain to set: declare \`mailFromDomain\`, then plan again.`,
    };
  }
  return {
    requests: [call('PUT', resource, settings, { body: { identity, mailFromDomain } })],
    warnings: [`Publish the new MX and TXT records of ${identity}: \`tenantctl status\` prints them.`],
  };
}
