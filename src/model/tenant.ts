import type { Plan } from '../generated/schemas/plan.ts';
import {
  defaultIdentityService,
  defaultProfileManagementService,
  type IdentityService,
  type ProfileManagementService,
} from '../generated/schemas/project.ts';

/** The two base URLs that identify a tenant; an embedded tenant is named by its data file. */
export type TenantName = Plan['tenant'];

export function isSameTenant(one: TenantName, other: TenantName): boolean {
  return one.identity === other.identity && one.profiles === other.profiles;
}

type Details<T> = Required<Omit<T, 'baseUrl' | 'tokenUrl' | 'auth' | 'tls' | 'preset'>>;

/** How a tenant differs from the documented API, as its environment declares it (api-notes; docs/environments.md). */
export interface ApiSettings extends Details<IdentityService>, Details<ProfileManagementService> {}

export const contractSettings: ApiSettings = {
  ...defaultIdentityService,
  ...defaultProfileManagementService,
};

interface AllowedHost {
  /** Without a trailing dot, in the spelling of URLs: lower case, IPv6 in brackets. */
  readonly name: string;
  /** `null`: the default port of the scheme. */
  readonly port: string | null;
}

export interface HttpProxies {
  readonly http: string;
  readonly https: string;
  /** Hosts that are called directly, as NO_PROXY lists them. */
  readonly except: string;
}

export interface Network {
  /** The hosts of TENANTCTL_ALLOWED_HOSTS; `null` if it is not set, so that every host may be called. */
  readonly allowedHosts: readonly AllowedHost[] | null;
  /** A function, so that the credentials in a proxy's URL are not printed with the environment. */
  readonly proxies: (() => HttpProxies) | null;
}

export function parseUrl(text: string, base?: string): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null;
}

export const allowedHostsVariable = 'TENANTCTL_ALLOWED_HOSTS';

/** `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; `null` for any other text, such as a URL or a pattern. */
export function parseAllowedHost(text: string): AllowedHost | null {
  const [, host = '', port = null] = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]*]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const url = parseUrl(`http://${host}`);
  return url && { name: nameOf(url), port: port === null ? null : String(Number(port)) };
}

export function isAllowed(hosts: readonly AllowedHost[], url: string): boolean {
  const to = new URL(url);
  const port = to.port || (to.protocol === 'https:' ? '443' : '80');
  return hosts.some(
    (host) => host.name === nameOf(to) && (host.port === null ? !to.port : host.port === port),
  );
}

/** Where a URL leads to, the same for all spellings, with one name for all addresses of this machine. */
export function endpointOf(url: string): string {
  const to = parseUrl(url);
  if (!to || !/^https?:$/.test(to.protocol)) return url;
  const port = to.port || (to.protocol === 'https:' ? '443' : '80');
  const host = nameOf(to).replace(thisMachine, 'localhost');
  return `${host}:${port}${to.pathname.replace(/\/+$/, '')}`;
}

const thisMachine = /^(.+\.)?localhost$|^127(\.\d+){3}$|^0\.0\.0\.0$|^\[::1?\]$|^\[::ffff:7f[\da-f]{2}:.*$/;

/** A name that ends with a dot is the same name, written as absolute. */
function nameOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}
