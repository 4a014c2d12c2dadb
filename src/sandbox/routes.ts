import { get } from '../model/json.ts';
import type { DescribedKind } from './described-kind.ts';
import { serveKind } from './handlers/described.ts';
import { integrations } from './handlers/integrations.ts';
import { newerNotifications, notifications } from './handlers/notifications.ts';
import { profiles } from './handlers/profiles.ts';
import { badRequest, notFound, type Operation, operation } from './operations.ts';
import { ApiError } from './shape.ts';
import type { Variations } from './ways.ts';

/** Every operation of the three API documents and of api-notes. */
export const operations: readonly Operation[] = [
  operation('issue-token', 'POST /oauth/token', null, { contentType: 'application/x-www-form-urlencoded' }),
  ...integrations,
  ...notifications,
  ...profiles,
];

/** Finds the operation of a request. A descriptor cannot change an endpoint of the API documents. */
export class Router {
  readonly operationNames: readonly string[];
  /** The pattern of a path has a group for each of its names. */
  readonly #entries: readonly { operation: Operation; names: readonly string[]; pattern: RegExp }[];

  constructor(kinds: Iterable<DescribedKind>, variations: Variations) {
    const ways: { readonly [name: string]: unknown } = { ...variations };
    const described = [...kinds].filter(({ path }) => !operations.some((each) => each.path === path));
    this.#entries = [...operations, ...newerNotifications, ...described.flatMap(serveKind)]
      .filter(({ onlyWith }) => Object.entries(onlyWith).every(([name, way]) => get(ways, name) === way))
      .map((operation) => {
        const path = servedPath(operation.path, variations).replaceAll('.', '\\.');
        return {
          operation,
          names: [...path.matchAll(variable)].map(([, name = '']) => name),
          pattern: new RegExp(`^${path.replaceAll(variable, '([^/]+)')}$`),
        };
      })
      // A literal path such as …/bulk-delete takes precedence over …/{id}, for the methods it has.
      .sort((a, b) => a.names.length - b.names.length);
    this.operationNames = this.#entries.map(({ operation }) => operation.name);
  }

  /**
   * The operation, and the decoded segments of the path that vary. Or a 404 for an unknown path, a 405 for a method it does not
   * have, a 400 for wrong percent-encoding.
   */
  find(method: string, path: string) {
    const matching = this.#entries.filter(({ pattern }) => pattern.test(path));
    const entry = matching.find(({ operation }) => operation.method === method);
    if (entry) {
      const [, ...values] = entry.pattern.exec(path) ?? [];
      try {
        const params = entry.names.map((name, at) => [name, decodeURIComponent(values[at] ?? '')] as const);
        return { operation: entry.operation, params: new Map(params) };
      } catch {
        return badRequest('The path is not percent-encoded correctly');
      }
    }
    if (matching.length === 0) return notFound('The request URL refers to a resource that does not exist');
    const allow = [...new Set(matching.map(({ operation }) => operation.method))].join(', ');
    return new ApiError(405, `The resource does not support ${method}`, { allow });
  }
}

const variable = /\{([^}]*)\}/g;

/** The path of an operation on a tenant that serves saved searches, or all resources, elsewhere. */
function servedPath(path: string, { profileSearchPath, identityPaths }: Variations): string {
  const search = '/api/advanced_search';
  if (path.startsWith(search)) return `${profileSearchPath}${path.slice(search.length)}`;
  return identityPaths === 'own' ? path.replace(/^\/v\d{4}(\/[^/]+)/, '$1/v1') : path;
}
