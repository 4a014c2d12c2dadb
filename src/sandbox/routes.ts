import { ApiError, badRequest, notFound } from './api-error.ts';
import { getAuthProfile, listAuthProfiles, patchAuthProfile } from './handlers/auth-profiles.ts';
import { listNeAttributes, listProfiles, listProfileTypes, listUsers } from './handlers/collections.ts';
import {
  deleteTemplates,
  getPreference,
  getTemplate,
  getTemplateContext,
  listTemplateDefaults,
  listTemplates,
  sendTestNotification,
  writeTemplate,
} from './handlers/notifications.ts';
import {
  createProfileSearch,
  deleteProfileSearch,
  listProfileSearches,
  patchProfileSearch,
  runProfileSearch,
  runSavedProfileSearch,
} from './handlers/profile-searches.ts';
import {
  createDomain,
  createSender,
  deleteSender,
  getMailFrom,
  listDkimAttributes,
  listSenders,
  putMailFrom,
} from './handlers/senders.ts';
import {
  createSimIntegration,
  deleteSimIntegration,
  getSimIntegration,
  listSimIntegrations,
  patchProvisioningRule,
  patchSimIntegration,
  putSimIntegration,
} from './handlers/sim-integrations.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import type { Handler } from './tenant.ts';
import type { Variations } from './variations.ts';

/** The handler of each operation. The server answers `issue-token` itself, since it needs no token. */
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

type KnownOperation = (typeof operations)[number];

export interface Route {
  readonly operation: KnownOperation;
  /** The segments of the path that vary, decoded. */
  readonly params: ReadonlyMap<string, string>;
}

interface Entry {
  readonly operation: KnownOperation;
  readonly segments: readonly string[];
}

/** Finds the operation of a request by method and path. */
export class Router {
  readonly #entries: readonly Entry[];

  constructor(variations: Pick<Variations, 'profileSearchPath' | 'profileSearchDelete'>) {
    this.#entries = operations
      .filter(({ name }) => name !== 'delete-profile-search' || variations.profileSearchDelete)
      .map((operation) => ({
        operation,
        segments: servedPath(operation, variations.profileSearchPath).split('/'),
      }));
  }

  /** Throws a 404 for an unknown path, a 405 for a method it does not have, a 400 for wrong percent-encoding. */
  find(method: string, path: string): Route {
    const given = path.split('/').map(decode);
    const matching = this.#entries.filter(({ segments }) => matches(segments, given));
    // A literal path such as …/bulk-delete takes precedence over …/{id}, for the methods it has.
    const entry = matching
      .filter(({ operation }) => operation.method === method)
      .sort((a, b) => countVariables(a) - countVariables(b))[0];
    if (entry !== undefined) return { operation: entry.operation, params: readParams(entry.segments, given) };
    if (matching.length === 0) throw notFound('The request URL refers to a resource that does not exist');
    const allow = [...new Set(matching.map(({ operation }) => operation.method))].join(', ');
    throw new ApiError(405, `The resource does not support ${method}`, { allow });
  }
}

const documentedSearchPath = '/api/advanced_search';

/** The path of an operation on a tenant that serves saved searches under `searchPath`. */
function servedPath({ path }: Operation, searchPath: string): string {
  return path.startsWith(documentedSearchPath)
    ? `${searchPath}${path.slice(documentedSearchPath.length)}`
    : path;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('The path is not percent-encoded correctly');
  }
}

const isVariable = (segment: string): boolean => segment.startsWith('{');

function matches(segments: readonly string[], given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, index) => (isVariable(segment) ? given[index] !== '' : segment === given[index]))
  );
}

function countVariables({ segments }: Entry): number {
  return segments.filter(isVariable).length;
}

function readParams(segments: readonly string[], given: readonly string[]): Map<string, string> {
  const pairs = segments.map((segment, index) => [segment.slice(1, -1), given[index] ?? ''] as const);
  return new Map(pairs.filter((_, index) => isVariable(segments[index] ?? '')));
}
