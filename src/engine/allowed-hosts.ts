import type { Connection, Setting } from '../kinds/project.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { type AllowedHost, allowedHostsVariable, isAllowed } from '../model/network.ts';

/**
 * Throws a Failure that names every host of a tenant that TENANTCTL_ALLOWED_HOSTS does not list. Called before anything
 * is sent and before credentials are read, so that a changed address gets neither.
 */
export function refuseForeignHosts(connection: Connection): void {
  if (connection.to === 'sandbox') return;
  const { allowedHosts } = connection.network;
  if (allowedHosts === null) return;
  const foreign = addressesOf(connection).filter(({ url }) => !isAllowed(allowedHosts, url));
  // A token URL may be made from a base URL, and two services may share one.
  const distinct = new Map(
    foreign.map((address) => [`${new URL(address.url).host} ${address.setting?.name}`, address]),
  );
  if (distinct.size > 0)
    throw new Failure([...distinct.values()].map((each) => describe(each, allowedHosts)));
}

/** An address that requests are sent to. */
interface Called {
  readonly url: string;
  readonly setting: Setting | undefined;
}

/** The addresses that get requests or credentials; none for an embedded tenant. */
export function addressesOf(connection: Connection): Called[] {
  const endpoints = connection.to === 'sandbox' ? [] : [connection.identity, connection.profiles];
  return endpoints.flatMap((endpoint): Called[] => {
    if (!endpoint) return [];
    const { baseUrl, setting, auth } = endpoint;
    const base = { url: baseUrl, setting };
    return auth.by === 'token' ? [base] : [base, { url: auth.tokenUrl, setting: auth.setting }];
  });
}

function describe({ url, setting }: Called, allowed: readonly AllowedHost[]): Diagnostic {
  const { host } = new URL(url);
  const listed = allowed.map(({ name, port }) => (port === null ? name : `${name}:${port}`)).join(', ');
  const list = listed === '' ? 'is set and lists no host' : `lists only ${listed}`;
  const name = setting?.name ?? 'an address of the environment';
  return {
    code: 'host-not-allowed',
    severity: 'error',
    message: `\`${name}\` names the host ${host}, which may not be called: ${allowedHostsVariable} ${list}.`,
    hint: `Nothing was sent. If the host is right, add it to ${allowedHostsVariable} where the program runs.`,
    ...(setting && { source: setting.source, excerpt: setting.excerpt }),
  };
}
