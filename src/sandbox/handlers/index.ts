import type { OperationName } from '../operations.ts';
import type { Handler } from '../tenant.ts';
import { getAuthProfile, listAuthProfiles, patchAuthProfile } from './auth-profiles.ts';
import { listNeAttributes, listProfiles, listProfileTypes, listUsers } from './collections.ts';
import { createDomain, getMailFrom, listDkimAttributes, putMailFrom } from './identities.ts';
import { getPreference, getTemplateContext, sendTestNotification } from './notices.ts';
import {
  createProfileSearch,
  deleteProfileSearch,
  listProfileSearches,
  patchProfileSearch,
  runProfileSearch,
  runSavedProfileSearch,
} from './profile-searches.ts';
import { createSender, deleteSender, listSenders } from './senders.ts';
import {
  createSimIntegration,
  deleteSimIntegration,
  getSimIntegration,
  listSimIntegrations,
  patchProvisioningRule,
  patchSimIntegration,
  putSimIntegration,
} from './sim-integrations.ts';
import {
  deleteTemplates,
  getTemplate,
  listTemplateDefaults,
  listTemplates,
  writeTemplate,
} from './templates.ts';

/** What each operation does; `issue-token` is the server's own, since it is the way in. */
export const handlers: Readonly<Record<Exclude<OperationName, 'issue-token'>, Handler>> = {
  'get-profile-config-list': listAuthProfiles,
  'get-profile-config': getAuthProfile,
  'patch-profile-config': patchAuthProfile,
  'get-sim-integrations': listSimIntegrations,
  'create-sim-integration': createSimIntegration,
  'get-sim-integration': getSimIntegration,
  'put-sim-integration': putSimIntegration,
  'patch-sim-attributes': patchSimIntegration,
  'delete-sim-integration': deleteSimIntegration,
  'patch-before-provisioning-rule': patchProvisioningRule,
  'list-notification-templates': listTemplates,
  'create-notification-template': writeTemplate,
  'get-notification-template': getTemplate,
  'delete-notification-templates-in-bulk': deleteTemplates,
  'list-notification-template-defaults': listTemplateDefaults,
  'get-notifications-template-context': getTemplateContext,
  'list-notification-preferences': getPreference,
  'send-test-notification': sendTestNotification,
  'list-from-addresses': listSenders,
  'create-verified-from-address': createSender,
  'delete-verified-from-address': deleteSender,
  'get-dkim-attributes': listDkimAttributes,
  'create-domain-dkim': createDomain,
  'get-mail-from-attributes': getMailFrom,
  'put-mail-from-attributes': putMailFrom,
  'list-users': listUsers,
  'list-profiles': listProfiles,
  'list-profile-types': listProfileTypes,
  'list-ne-attributes': listNeAttributes,
  'list-profile-searches': listProfileSearches,
  'create-profile-search': createProfileSearch,
  'patch-profile-search': patchProfileSearch,
  'delete-profile-search': deleteProfileSearch,
  'run-profile-search': runProfileSearch,
  'run-saved-profile-search': runSavedProfileSearch,
};
