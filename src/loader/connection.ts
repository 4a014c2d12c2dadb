import { isAbsolute, join } from 'node:path';
import { isObject, type Json, type JsonObject, own, textOf } from '../model/json.ts';
import type { TenantName } from '../model/live.ts';
import { secretName } from '../model/marker.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { Auth, Connection, EmbeddedTenant, Endpoint, Environment, Secrets } from '../model/project.ts';
import type { Found } from './position.ts';
import type { Problems } from './problems.ts';
import { part, readLimits, readPolicy, readSettings } from './settings.ts';
import { projectPath } from './source.ts';
import { readUrl } from './url.ts';

export interface BuildContext {
  readonly root: string;
  readonly secrets: Secrets;
  readonly problems: Problems;
  /** Where a pointer into the environment stands. */
  find(at: Pointer): Found;
}

/** An environment that fits the schema, checked for the rest and filled with defaults; `null` where it cannot be used. */
export function buildEnvironment(name: string, value: JsonObject, context: BuildContext): Environment | null {
  const connected = connect(value, context);
  const variables = part(value, 'variables');
  if (!connected) return null;
  return {
    name,
    ...connected,
    settings: readSettings(value),
    limits: readLimits(part(value, 'limits')),
    policy: readPolicy(value, context),
    variables,
  };
}

interface Connected {
  readonly tenant: TenantName;
  readonly connection: Connection;
}

function connect(value: JsonObject, context: BuildContext): Connected | null {
  const sandbox = own(value, 'sandbox');
  const isRemote = own(value, 'identity') !== undefined || own(value, 'profiles') !== undefined;
  if (isObject(sandbox) && isRemote) {
    return refuse(
      context,
      '/sandbox',
      'two-tenants',
      'An environment has either `sandbox` or `identity` and `profiles`',
    );
  }
  if (isObject(sandbox)) return embed(sandbox, context);
  if (isRemote) return connectRemote(value, context);
  return refuse(
    context,
    '',
    'no-tenant',
    'The environment names no tenant',
    'Add `sandbox`, or `identity` and `profiles`.',
  );
}

function embed(value: JsonObject, context: BuildContext): Connected | null {
  const [seed, data] = [insideProject(value, 'seed', context), insideProject(value, 'data', context)];
  if (seed === undefined || data === undefined) return null;
  const name = `sandbox:${data ?? seed ?? 'memory'}`;
  const absolute = (path: string | null) => path && join(context.root, path);
  const sandbox: EmbeddedTenant = { seed: absolute(seed), data: absolute(data) };
  return { tenant: { identity: name, profiles: name }, connection: { to: 'sandbox', sandbox } };
}

/** A path inside the project, `null` where none is given, `undefined` where it is refused. */
function insideProject(
  value: JsonObject,
  name: string,
  { problems, find }: BuildContext,
): string | null | undefined {
  const path = textOf(value, name);
  if (path === null) return null;
  try {
    return projectPath(isAbsolute(path) ? path : join('.', path));
  } catch (error) {
    problems.addFailure(error, find(pointer('sandbox', name)).place);
    return undefined;
  }
}

function connectRemote(value: JsonObject, context: BuildContext): Connected | null {
  const identity = readEndpoint('identity', value, null, context);
  const inherited = identity === null ? null : identity?.auth;
  const profiles = readEndpoint('profiles', value, inherited, context);
  if (identity === undefined || profiles === undefined) return null;
  return {
    tenant: { identity: identity?.baseUrl ?? '', profiles: profiles?.baseUrl ?? '' },
    connection: { to: 'tenant', identity, profiles },
  };
}

/**
 * The service's address and credentials; `null` where the environment has no such service, `undefined` on problems.
 *
 * @param inherited credentials to fall back to; `undefined` where they have problems of their own
 */
function readEndpoint(
  service: 'identity' | 'profiles',
  environment: JsonObject,
  inherited: Auth | null | undefined,
  context: BuildContext,
): Endpoint | null | undefined {
  const value = own(environment, service);
  if (!isObject(value)) return null;
  const baseUrl = readAddress(value, [service, 'baseUrl'], context);
  const tokenUrl = readAddress(value, [service, 'tokenUrl'], context);
  if (baseUrl === undefined || baseUrl === null || tokenUrl === undefined) return undefined;
  const auth = own(value, 'auth');
  if (isObject(auth)) {
    const own = readAuth(auth, service, tokenUrl ?? `${baseUrl}/oauth/token`, context);
    return own && { baseUrl, auth: own };
  }
  if (inherited !== null) return inherited && { baseUrl, auth: inherited };
  const hint = 'Add `auth` here, or an `identity` to take it from.';
  return (
    refuse(context, `/${service}`, 'missing-field', 'There are no credentials for this service', hint) ??
    undefined
  );
}

function readAddress(
  value: JsonObject,
  path: readonly [string, string],
  context: BuildContext,
): string | null | undefined {
  const text = textOf(value, path[1]);
  if (text === null) return null;
  const read = readUrl(text);
  if ('url' in read) return read.url;
  return (
    refuse(context, pointer(...path), 'invalid-url', `\`${path[1]}\` cannot be used: ${read.problem}`) ??
    undefined
  );
}

function readAuth(
  auth: JsonObject,
  service: string,
  tokenUrl: string,
  context: BuildContext,
): Auth | undefined {
  const token = own(auth, 'token');
  const clientSecret = own(auth, 'clientSecret');
  const clientId = own(auth, 'clientId');
  if ((token === undefined) === (clientSecret === undefined)) {
    const message = 'Credentials are either `token`, or `clientId` and `clientSecret`';
    return refuse(context, pointer(service, 'auth'), 'invalid-value', message) ?? undefined;
  }
  if (token !== undefined) {
    const reveal = revealed(token, pointer(service, 'auth', 'token'), context);
    return reveal && { by: 'token', token: reveal };
  }
  const secret = revealed(clientSecret, pointer(service, 'auth', 'clientSecret'), context);
  const id =
    typeof clientId === 'string'
      ? () => clientId
      : revealed(clientId, pointer(service, 'auth', 'clientId'), context);
  return secret && id && { by: 'client-credentials', tokenUrl, clientId: id, clientSecret: secret };
}

/** A credential that is read when it is needed: offline commands do without it. */
function revealed(value: Json | undefined, at: Pointer, context: BuildContext): (() => string) | undefined {
  const name = secretName(value);
  if (name !== null) return () => context.secrets.reveal(name);
  context.problems.add('literal-credential', 'Credentials do not belong in a file', context.find(at).place, {
    hint: 'Write `!env NAME` or `!secret NAME`, and set the variable where the program runs.',
    excerpt: false,
  });
  return undefined;
}

function refuse(context: BuildContext, at: Pointer, code: string, message: string, hint?: string): null {
  context.problems.add(code, message, context.find(at).place, hint === undefined ? {} : { hint });
  return null;
}
