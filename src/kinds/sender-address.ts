import { get, getText } from '../model/json.ts';
import { kindFrom } from './described-kind.ts';
import { descriptorFrom } from './descriptor.ts';
import { identityResource, idText } from './http.ts';
import type { Kind } from './kind.ts';

const descriptor = descriptorFrom({
  kind: 'SenderAddress',
  summary: 'An e-mail address that notifications may be sent from; creating one starts its verification.',
  path: '/v2025/verified-from-addresses',
  key: { name: 'email', foldCase: true },
  list: { pageSize: 250, counts: true, filter: true },
  create: true,
  delete: true,
  serverOwned: ['id', 'verificationStatus', 'isVerifiedByDomain', 'region'],
});
const resource = identityResource('SenderAddress', 'v2025', 'verified-from-addresses');
// Its manifests have a schema of their own, and no call reads a single address.
const { described: _schema, read: _read, ...described } = kindFrom(descriptor, { resource });

/** An address that notifications may come from (seed 001): a descriptor with a few additions. */
export const senderAddress: Kind = {
  ...described,
  read: { how: 'list', list: { ...descriptor.list, resource } },
  // The id may be null, so it cannot pin or replace an address.
  can: { ...described.can, pin: false },
  serverOwned: descriptor.serverOwned,
  parse(answer) {
    const email = getText(answer, 'email');
    return email === null ? null : { key: [email], id: idText(get(answer, 'id')), fields: {} };
  },
  write: {
    ...described.write,
    create(input) {
      const made = described.write.create(input);
      return 'manual' in made ? made : { ...made, risk: ['sends-mail'] };
    },
  },
};
