import type { Call, Lane, Service } from '../kinds/http.ts';
import type { Auth, Endpoint, RateLimit, Secrets } from '../kinds/project.ts';
import { Failure, messageOf } from '../model/failure.ts';
import { literalTexts, renderBody } from '../model/marker.ts';
import { type HttpProxies, parseUrl, type TenantName } from '../model/network.ts';
import type { Request } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';
import { type Unsent, unsentAnswer, unsentWithProblems } from './answer.ts';
import type { TokenSource } from './auth.ts';
import type { Redactor } from './redactor.ts';

/** Where the tenant is, and its rate limits. */
export interface ClientTarget {
  readonly tenant: TenantName;
  readonly identity: Endpoint | null;
  readonly profiles: Endpoint | null;
  readonly limits: RateLimit;
  readonly settings: ApiSettings;
  /** The proxy that requests go through. */
  readonly proxy?: HttpProxies | null;
}

/** What a request is prepared with. */
export interface Preparation {
  readonly target: ClientTarget;
  readonly secrets: Secrets;
  readonly redactor: Redactor;
  readonly sourceOf: (auth: Auth) => TokenSource;
}

/** A request that can be sent. */
export interface PreparedRequest {
  readonly request: Request;
  readonly lane: Lane;
  readonly to: Target;
  readonly body: string | null;
  /** Values in the body that the plan does not show. */
  readonly concealed: readonly string[];
  readonly source: TokenSource;
}

/** Checks everything that can be checked before a request is sent, and puts the values of secrets into its body. */
export function prepareRequest(
  { lane, ...request }: Call,
  { target, secrets, redactor, sourceOf }: Preparation,
): PreparedRequest | Unsent {
  const endpoint = target[lane.service];
  if (!endpoint) return noEndpoint(lane.service);
  const to = targetOf(endpoint.baseUrl, request.path, request.query);
  if ('outcome' in to) return to;
  const foreign = Object.keys(request.headers).find((name) => !mayBeSent(name, target.settings));
  if (foreign !== undefined) return unsentAnswer('unsafe', `a request may not set the header "${foreign}"`);
  try {
    const reveal = (name: string): string => {
      const secret = secrets.reveal(name);
      redactor.learn(secret);
      return secret;
    };
    const body = request.body === null ? null : JSON.stringify(renderBody(request.body, reveal));
    // A plan does not show literals, so errors that repeat them must not show them either.
    const concealed = literalTexts(request.body);
    return { request, lane, to, body, concealed, source: sourceOf(endpoint.auth) };
  } catch (error) {
    if (error instanceof Failure) return unsentWithProblems('no-secret', error.diagnostics);
    return unsentAnswer('no-secret', messageOf(error));
  }
}

function noEndpoint(service: Service): Unsent {
  const hint = `Add \`${service}: { baseUrl: … }\` to the environment in the project file.`;
  return unsentAnswer('no-endpoint', `this environment has no ${service} service`, hint);
}

/** Where a request goes: an origin, and the path with its query. */
export interface Target {
  readonly origin: string;
  readonly path: string;
}

/**
 * A request's path and query below a base URL. A path may come from a plan file or a tenant's id, so one that
 * would leave the base URL (another host, `/../`, a query or fragment of its own) is refused.
 */
export function targetOf(
  baseUrl: string,
  path: string,
  query: Readonly<Record<string, string>>,
): Target | Unsent {
  const base = parseUrl(baseUrl);
  if (!base || (base.protocol !== 'https:' && base.protocol !== 'http:')) {
    return unsentAnswer('unsafe', `"${baseUrl}" is not an http(s) base URL`);
  }
  const wanted = base.pathname.replace(/\/+$/, '') + path;
  const url = parseUrl(wanted, base.href);
  if (!path.startsWith('/') || !url || url.origin !== base.origin || url.pathname !== wanted) {
    return unsentAnswer('unsafe', `the path "${path}" leads out of the base URL`);
  }
  const parameters = Object.entries(query);
  if (!parameters.flat().every((text) => text.isWellFormed())) {
    return unsentAnswer('unsafe', `the query of "${path}" holds half a character, which no URL can hold`);
  }
  const pairs = parameters.map((parameter) => parameter.map(encodeURIComponent).join('='));
  return { origin: url.origin, path: pairs.length > 0 ? `${wanted}?${pairs.join('&')}` : wanted };
}

/** What decides where a request goes and as whom. */
const reservedHeaders = /^(host|authorization|proxy-.*|connection|content-length|transfer-encoding)$/;

/**
 * Whether a request may have a header. A plan or a project file may have been edited: no header of it may send the request
 * or its token elsewhere, not as the experimental header either.
 */
export function mayBeSent(header: string, settings: ApiSettings): boolean {
  const name = header.toLowerCase();
  if (reservedHeaders.test(name)) return false;
  return ['accept', 'content-type', settings.experimentalHeader.toLowerCase()].includes(name);
}
