import type { Call, Lane, Service } from '../kinds/http.ts';
import type { Auth, Endpoint, RateLimit, Secrets } from '../kinds/project.ts';
import { Failure, messageOf } from '../model/failure.ts';
import { literalTexts, renderBody } from '../model/marker.ts';
import type { HttpProxies } from '../model/network.ts';
import type { Request } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { TenantName } from '../model/tenant.ts';
import { type Unsent, unsentAnswer, unsentWithProblems } from './answer.ts';
import type { TokenSource } from './auth.ts';
import type { Redactor } from './redactor.ts';
import { mayBeSent, type Target, targetOf } from './target.ts';

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
