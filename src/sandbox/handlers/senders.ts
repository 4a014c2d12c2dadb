import type { Json } from '../../model/json.ts';
import { dkimTokens, newId, verificationStates } from '../objects.ts';
import {
  badRequest,
  type Call,
  deleteById,
  notFound,
  ok,
  operation,
  param,
  type Reply,
  type Tenant,
} from '../operations.ts';
import { parseFilters, readFlag, selectPage, sortRecords } from '../query.ts';
import { bool, choice, object, text, textOrNull } from '../shape.ts';
import type { TenantState } from '../state.ts';

/** Seed 001. */
export const senders = [
  // The only list with `count` and `sorters`.
  operation('list-from-addresses', 'GET /v2025/verified-from-addresses', listSenders, {
    query: ['limit', 'offset', 'filters', 'count', 'sorters'],
  }),
  operation('create-verified-from-address', 'POST /v2025/verified-from-addresses', createSender),
  operation('delete-verified-from-address', 'DELETE /v2025/verified-from-addresses/{id}', (call, { state }) =>
    deleteById(state.senders, call, 'sender address', state),
  ),
  operation('get-dkim-attributes', 'GET /v2025/verified-domains', listIdentities),
  operation('create-domain-dkim', 'POST /v2025/verified-domains', createDomain),
  operation('get-mail-from-attributes', 'GET /v2025/mail-from-attributes/{identity}', getMailFrom, {
    query: ['id'],
  }),
  operation('put-mail-from-attributes', 'PUT /v2025/mail-from-attributes', putMailFrom),
];

function listSenders({ query }: Call, { state, pageLimit, variations }: Tenant): Reply {
  const isDocumented = variations.senderFilters === 'documented';
  const matches = parseFilters(
    query,
    new Map([['email', isDocumented ? ['eq', 'ge', 'le', 'sw'] : ['eq', 'ge', 'le', 'gt', 'lt']]]),
  );
  const matching = state.senders.filter(({ email }) => matches(() => email));
  const sorters = query.get('sorters');
  const ascending = sortRecords(matching, sorters?.replace(/^-/, ''), ['email']);
  const found = sorters?.startsWith('-') ? ascending.toReversed() : ascending;
  const withCount = readFlag(query, 'count');
  const page = selectPage(found, query, pageLimit);
  return {
    status: 200,
    body: page,
    headers: withCount ? { 'x-total-count': String(found.length) } : {},
  };
}

/** Operation rule 2: starts the verification of an address, which a verified domain ends at once. Others stay pending. */
function createSender({ body }: Call, { state, variations }: Tenant): Reply {
  const { email: sent } = object({
    email: text,
    id: textOrNull,
    isVerifiedByDomain: bool(false),
    verificationStatus: choice(verificationStates, 'PENDING'),
  })(body, 'body');
  if (!isEmail(sent)) throw badRequest(`"${sent}" is not an e-mail address`);
  if (state.senders.some(({ email }) => isSameIdentity(email, sent)))
    throw badRequest(`The address ${sent} already exists`);
  const email = variations.emailLowerCase ? sent.toLowerCase() : sent;
  const isVerifiedByDomain = state.identities.some(
    ({ address, dkimVerificationStatus }) =>
      isSameIdentity(address, domainOf(email)) && dkimVerificationStatus === 'SUCCESS',
  );
  const sender: TenantState['senders'][number] = {
    id: newId(state, 'SenderAddress', email, state.senders),
    email,
    isVerifiedByDomain,
    verificationStatus: isVerifiedByDomain ? 'SUCCESS' : 'PENDING',
    region: null,
  };
  state.senders.push(sender);
  return { status: 201, body: sender };
}

/** Operation rule 3: the first 100 identities, domains and e-mail addresses; no further pages are documented. */
function listIdentities({ query }: Call, { state, variations }: Tenant): Reply {
  const page =
    variations.domainPages === 'ignored'
      ? state.identities
      : selectPage(state.identities, query, maxIdentities);
  const states = providerStates[variations.dkimStates];
  const shown = page.map((identity) => ({
    ...identity,
    dkimVerificationStatus: states?.[identity.dkimVerificationStatus] ?? identity.dkimVerificationStatus,
  }));
  return ok(shown);
}

type MailFrom = TenantState['mailFrom'][number];

const maxIdentities = 100;

const providerStates: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  documented: {},
  upper: { PENDING: 'NOT_STARTED', FAILED: 'TEMPORARY_FAILURE' },
  camel: { PENDING: 'NotStarted', FAILED: 'TemporaryFailure' },
};

function createDomain({ body }: Call, { state }: Tenant): Reply {
  const { domain } = object({ domain: text })(body, 'body');
  if (!isDomain(domain)) throw badRequest(`"${domain}" is not a domain name`);
  if (state.identities.some(({ address }) => isSameIdentity(address, domain)))
    throw badRequest(`The domain ${domain} already exists`);
  const identity: TenantState['identities'][number] = {
    id: newId(state, 'VerifiedDomain', domain, state.identities),
    address: domain,
    dkimEnabled: true,
    dkimTokens: dkimTokens(domain),
    dkimVerificationStatus: 'PENDING',
    region: 'us-east-1',
  };
  state.identities.push(identity);
  const { address: _address, ...shown } = identity;
  return ok({ ...shown, domain });
}

/** Operation rule 6: the identity is sent in the path and in the query. */
function getMailFrom(call: Call, { state, variations }: Tenant): Reply {
  const identity = param(call, 'identity');
  const id = call.query.get('id');
  const isInPath = variations.mailFromQuery === 'path';
  if (isInPath && id !== undefined) throw badRequest('Unknown query parameter "id"');
  if (!isInPath && id === undefined) throw badRequest('The query parameter "id" is required');
  if (!isInPath && id !== identity)
    throw badRequest('The query parameter "id" is not the identity of the path');
  const names = variations.mailFromIdentity === 'domain' ? [identity, domainOf(identity)] : [identity];
  const [found] = names.flatMap((name) => state.mailFrom.filter((one) => isSameIdentity(one.identity, name)));
  if (found) return ok(showMailFrom(found));
  const message = `${identity} has no MAIL FROM domain`;
  if (variations.mailFromMissing === 'badRequest') throw badRequest(message);
  if (variations.mailFromMissing === 'notFound') throw notFound(message);
  const nothing = { mailFromDomain: null, mxRecord: null, txtRecord: null, mailFromDomainStatus: null };
  return ok({ identity, ...nothing });
}

/** Operation rule 4: a change starts the verification of the MAIL FROM domain. */
function putMailFrom({ body }: Call, { state }: Tenant): Reply {
  const { identity, mailFromDomain } = object({ identity: text, mailFromDomain: text })(body, 'body');
  if (!isEmail(identity) && !isDomain(identity)) throw badRequest(`"${identity}" is not an e-mail identity`);
  if (!isDomain(mailFromDomain) || !mailFromDomain.toLowerCase().endsWith(`.${domainOf(identity)}`))
    throw badRequest(`mailFromDomain must be a subdomain of ${domainOf(identity)}`);
  const live = state.mailFrom.find((candidate) => isSameIdentity(candidate.identity, identity));
  if (live?.mailFromDomain === mailFromDomain) return ok(showMailFrom(live));
  const next: MailFrom = {
    identity: live?.identity ?? identity,
    mailFromDomain,
    mailFromDomainStatus: 'PENDING',
  };
  if (live === undefined) state.mailFrom.push(next);
  else Object.assign(live, next);
  return ok(showMailFrom(next));
}

function showMailFrom(mailFrom: MailFrom): Json {
  return {
    ...mailFrom,
    mxRecord: '10 feedback-smtp.us-east-1.amazonses.com',
    txtRecord: 'v=spf1 include:amazonses.com ~all',
  };
}

function isSameIdentity(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function isDomain(text: string): boolean {
  return (
    text.length <= 253 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i.test(text)
  );
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  return (
    at > 0 && at <= 64 && /^[^\s@"<>(),:;[\]\\]+$/.test(text.slice(0, at)) && isDomain(text.slice(at + 1))
  );
}

/** The domain of an e-mail address, or the domain itself; in lower case. */
function domainOf(identity: string): string {
  return identity.slice(identity.lastIndexOf('@') + 1).toLowerCase();
}
