import type { Json } from '../../model/json.ts';
import { badRequest, notFound } from '../api-error.ts';
import { type FilterFields, parseFilter } from '../filter.ts';
import { flagIn, pageOf, sorted } from '../query.ts';
import { Fields } from '../shape.ts';
import { newId, type Sender, type TenantState, verificationStates } from '../state.ts';
import { type Handler, param } from '../tenant.ts';
import { domainOf, isEmail, moveOn } from '../verification.ts';

/** Seed 001, filter support of list-from-addresses. */
const filterFields: FilterFields = new Map([['email', ['eq', 'ge', 'le', 'sw']]] as const);
const sortFields = new Map([['email', (sender: Sender) => sender.email]]);

/** Seed 001, list-from-addresses: the only list with `count` and `sorters`. */
export const listSenders: Handler = (call, { state, variations, pageLimit }) => {
  const { query } = call;
  const filters = query.get('filters');
  const fits = filters === undefined ? () => true : parseFilter(filters, filterFields);
  const found = sorted(
    state.senders.filter(({ email }) => fits(() => email)),
    query.get('sorters'),
    sortFields,
  );
  const counted = flagIn(query, 'count');
  const page = pageOf(found, query, pageLimit, variations.repeatPages);
  const moved = page.filter((sender) => verify(sender, state));
  return {
    status: 200,
    body: page.map(answer),
    changed: moved.length > 0,
    headers: counted ? { 'x-total-count': String(found.length) } : {},
  };
};

/** Seed 001, operation rule 2: starts the verification of an address. */
export const createSender: Handler = (call, tenant) => {
  const { state, variations } = tenant;
  const fields = new Fields(call.body, 'body');
  const sent = fields.text('email');
  for (const name of ['id', 'region']) fields.textOrNull(name);
  fields.bool('isVerifiedByDomain', false);
  fields.choice('verificationStatus', verificationStates, 'PENDING');
  fields.done();
  if (!isEmail(sent)) throw badRequest(`"${sent}" is no e-mail address`);
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
  return { status: 201, body: answer(sender), changed: true };
};

export const deleteSender: Handler = (call, { state }) => {
  const id = param(call, 'id');
  const index = state.senders.findIndex((candidate) => candidate.id === id);
  if (index < 0) throw notFound(`There is no sender address ${id}`);
  state.senders.splice(index, 1);
  state.generation += 1;
  return { status: 204, changed: true };
};

function verify(sender: Sender, state: TenantState): boolean {
  return moveOn(sender, sender.verificationStatus, () => {
    sender.verificationStatus = 'SUCCESS';
    sender.isVerifiedByDomain = hasVerifiedDomain(sender.email, state);
  });
}

function hasVerifiedDomain(email: string, { identities }: TenantState): boolean {
  const domain = domainOf(email);
  return identities.some(
    ({ address, dkimVerificationStatus }) =>
      address.toLowerCase() === domain && dkimVerificationStatus === 'SUCCESS',
  );
}

function answer({ readsLeft: _readsLeft, ...shown }: Sender): Json {
  return shown;
}
