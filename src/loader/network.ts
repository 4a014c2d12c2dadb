import {
  allowedHostsVariable,
  type HttpProxies,
  type Network,
  parseAllowedHost,
  parseUrl,
} from '../model/network.ts';
import type { Problems } from './problems.ts';
import { variableOf } from './secrets.ts';

/** Reads which hosts may be called and through which proxy. Variables that cannot be used are reported. */
export function readNetwork(env: NodeJS.ProcessEnv, problems: Problems): Network {
  const proxies: HttpProxies = {
    http: readProxy('HTTP_PROXY', env, problems),
    https: readProxy('HTTPS_PROXY', env, problems),
    except: proxyVariable('NO_PROXY', env),
  };
  return {
    allowedHosts: readAllowedHosts(env, problems),
    proxies: proxies.http === '' && proxies.https === '' ? null : () => proxies,
  };
}

function readAllowedHosts(env: NodeJS.ProcessEnv, problems: Problems): Network['allowedHosts'] {
  const value = variableOf(env, allowedHostsVariable);
  if (value === null) return null;
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.flatMap((entry) => {
    const host = parseAllowedHost(entry);
    if (host) return [host];
    const message = `${allowedHostsVariable} lists \`${entry}\`, which is not a host`;
    const hint = 'Write `host` or `host:port`, separated by commas: no scheme, path or pattern.';
    problems.add('invalid-allowed-hosts', message, null, { hint });
    return [];
  });
}

/** The spelling in lower case counts where both are set, as for other programs. */
function proxyVariable(name: string, env: NodeJS.ProcessEnv): string {
  return (variableOf(env, name.toLowerCase()) ?? variableOf(env, name) ?? '').trim();
}

function readProxy(name: string, env: NodeJS.ProcessEnv, problems: Problems): string {
  const value = proxyVariable(name, env);
  if (value === '') return '';
  const url = parseUrl(value.includes('://') ? value : `http://${value}`);
  const isProxy = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (isProxy && hasReadableCredentials(url)) return url.href;
  // The value is not shown: it may hold a password.
  problems.add('invalid-proxy', `${name} is not the address of an HTTP proxy`, null, {
    hint: isProxy
      ? 'Write a `%` in its user name or password as `%25`.'
      : 'For example: `http://proxy.example:3128`.',
  });
  return '';
}

function hasReadableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}
