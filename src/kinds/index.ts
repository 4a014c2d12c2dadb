import { authProfile } from './auth-profile.ts';
import { catalogOf, type Kinds } from './catalog.ts';
import { kindFrom } from './described-kind.ts';
import { mailFrom } from './mail-from.ts';
import { notificationPreference } from './notification-preference.ts';
import { notificationTemplate } from './notification-template.ts';
import { profileSearch } from './profile-search.ts';
import { readOnlyKinds } from './read-only.ts';
import { senderAddress } from './sender-address.ts';
import { simIntegration } from './sim-integration.ts';
import { verifiedDomain } from './verified-domain.ts';

/**
 * The kinds that every project has. Those that others refer to come first. Authentication profiles come last: a change to
 * one can cut off the credentials that the rest of the run needs.
 */
export const builtInKinds: Kinds = catalogOf([
  ...readOnlyKinds.map((each) => kindFrom(each)),
  verifiedDomain,
  mailFrom,
  senderAddress,
  notificationTemplate,
  notificationPreference,
  simIntegration,
  profileSearch,
  authProfile,
]);
