import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type {
  EmbeddedTenant,
  IdentityService,
  ProfileManagementService,
  Tls,
  Auth as WrittenAuth,
  Environment as WrittenEnvironment,
} from '../generated/schemas/project.ts';
import type { Auth, Endpoint, Environment, Kinds, Setting } from '../kinds/project.ts';
import { percentDecoded } from '../model/address.ts';
import { attempt, Failure, fail, systemCode } from '../model/failure.ts';
import { readRegularFile } from '../model/files.ts';
import { get, type Json } from '../model/json.ts';
import { secretName } from '../model/marker.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import {
  allowedHostsVariable,
  type HttpProxies,
  type Network,
  parseAllowedHost,
  parseUrl,
} from '../model/tenant.ts';
import type { readInputs } from './inputs.ts';
import { kindsFolderIn } from './kind-files.ts';
import { holdsCredentials, refusedPath, requireInside, resolveLinks } from './paths.ts';
import { type Problem, type Problems, unresolved } from './problems.ts';
import { projectPath } from './source.ts';
import type { FoundNode } from './tree.ts';

interface BuildContext {
  readonly root: string;
  readonly kinds: Kinds;
  readonly inputs: ReturnType<typeof readInputs>;
  readonly problems: Problems;
  find(at: Pointer): FoundNode;
}

type TenantConnection = Pick<Environment, 'tenant' | 'connection'>;

/** Reads the tenant of an environment. A problem stops the run once all are found, so the empty value in its place is never used. */
export function readConnection(environment: WrittenEnvironment, context: BuildContext): TenantConnection {
  const { sandbox, identity, profiles } = environment;
  if (sandbox && (identity || profiles)) {
    const message = 'An environment has either `sandbox` or `identity` and `profiles`.';
    refuse(context, '/sandbox', { code: 'two-tenants', message });
  }
  // Invalid parts have been reported, and are left out.
  if (['/sandbox', '/identity', '/profiles'].every((at) => context.find(at).match === 'missing')) {
    const message = 'The environment has no tenant.';
    const hint = 'Add `sandbox`, or `identity`, `profiles` or both.';
    refuse(context, '', { code: 'no-tenant', message, hint });
  }
  return sandbox ? readSandbox(sandbox, context) : readEndpoints(environment, context);
}

function readSandbox(written: EmbeddedTenant, context: BuildContext): TenantConnection {
  const seed = readPath('/sandbox/seed', written.seed, context);
  const data = readPath('/sandbox/data', written.data, context);
  const name = `sandbox:${data ?? seed ?? 'memory'}`;
  const { root } = context;
  const sandbox = {
    seed: seed && join(root, seed),
    data: data && join(root, data),
    kinds: kindsFolderIn(root),
    presets: written.presets ?? [],
  };
  // If there is data, the seed is not read.
  const files = [sandbox.seed, sandbox.data].filter((file) => file !== null);
  if (seed !== null && !files.some((file) => existsSync(file))) {
    const hint =
      'The path is relative to the folder of the project file. Without `seed`, the tenant is empty at first.';
    refuse(context, '/sandbox/seed', { code: 'sandbox-file', message: `There is no file ${seed}.`, hint });
  }
  return { tenant: { identity: name, profiles: name }, connection: { to: 'sandbox', sandbox } };
}

/** A path inside the project, not of a file with credentials, also after links are resolved, or `null`. */
function readPath(at: Pointer, path: string | undefined, { root, problems, find }: BuildContext) {
  if (path === undefined) return null;
  return problems.attempt(find(at).place, null, () => {
    const normal = projectPath(path);
    if (normal === null) throw refusedPath('outside-project', path);
    requireInside(root, normal);
    // Problems in a file are shown with its lines.
    if ([normal, resolveLinks(join(root, normal))].some(holdsCredentials))
      throw refusedPath('reserved-file', normal);
    return normal;
  });
}

function readEndpoints(environment: WrittenEnvironment, context: BuildContext): TenantConnection {
  const first = environment.identity ? readService('identity', environment.identity, context) : null;
  const second = environment.profiles ? readService('profiles', environment.profiles, context) : null;
  const identity = first && toEndpoint(first);
  const profiles = second && toEndpoint({ ...first, ...second });
  const givers = ['/profiles/auth', '/identity'];
  if (environment.profiles && givers.every((at) => context.find(at).match === 'missing')) {
    const message = 'There are no credentials for this service.';
    const hint = 'Add `auth` here, or an `identity` whose credentials it can use.';
    refuse(context, '/profiles', { code: 'missing-field', message, hint });
  }
  const network = readNetwork(context.inputs.env, context.problems);
  return {
    tenant: { identity: identity?.baseUrl ?? '', profiles: profiles?.baseUrl ?? '' },
    connection: { to: 'tenant', identity, profiles, network },
  };
}

/** A service as written: `profiles` uses the credentials and certificate of `identity` unless it has its own. */
type Service = Omit<Endpoint, 'auth'> & Partial<Pick<Endpoint, 'auth'>>;

const toEndpoint = ({ auth, ...service }: Service): Endpoint | null => (auth ? { ...service, auth } : null);

function readService(
  service: 'identity' | 'profiles',
  { baseUrl, tokenUrl, auth, tls, preset }: IdentityService | ProfileManagementService,
  context: BuildContext,
): Service {
  const { url, setting } = readAddress(pointer(service, 'baseUrl'), baseUrl, readBaseUrl, context);
  const tokens =
    tokenUrl === undefined
      ? { url: `${url}/oauth/token`, setting }
      : readAddress(pointer(service, 'tokenUrl'), tokenUrl, readUrl, context);
  return {
    baseUrl: url,
    setting,
    preset: preset ?? null,
    ...(tls && { tls: readTls(service, tls, context) }),
    ...(auth && { auth: readAuth(service, auth, tokens, context) }),
  };
}

/** Each part is read when it is needed, because offline commands work without. */
function readTls(service: string, given: Tls, context: BuildContext): NonNullable<Endpoint['tls']> {
  const parts = (['cert', 'key', 'ca'] as const).flatMap((name) => {
    const [at, value] = [pointer(service, 'tls', name), given[name]];
    if (value === undefined) return [];
    if (typeof value !== 'string' || value.includes('-----BEGIN'))
      return [[name, readCredential(value, at, context)] as const];
    const path = readPath(at, value, context);
    return path === null ? [] : [[name, () => readPem(path, at, context)] as const];
  });
  return Object.fromEntries(parts);
}

function readPem(path: string, at: Pointer, context: BuildContext): string {
  try {
    return readRegularFile(join(context.root, path)).toString();
  } catch (error) {
    const why = error instanceof Failure ? 'not a regular file' : (systemCode(error) ?? 'unknown error');
    const message = `The file ${path} cannot be read (${why}).`;
    const hint = 'The path is relative to the folder of the project file.';
    throw fail('tls-file', message, { source: settingAt(at, context).source, hint });
  }
}

/** `url` is empty if it cannot be used, which is reported. */
function readAddress(at: Pointer, text: string, read: (text: string) => BaseUrl, context: BuildContext) {
  const setting = settingAt(at, context);
  if (text === unresolved) return { url: '', setting };
  const found = read(text);
  if ('url' in found) return { url: found.url, setting };
  const message = `\`${segmentsOf(at).at(-1)}\` cannot be used: ${found.problem}.`;
  refuse(context, at, { code: 'invalid-url', message });
  return { url: '', setting };
}

/** A setting of a service. Its position is worked out when a message needs it. */
function settingAt(at: Pointer, { find }: BuildContext): Setting {
  const { place } = find(at);
  return {
    name: segmentsOf(at).join('.'),
    get source() {
      return place.file.at(place.offset);
    },
    get excerpt() {
      return place.file.excerpt(place.offset);
    },
  };
}

function readAuth(
  service: string,
  { token, clientId, clientSecret }: WrittenAuth,
  { url: tokenUrl, setting }: ReturnType<typeof readAddress>,
  context: BuildContext,
): Auth {
  const at = `/${service}/auth`;
  if ((token === undefined) === (clientSecret === undefined)) {
    const message = 'Credentials are either `token`, or `clientId` and `clientSecret`.';
    refuse(context, at, { code: 'invalid-value', message });
  }
  if (token !== undefined) {
    const name = secretName(token);
    return {
      by: 'token',
      token: readCredential(token, `${at}/token`, context),
      renew: () => (name === null ? null : (context.inputs.secrets.renew?.(name) ?? null)),
      setting: settingAt(`${at}/token`, context),
    };
  }
  return {
    by: 'client-credentials',
    tokenUrl,
    setting,
    clientId:
      typeof clientId === 'string' ? () => clientId : readCredential(clientId, `${at}/clientId`, context),
    clientSecret: readCredential(clientSecret, `${at}/clientSecret`, context),
  };
}

/** Reveals a credential when it is needed, since offline commands work without; throws a Failure if it is not set. */
function readCredential(value: Json | undefined, at: Pointer, context: BuildContext): () => string {
  const { inputs, problems, find } = context;
  const name = secretName(value);
  if (name === null) {
    const hint = 'Write `!env NAME` or `!secret NAME`, and set the variable where the program runs.';
    const message = 'Credentials do not belong in a file.';
    if (value !== unresolved)
      problems.add('literal-credential', message, find(at).place, { hint, excerpt: false });
    return () => '';
  }
  const refuse = ({ diagnostics }: Failure) => {
    const { source } = settingAt(at, context);
    throw new Failure(diagnostics.map((diagnostic) => ({ ...diagnostic, source })));
  };
  return () => attempt(() => inputs.secrets.reveal(name), refuse);
}

function refuse({ problems, find }: BuildContext, at: Pointer, problem: Problem): void {
  problems.report(problem, find(at).place);
}

type BaseUrl = { readonly url: string } | { readonly problem: string };

/** Checks a base URL, below which the program adds the paths of the API. */
export function readBaseUrl(text: string): BaseUrl {
  const read = readUrl(text);
  const [version] = 'url' in read ? (/\/v\d{4}(?=\/|$)/.exec(read.url) ?? []) : [];
  if (version === undefined) return read;
  return { problem: `tenantctl adds the paths of the API, so it must end before \`${version}\`` };
}

function readUrl(text: string): BaseUrl {
  const url = text.isWellFormed() ? parseUrl(text) : null;
  if (!url) return { problem: 'it is not a URL such as https://acme.api.example.com' };
  const isLoopback = /^(?:localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    return { problem: 'credentials are sent there, so it must begin with https://' };
  if (url.username || url.password) return { problem: 'it must not contain credentials' };
  if (url.search || url.hash) return { problem: 'it must not contain ? or #' };
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

function readNetwork(env: NodeJS.ProcessEnv, problems: Problems): Network {
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
  const value = get(env, allowedHostsVariable);
  if (value === undefined) return null;
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.flatMap((entry) => {
    const host = parseAllowedHost(entry);
    if (host) return [host];
    const message = `${allowedHostsVariable} lists \`${entry.replace(/.*@/, '•••@')}\`, which is not a host.`;
    const hint = 'Write `host` or `host:port`, separated by commas: no scheme, path or pattern.';
    problems.add('invalid-allowed-hosts', message, null, { hint });
    return [];
  });
}

/** The spelling in lower case counts if both are set, as for other programs. */
function proxyVariable(name: string, env: NodeJS.ProcessEnv): string {
  return (get(env, name.toLowerCase()) ?? get(env, name) ?? '').trim();
}

function readProxy(name: string, env: NodeJS.ProcessEnv, problems: Problems): string {
  const value = proxyVariable(name, env);
  if (value === '') return '';
  const url = parseUrl(value.includes('://') ? value : `http://${value}`);
  const isProxy = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (isProxy && percentDecoded([url.username, url.password])) return url.href;
  // The value is not shown: it may hold a password.
  problems.add('invalid-proxy', `${name} is not the address of an HTTP proxy.`, null, {
    hint: 'For example: `http://proxy.example:3128`. Write a `%` in a user name or password as `%25`.',
  });
  return '';
}
