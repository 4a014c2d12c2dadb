import type { Json } from '../../model/json.ts';
import { badRequest, notFound } from '../api-error.ts';
import { Fields } from '../shape.ts';
import { type DkimIdentity, dkimTokens, type MailFrom, newId } from '../state.ts';
import { type Handler, param, written } from '../tenant.ts';
import { domainOf, isDomain, isEmail, moveOn } from '../verification.ts';

const mostIdentities = 100;

/** Seed 001, operation rule 3: at most 100 identities, domains and e-mail addresses, and no way to the others. */
export const listDkimAttributes: Handler = (_call, { state }) => {
  const page = state.identities.slice(0, mostIdentities);
  const moved = page.filter((identity) =>
    moveOn(identity, identity.dkimVerificationStatus, () => {
      identity.dkimVerificationStatus = 'SUCCESS';
    }),
  );
  return { status: 200, body: page.map(dkimAttributes), changed: moved.length > 0 };
};

/** Seed 001, create-domain-dkim. */
export const createDomain: Handler = (call, { state, variations }) => {
  const fields = new Fields(call.body, 'body');
  const domain = fields.text('domain');
  fields.done();
  if (!isDomain(domain)) throw badRequest(`"${domain}" is no domain name`);
  if (state.identities.some(({ address }) => address.toLowerCase() === domain.toLowerCase())) {
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
  return written({ ...shown, domain });
};

/** Seed 001, operation rule 6: the identity is asked for in the path and in the query. */
export const getMailFrom: Handler = (call, { state, variations }) => {
  const identity = param(call, 'identity');
  const id = call.query.get('id');
  if (id === undefined) throw badRequest('The query parameter "id" is required');
  if (id !== identity) throw badRequest('The query parameter "id" is not the identity of the path');
  const found = state.mailFrom.find((candidate) => sameIdentity(candidate.identity, identity));
  if (found !== undefined) {
    const changed = moveOn(found, found.mailFromDomainStatus, () => {
      found.mailFromDomainStatus = 'SUCCESS';
    });
    return { status: 200, body: mailFromAttributes(found), changed };
  }
  const text = `${identity} has no MAIL FROM domain`;
  if (variations.mailFromMissing === 'badRequest') throw badRequest(text);
  if (variations.mailFromMissing === 'notFound') throw notFound(text);
  const nothing = { mailFromDomain: null, mxRecord: null, txtRecord: null, mailFromDomainStatus: null };
  return { status: 200, body: { identity, ...nothing } };
};

/** Seed 001, operation rule 4: a change starts the verification of the MAIL FROM domain. */
export const putMailFrom: Handler = (call, { state, variations }) => {
  const fields = new Fields(call.body, 'body');
  const identity = fields.text('identity');
  const mailFromDomain = fields.text('mailFromDomain');
  fields.done();
  if (!isEmail(identity) && !isDomain(identity)) throw badRequest(`"${identity}" is no e-mail identity`);
  if (!isDomain(mailFromDomain) || !mailFromDomain.toLowerCase().endsWith(`.${domainOf(identity)}`)) {
    throw badRequest(`mailFromDomain must be a subdomain of ${domainOf(identity)}`);
  }
  const live = state.mailFrom.find((candidate) => sameIdentity(candidate.identity, identity));
  if (live?.mailFromDomain === mailFromDomain) return written(mailFromAttributes(live));
  const next: MailFrom = {
    identity: live?.identity ?? identity,
    mailFromDomain,
    mailFromDomainStatus: 'PENDING',
    readsLeft: variations.verifyAfterReads,
  };
  if (live === undefined) state.mailFrom.push(next);
  else Object.assign(live, next);
  return written(mailFromAttributes(next));
};

function sameIdentity(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function dkimAttributes({ readsLeft: _readsLeft, ...shown }: DkimIdentity): Json {
  return shown;
}

function mailFromAttributes({ readsLeft: _readsLeft, ...shown }: MailFrom): Json {
  return {
    ...shown,
    mxRecord: '10 feedback-smtp.us-east-1.amazonses.com',
    txtRecord: 'v=spf1 include:amazonses.com ~all',
  };
}
