import { authProfile } from './auth-profile.ts';
import type { Kind } from './kind.ts';
import { mailFrom } from './mail-from.ts';
import { notificationPreference } from './notification-preference.ts';
import { notificationTemplate } from './notification-template.ts';
import { profileSearch } from './profile-search.ts';
import { senderAddress } from './sender-address.ts';
import { simIntegration } from './sim-integration.ts';
import { verifiedDomain } from './verified-domain.ts';

/**
 * Every kind, in the order in which an apply writes them; deletes go the other way. Authentication profiles come
 * last: a change to one can cut off the credentials that the rest of the run needs.
 */
export const kinds: readonly Kind[] = [
  verifiedDomain,
  mailFrom,
  senderAddress,
  notificationTemplate,
  notificationPreference,
  simIntegration,
  profileSearch,
  authProfile,
];

const byName = new Map(kinds.map((kind) => [kind.name, kind]));

/** The kind of that name, or `undefined`. */
export function findKind(name: string): Kind | undefined {
  return byName.get(name);
}

/** The kind of that name, where the name is known to be one. */
export function kindNamed(name: string): Kind {
  const kind = findKind(name);
  if (!kind) throw new TypeError(`"${name}" is not in the list of kinds.`);
  return kind;
}
