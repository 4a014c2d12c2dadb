import { textOf } from '../model/json.ts';
import { eq, identityResource, or } from './http.ts';
import type { Kind } from './kind.ts';
import { call, idPlace, type Operation, wholeObject } from './operation.ts';

const resource = identityResource('SenderAddress', 'v2025', 'verified-from-addresses');

const post: Operation = {
  method: 'POST',
  resource,
  read: wholeObject('email'),
  risk: () => ['sends-mail'],
};
const remove: Operation = { method: 'DELETE', resource, below: [idPlace], risk: () => ['delete'] };

/** An address that notifications may come from (seed 001). */
export const senderAddress: Kind = {
  name: 'SenderAddress',
  summary: 'An e-mail address that notifications may be sent from; creating one starts its verification.',
  keyFields: [{ name: 'email', foldCase: true }],
  fields: {},
  serverOwned: ['id', 'verificationStatus', 'isVerifiedByDomain', 'region'],
  pinnable: false,
  renamable: false,
  resource,
  read: {
    how: 'list',
    list: {
      resource,
      pageSize: 250,
      counts: true,
      filter: (keys) => or(keys.map(([email = '']) => eq('email', email))),
    },
  },
  parse(answer) {
    const email = textOf(answer, 'email');
    return email === null ? null : { key: [email], id: textOf(answer, 'id'), fields: {} };
  },
  operations: { create: [post], update: [], delete: [remove] },
  // It would start another verification (seed 001, operation rule 2).
  secondCreate: 'duplicates',
  create: ({ key: [email = ''], settings }) => ({ requests: [call(post, settings, { body: { email } })] }),
  update: () => ({ manual: 'A sender address has no fields that can be changed.' }),
  remove({ key: [email = ''], live, settings }) {
    if (live.id === null) {
      return {
        manual: `The tenant shows no id for ${email}, so the API cannot delete it; remove it in the admin interface.`,
      };
    }
    return { requests: [call(remove, settings, { id: live.id })] };
  },
};
