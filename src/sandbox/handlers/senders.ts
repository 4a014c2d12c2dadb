import type { Json } from '../../model/json.ts';
import {
  type DkimIdentity,
  dkimTokens,
  type MailFrom,
  newId,
  type Sender,
  verificationStates,
} from '../objects.ts';
import { type FilterFields, parseFilters, readFlag, readRange, selectPage, sortRecords } from '../query.ts';
import { badRequest, deleteById, type Handlers, notFound, okWrite, param, type Query } from '../requests.ts';
import { bool, choice, object, text, textOrNull } from '../shape.ts';
import type { TenantState } from '../state.ts';
import type { Variations } from '../variations.ts';

/** Filter support of list-from-addresses. */
const filterFields: FilterFields = new Map([['email', ['eq', 'ge', 'le', 'sw']]] as const);

/** Sender addresses, domains and MAIL FROM domains (seed 001). */
export const senders = {
  /** The only list with `count` and `sorters`. */
  'list-from-addresses': ({ query }, tenant) => {
    const { state } = tenant;
    const matches = parseFilters(query, filterFields);
    const matching = state.senders.filter(({ email }) => matches(() => email));
    const found = sortRecords(matching, query.get('sorters'), ['email']);
    const withCount = readFlag(query, 'count');
    const page = selectPage(found, query, tenant.pageLimit);
    const changed = page.map((sender) => countSenderRead(sender, state)).includes(true);
    return {
      status: 200,
      body: page.map(hideCount),
      changed,
      headers: withCount ? { 'x-total-count': String(found.length) } : {},
    };
  },

  /** Operation rule 2: starts the verification of an address. */
  'create-verified-from-address': (call, tenant) => {
    const { state, variations } = tenant;
    const { email: sent } = object({
      email: text,
      id: textOrNull,
      isVerifiedByDomain: bool(false),
      verificationStatus: choice(verificationStates, 'PENDING'),
    })(call.body, 'body');
    if (!isEmail(sent)) throw badRequest(`"${sent}" is not an e-mail address`);
    if (state.senders.some(({ email }) => email.toLowerCase() === sent.toLowerCase())) {
      throw badRequest(`The address ${sent} already exists`);
    }
    const email = variations.emailLowerCase ? sent.toLowerCase() : sent;
    const sender: Sender = {
      id: newId(state, 'SenderAddress', email, state.senders),
      email,
      isVerifiedByDomain: false,
      verificationStatus: 'PENDING',
      region: null,
      readsLeft: hasVerifiedDomain(email, state) ? 0 : variations.verifyAfterReads,
    };
    state.senders.push(sender);
    return { status: 201, body: hideCount(sender), changed: true };
  },

  'delete-verified-from-address': (call, { state }) =>
    deleteById(state.senders, call, 'sender address', state),

  /** Operation rule 3: the first 100 identities, domains and e-mail addresses; no further pages are documented. */
  'get-dkim-attributes': ({ query }, { state, variations }) => {
    const page = selectIdentities(state.identities, query, variations);
    const changed = page.map((identity) => countRead(identity, 'dkimVerificationStatus')).includes(true);
    return { status: 200, body: page.map((identity) => showDkim(identity, variations)), changed };
  },

  'create-domain-dkim': (call, { state, variations }) => {
    const { domain } = object({ domain: text })(call.body, 'body');
    if (!isDomain(domain)) throw badRequest(`"${domain}" is not a domain name`);
    if (state.identities.some(({ address }) => isSameIdentity(address, domain))) {
      throw badRequest(`The domain ${domain} already exists`);
    }
    const identity: DkimIdentity = {
      id: newId(state, 'VerifiedDomain', domain, state.identities),
      address: domain,
      dkimEnabled: true,
      dkimTokens: dkimTokens(domain),
      dkimVerificationStatus: 'PENDING',
      region: 'us-east-1',
      readsLeft: variations.verifyAfterReads,
    };
    state.identities.push(identity);
    const { address: _address, readsLeft: _readsLeft, ...shown } = identity;
    return okWrite({ ...shown, domain });
  },

  /** Operation rule 6: the identity is sent in the path and in the query. */
  'get-mail-from-attributes': (call, { state, variations }) => {
    const identity = param(call, 'identity');
    const id = call.query.get('id');
    if (id === undefined) throw badRequest('The query parameter "id" is required');
    if (id !== identity) throw badRequest('The query parameter "id" is not the identity of the path');
    const ofIdentity = (name: string) => state.mailFrom.find((one) => isSameIdentity(one.identity, name));
    const inherited = variations.mailFromIdentity === 'domain' ? ofIdentity(domainOf(identity)) : undefined;
    const found = ofIdentity(identity) ?? inherited;
    if (found !== undefined) {
      const changed = countRead(found, 'mailFromDomainStatus');
      return { status: 200, body: showMailFrom(found), changed };
    }
    const message = `${identity} has no MAIL FROM domain`;
    if (variations.mailFromMissing === 'badRequest') throw badRequest(message);
    if (variations.mailFromMissing === 'notFound') throw notFound(message);
    const nothing = { mailFromDomain: null, mxRecord: null, txtRecord: null, mailFromDomainStatus: null };
    return { status: 200, body: { identity, ...nothing } };
  },

  /** Operation rule 4: a change starts the verification of the MAIL FROM domain. */
  'put-mail-from-attributes': (call, { state, variations }) => {
    const { identity, mailFromDomain } = object({ identity: text, mailFromDomain: text })(call.body, 'body');
    if (!isEmail(identity) && !isDomain(identity))
      throw badRequest(`"${identity}" is not an e-mail identity`);
    if (!isDomain(mailFromDomain) || !mailFromDomain.toLowerCase().endsWith(`.${domainOf(identity)}`)) {
      throw badRequest(`mailFromDomain must be a subdomain of ${domainOf(identity)}`);
    }
    const live = state.mailFrom.find((candidate) => isSameIdentity(candidate.identity, identity));
    if (live?.mailFromDomain === mailFromDomain) return okWrite(showMailFrom(live));
    const next: MailFrom = {
      identity: live?.identity ?? identity,
      mailFromDomain,
      mailFromDomainStatus: 'PENDING',
      readsLeft: variations.verifyAfterReads,
    };
    if (live === undefined) state.mailFrom.push(next);
    else Object.assign(live, next);
    return okWrite(showMailFrom(next));
  },
} satisfies Handlers;

const maxIdentities = 100;

function selectIdentities(
  identities: readonly DkimIdentity[],
  query: Query,
  { domainPages }: Variations,
): readonly DkimIdentity[] {
  if (domainPages === 'ignored') return identities;
  const { limit, offset } = readRange(query, maxIdentities, maxIdentities);
  return identities.slice(offset, offset + limit);
}

/** What a tenant answers about an item. */
function hideCount<T extends { readsLeft: number | null }>({ readsLeft: _readsLeft, ...shown }: T) {
  return shown;
}

/** The mail provider's own words for states of DKIM. */
const providerStates = {
  upper: { PENDING: 'NOT_STARTED', FAILED: 'TEMPORARY_FAILURE' },
  camel: { PENDING: 'NotStarted', FAILED: 'TemporaryFailure' },
} as const;

function showDkim(identity: DkimIdentity, { dkimStates }: Variations): Json {
  const shown = hideCount(identity);
  const { dkimVerificationStatus: state } = identity;
  if (dkimStates === 'documented' || (state !== 'PENDING' && state !== 'FAILED')) return shown;
  return { ...shown, dkimVerificationStatus: providerStates[dkimStates][state] };
}

function showMailFrom(mailFrom: MailFrom): Json {
  return {
    ...hideCount(mailFrom),
    mxRecord: '10 feedback-smtp.us-east-1.amazonses.com',
    txtRecord: 'v=spf1 include:amazonses.com ~all',
  };
}

function countSenderRead(sender: Sender, state: TenantState): boolean {
  const changed = countRead(sender, 'verificationStatus');
  if (changed && sender.verificationStatus === 'SUCCESS') {
    sender.isVerifiedByDomain = hasVerifiedDomain(sender.email, state);
  }
  return changed;
}

/**
 * Counts one read of something whose verification is pending; it succeeds after the last read that it takes. Counting
 * reads instead of time makes every run the same. Returns whether anything changed.
 */
function countRead<Name extends string>(
  item: { readsLeft: number | null } & Record<Name, Sender['verificationStatus']>,
  status: Name,
): boolean {
  if (item[status] !== 'PENDING' || item.readsLeft === null) return false;
  if (item.readsLeft > 0) {
    item.readsLeft -= 1;
    return true;
  }
  Object.assign(item, { readsLeft: null, [status]: 'SUCCESS' });
  return true;
}

function hasVerifiedDomain(email: string, { identities }: TenantState): boolean {
  const domain = domainOf(email);
  return identities.some(
    ({ address, dkimVerificationStatus }) =>
      address.toLowerCase() === domain && dkimVerificationStatus === 'SUCCESS',
  );
}

function isSameIdentity(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** True when `text` is a domain name of at least two labels. */
function isDomain(text: string): boolean {
  return (
    text.length <= 253 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i.test(text)
  );
}

/** True when `text` is an e-mail address at a domain name. */
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
