import type { DescribedKind } from './described-kind.ts';
import { authProfiles } from './handlers/auth-profiles.ts';
import { collectionHandlers } from './handlers/collections.ts';
import { type Served, serveKind } from './handlers/described.ts';
import { notifications } from './handlers/notifications.ts';
import { profileSearches } from './handlers/profile-searches.ts';
import { senders } from './handlers/senders.ts';
import { simIntegrations } from './handlers/sim-integrations.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import { ApiError, badRequest, type Handler, notFound } from './requests.ts';
import type { Variations } from './variations.ts';

/** The handler of each operation of the documents. The server answers `issue-token` itself, since it needs no token. */
const handlers: Readonly<Record<Exclude<OperationName, 'issue-token'>, Handler>> = {
  ...authProfiles,
  ...simIntegrations,
  ...notifications,
  ...senders,
  ...collectionHandlers,
  ...profileSearches,
};

const documented: readonly Served[] = operations.map((operation) => ({
  operation,
  handler: operation.name === 'issue-token' ? null : handlers[operation.name],
}));

export interface Route extends Served {
  readonly path: string;
  /** The segments of the path that vary, decoded. */
  readonly params: ReadonlyMap<string, string>;
}

interface Entry extends Served {
  readonly segments: readonly string[];
}

type RoutedBy = Pick<
  Variations,
  'profileSearchPath' | 'profileSearchDelete' | 'domainPages' | 'identityPaths'
>;

/**
 * Finds the operation of a request by method and path. Where a descriptor is about an endpoint of the API documents, that
 * endpoint stays what they say.
 */
export class Router {
  readonly #entries: readonly Entry[];

  constructor(kinds: Iterable<DescribedKind>, variations: RoutedBy) {
    const described = [...kinds].filter(
      ({ path }) => !documented.some(({ operation }) => operation.path === path),
    );
    this.#entries = [...documented, ...described.flatMap(serveKind)]
      .filter(({ operation: { name } }) => name !== 'delete-profile-search' || variations.profileSearchDelete)
      .map(({ operation, handler }) => ({
        operation: servedOperation(operation, variations),
        handler,
        segments: servedPath(operation, variations).split('/'),
      }));
  }

  operationNames(): readonly string[] {
    return this.#entries.map(({ operation }) => operation.name);
  }

  /** Throws a 404 for an unknown path, a 405 for a method it does not have, a 400 for wrong percent-encoding. */
  find(method: string, path: string): Route {
    const given = path.split('/').map(decode);
    const matching = this.#entries.filter(({ segments }) => matches(segments, given));
    // A literal path such as …/bulk-delete takes precedence over …/{id}, for the methods it has.
    const entry = matching
      .filter(({ operation }) => operation.method === method)
      .sort((a, b) => countVariables(a) - countVariables(b))[0];
    if (entry !== undefined) return { ...entry, path, params: readParams(entry.segments, given) };
    if (matching.length === 0) throw notFound('The request URL refers to a resource that does not exist');
    const allow = [...new Set(matching.map(({ operation }) => operation.method))].join(', ');
    throw new ApiError(405, `The resource does not support ${method}`, { allow });
  }
}

const documentedSearchPath = '/api/advanced_search';

/** The list of domains has parameters on tenants that do not refuse them. */
function servedOperation(operation: Operation, { domainPages }: Pick<Variations, 'domainPages'>): Operation {
  const isPaged = operation.name === 'get-dkim-attributes' && domainPages !== 'refused';
  return isPaged ? { ...operation, query: ['limit', 'offset'] } : operation;
}

/** The path of an operation on a tenant that serves saved searches, or all resources, elsewhere. */
function servedPath({ path }: Operation, { profileSearchPath, identityPaths }: RoutedBy): string {
  if (path.startsWith(documentedSearchPath))
    return `${profileSearchPath}${path.slice(documentedSearchPath.length)}`;
  return identityPaths === 'own' ? path.replace(/^\/v\d{4}(\/[^/]+)/, '$1/v1') : path;
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
