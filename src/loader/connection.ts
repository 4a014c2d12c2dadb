import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Auth, Connection, Endpoint, Secrets, Setting } from '../kinds/project.ts';
import { Failure } from '../model/failure.ts';
import { isObject, type Json, type JsonObject, objectOf, own, textOf } from '../model/json.ts';
import { secretName } from '../model/marker.ts';
import { parseUrl, type TenantName } from '../model/network.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { ProjectFile } from './config.ts';
import type { FoundNode } from './document.ts';
import { type Place, sourceOf } from './file.ts';
import { kindsFolderIn } from './kind-files.ts';
import { readNetwork } from './network.ts';
import { requireInside } from './own-folder.ts';
import { credentialsFailure, holdsCredentials, projectPath, resolveLinks } from './paths.ts';
import type { Problem, Problems } from './problems.ts';
import type { Inputs } from './secrets.ts';
import { unresolved } from './tree.ts';

/** What an environment is built with. */
export interface BuildContext {
  readonly project: ProjectFile;
  readonly inputs: Inputs;
  readonly problems: Problems;
  /** The position of a value of the environment. */
  find(at: Pointer): FoundNode;
}

/** The tenant of an environment, and how to reach it. */
export interface TenantConnection {
  readonly tenant: TenantName;
  readonly connection: Connection;
}

/** Reads the tenant of an environment that fits the schema; `undefined`, and a problem, where it cannot be used. */
export function readConnection(value: JsonObject, context: BuildContext): TenantConnection | undefined {
  const sandbox = own(value, 'sandbox');
  const isRemote = own(value, 'identity') !== undefined || own(value, 'profiles') !== undefined;
  if (isObject(sandbox) && isRemote) {
    const message = 'An environment has either `sandbox` or `identity` and `profiles`';
    return refuse(context, '/sandbox', { code: 'two-tenants', message });
  }
  if (isObject(sandbox)) return readSandbox(sandbox, context);
  if (isRemote) return readEndpoints(value, context);
  return refuse(context, '', {
    code: 'no-tenant',
    message: 'The environment names no tenant',
    hint: 'Add `sandbox`, or `identity`, `profiles` or both.',
  });
}

function readSandbox(value: JsonObject, context: BuildContext): TenantConnection | undefined {
  const [seed, data] = [readPath(value, 'seed', context), readPath(value, 'data', context)];
  if (seed === undefined || data === undefined) return undefined;
  const name = `sandbox:${data ?? seed ?? 'memory'}`;
  const { root } = context.project;
  const absolute = (path: string | null) => path && join(root, path);
  const sandbox = { seed: absolute(seed), data: absolute(data), kinds: kindsFolderIn(root) };
  const isThere = (file: string | null) => file !== null && existsSync(file);
  // Where there is data, the seed is not read.
  if (seed !== null && !isThere(sandbox.seed) && !isThere(sandbox.data)) {
    const hint =
      'The path begins at the folder of the project file. Without `seed`, the tenant begins empty.';
    refuse(context, '/sandbox/seed', { code: 'sandbox-file', message: `There is no file ${seed}`, hint });
  }
  return { tenant: { identity: name, profiles: name }, connection: { to: 'sandbox', sandbox } };
}

/**
 * A path inside the project, not of a file with credentials, also after links are resolved; `null` where none is given,
 * `undefined` where it is refused.
 */
function readPath(
  value: JsonObject,
  name: string,
  { project: { root }, problems, find }: BuildContext,
): string | null | undefined {
  const path = textOf(value, name);
  // What could not be read has been reported.
  if (path === null || path === unresolved) return null;
  try {
    const normal = projectPath(path);
    requireInside(root, normal);
    // What is wrong in a file is shown with its lines.
    if ([normal, resolveLinks(join(root, normal))].some(holdsCredentials)) throw credentialsFailure(normal);
    return normal;
  } catch (error) {
    problems.addFailure(error, find(pointer('sandbox', name)).place);
    return undefined;
  }
}

function readEndpoints(value: JsonObject, context: BuildContext): TenantConnection | undefined {
  const identity = readEndpoint({ service: 'identity', environment: value, context }, null);
  const inherited = identity === null ? null : identity?.auth;
  const profiles = readEndpoint({ service: 'profiles', environment: value, context }, inherited);
  if (identity === undefined || profiles === undefined) return undefined;
  return {
    tenant: { identity: identity?.baseUrl ?? '', profiles: profiles?.baseUrl ?? '' },
    connection: {
      to: 'tenant',
      identity,
      profiles,
      network: readNetwork(context.inputs.env, context.problems),
    },
  };
}

/** One of the two services of an environment. */
interface ServiceText {
  readonly service: 'identity' | 'profiles';
  readonly environment: JsonObject;
  readonly context: BuildContext;
}

/**
 * The address and credentials of a service; `null` where the environment does not have it, `undefined` on problems.
 *
 * @param inherited the credentials where the service has none of its own; `undefined` where those have problems
 */
function readEndpoint(text: ServiceText, inherited: Auth | null | undefined): Endpoint | null | undefined {
  const { service, environment, context } = text;
  const value = own(environment, service);
  if (!isObject(value)) return null;
  const base = readAddress(text, 'baseUrl', readBaseUrl);
  const tokens = readAddress(text, 'tokenUrl', readUrl);
  if (!base || tokens === undefined) return undefined;
  const { url: baseUrl, setting } = base;
  const given = own(value, 'auth');
  if (isObject(given)) {
    const auth = readAuth(text, given, tokens ?? { url: `${baseUrl}/oauth/token`, setting });
    return auth && { baseUrl, setting, auth };
  }
  if (inherited !== null) return inherited && { baseUrl, setting, auth: inherited };
  return refuse(context, `/${service}`, {
    code: 'missing-field',
    message: 'There are no credentials for this service',
    hint: 'Add `auth` here, or an `identity` whose credentials it can use.',
  });
}

/** A URL of a service, and the setting that gives it. */
interface Address {
  /** Empty where it could not be read, which has been reported. */
  readonly url: string;
  readonly setting: Setting;
}

/** `null` where none is given, `undefined` on problems. */
function readAddress(
  { service, environment, context }: ServiceText,
  name: 'baseUrl' | 'tokenUrl',
  read: (text: string) => BaseUrl,
): Address | null | undefined {
  const text = textOf(objectOf(environment, service), name);
  if (text === null) return null;
  const at = pointer(service, name);
  const setting = settingAt(`${service}.${name}`, context.find(at).place);
  if (text === unresolved) return { url: '', setting };
  const found = read(text);
  if ('url' in found) return { url: found.url, setting };
  const message = `\`${name}\` cannot be used: ${found.problem}`;
  return refuse(context, at, { code: 'invalid-url', message });
}

/** A setting of a service. Its position is worked out when a message needs it. */
function settingAt(name: string, place: Place): Setting {
  return {
    name,
    get source() {
      return sourceOf(place);
    },
    get excerpt() {
      return place.file.excerpt(place.offset);
    },
  };
}

/** @param tokens where tokens come from */
function readAuth(
  { service, context }: ServiceText,
  auth: JsonObject,
  { url: tokenUrl, setting }: Address,
): Auth | undefined {
  const at = pointer(service, 'auth');
  const token = own(auth, 'token');
  const clientId = own(auth, 'clientId');
  const clientSecret = own(auth, 'clientSecret');
  if ((token === undefined) === (clientSecret === undefined)) {
    const message = 'Credentials are either `token`, or `clientId` and `clientSecret`';
    return refuse(context, at, { code: 'invalid-value', message });
  }
  if (token !== undefined) {
    const reveal = readCredential(token, `${at}/token`, context);
    const setting = settingAt(`${service}.auth.token`, context.find(`${at}/token`).place);
    return reveal && { by: 'token', token: reveal, setting };
  }
  const secret = readCredential(clientSecret, `${at}/clientSecret`, context);
  const id =
    typeof clientId === 'string' ? () => clientId : readCredential(clientId, `${at}/clientId`, context);
  if (!secret || !id) return undefined;
  return { by: 'client-credentials', tokenUrl, setting, clientId: id, clientSecret: secret };
}

/**
 * A function that reveals a credential. It is called when needed, because offline commands work without. Throws a
 * Failure at the credential's place where it is not set.
 */
function readCredential(
  value: Json | undefined,
  at: Pointer,
  { inputs: { secrets }, problems, find }: BuildContext,
): (() => string) | undefined {
  const name = secretName(value);
  if (name !== null) return () => revealAt(name, secrets, find(at).place);
  problems.add('literal-credential', 'Credentials do not belong in a file', find(at).place, {
    hint: 'Write `!env NAME` or `!secret NAME`, and set the variable where the program runs.',
    excerpt: false,
  });
  return undefined;
}

function revealAt(name: string, secrets: Secrets, place: Place): string {
  try {
    return secrets.reveal(name);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const source = sourceOf(place);
    throw new Failure(error.diagnostics.map((diagnostic) => ({ ...diagnostic, source })));
  }
}

function refuse({ problems, find }: BuildContext, at: Pointer, problem: Problem): undefined {
  problems.report(problem, find(at).place);
}

/** A base URL without a slash at its end, or what is wrong with it. */
export type BaseUrl = { readonly url: string } | { readonly problem: string };

/** Checks a base URL, below which the program adds the paths of the API. */
export function readBaseUrl(text: string): BaseUrl {
  const read = readUrl(text);
  const [version] = 'url' in read ? (/\/v\d{4}(?=\/|$)/.exec(read.url) ?? []) : [];
  if (version === undefined) return read;
  return { problem: `tenantctl adds the paths of the API, so it must end before \`${version}\`` };
}

/** Checks a URL of a tenant. Credentials are sent to it, so it needs https, except on this machine. */
function readUrl(text: string): BaseUrl {
  const url = text.isWellFormed() ? parseUrl(text) : null;
  if (!url) return { problem: 'it is not a URL such as https://acme.api.example.com' };
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return { problem: 'credentials are sent there, so it must begin with https://' };
  }
  if (url.username || url.password) return { problem: 'credentials do not belong in it' };
  if (url.search || url.hash) return { problem: 'it may have neither ? nor #' };
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
