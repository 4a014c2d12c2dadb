import { ApiError, badRequest, notFound } from './api-error.ts';
import { type Operation, type OperationName, operations } from './operations.ts';

export interface Route {
  readonly operation: (typeof operations)[number];
  /** The varying segments of the path, decoded. */
  readonly params: ReadonlyMap<string, string>;
}

interface Entry {
  readonly operation: (typeof operations)[number];
  readonly segments: readonly string[];
}

/** Finds operations by method and path; `moved` is where saved searches live on this host. */
export class Router {
  readonly #entries: readonly Entry[];

  constructor(moved: string, left: readonly OperationName[]) {
    this.#entries = operations
      .filter(({ name }) => !left.includes(name))
      .map((operation) => ({ operation, segments: movedPath(operation, moved).split('/') }));
  }

  /** Throws a 404 for an unknown path, a 405 for a method it has not, a 400 for broken percent-encoding. */
  find(method: string, path: string): Route {
    const given = path.split('/').map(decode);
    const fitting = this.#entries.filter(({ segments }) => fits(segments, given));
    // A literal path such as …/bulk-delete wins over …/{id}, for the methods it has.
    const entry = fitting
      .filter(({ operation }) => operation.method === method)
      .sort((a, b) => variables(a) - variables(b))[0];
    if (entry !== undefined) return { operation: entry.operation, params: params(entry.segments, given) };
    if (fitting.length === 0) throw notFound('The request URL refers to a resource that does not exist');
    const allow = [...new Set(fitting.map(({ operation }) => operation.method))].join(', ');
    throw new ApiError(405, `The resource does not support ${method}`, { allow });
  }
}

const searchPath = '/api/advanced_search';

function movedPath({ path }: Operation, moved: string): string {
  return path.startsWith(searchPath) ? `${moved}${path.slice(searchPath.length)}` : path;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('The path is not percent-encoded as it should be');
  }
}

const isVariable = (segment: string): boolean => segment.startsWith('{');

function fits(segments: readonly string[], given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, index) => (isVariable(segment) ? given[index] !== '' : segment === given[index]))
  );
}

function variables({ segments }: Entry): number {
  return segments.filter(isVariable).length;
}

function params(segments: readonly string[], given: readonly string[]): Map<string, string> {
  const pairs = segments.map((segment, index) => [segment.slice(1, -1), given[index] ?? ''] as const);
  return new Map(pairs.filter((_, index) => isVariable(segments[index] ?? '')));
}
