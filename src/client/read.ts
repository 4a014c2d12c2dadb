import { type Call as ApiCall, apiRequest, identityResource } from '../kinds/http.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import {
  candidateKeys,
  distinctKeys,
  idsAsNames,
  LiveIndex,
  type TenantState,
} from '../kinds/live-objects.ts';
import { allOf, type ReadRequest, someOf } from '../kinds/read-request.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { canonicalJson, isObject, type JsonObject } from '../model/json.ts';
import { objectOf } from '../model/members.ts';
import type { ApiSettings } from '../model/settings.ts';
import { isWhole, neverSent, type Sent, unsentWithProblems } from './answer.ts';
import type { Client } from './client.ts';
import { readFailure } from './describe.ts';
import { type KindRead, readDefaultsOfKind, readKind } from './read-kind.ts';

/**
 * A client for work that only reads: equal GETs are sent once, and none is waited for after one has been given up without an
 * answer. Not for use across a write.
 */
export function readOnce(client: Client): Client {
  const answers = new Map<string, Promise<Sent>>();
  const sendGet = untilSilence(client);
  return withSend(client, (request, options) => {
    if (request.method !== 'GET') return client.send(request, options);
    const { path, query, headers } = request;
    const name = canonicalJson({ path, query, headers });
    const known = options?.again ? undefined : answers.get(name);
    const answer = known ?? sendGet(request, options);
    answers.set(name, answer);
    return answer;
  });
}

/** The same client, which sends in another way. */
function withSend(client: Client, send: Client['send']): Client {
  return {
    tenant: client.tenant,
    send,
    redact: (text) => client.redact(text),
    close: () => client.close(),
  };
}

/**
 * Sends requests until one of them has got no answer in all its attempts. A read that failed ends the work, so what else is
 * to be read is not waited for: a tenant that hangs would else be tried for minutes for each object.
 */
function untilSilence(client: Client): Client['send'] {
  const isOver = new AbortController();
  let rest: Sent | null = null;
  return async (request, options) => {
    if (rest) return rest;
    const signal = options?.signal ? AbortSignal.any([isOver.signal, options.signal]) : isOver.signal;
    const sent = await client.send(request, { ...options, signal });
    if (sent.outcome !== 'lost') return sent;
    if (rest) return rest;
    if (sent.reason === 'timeout') {
      rest = notWaitedFor(request, sent);
      isOver.abort();
    }
    return sent;
  };
}

/** The outcome of all reads beside one that got no answer. */
function notWaitedFor({ method, path }: Pick<ApiCall, 'method' | 'path'>, { attempts }: Sent): Sent {
  const message = `The rest was not waited for: ${method} ${path} got no answer in ${attempts} attempts.`;
  const hint = 'Run again. `limits.timeout` says how long an answer may take.';
  const problem: Diagnostic = { code: 'answer-lost', severity: 'error', message, hint };
  return neverSent(unsentWithProblems('unreachable', [problem]));
}

/** The same client for reads that have to show the tenant as it is now: what `readOnce` knows is read again. */
export function readAgain(client: Client): Client {
  return withSend(client, (request, options) => client.send(request, { ...options, again: true }));
}

/**
 * The live objects asked for, all kinds concurrently, with as few requests as possible. Throws a Failure with all
 * problems: a read that failed or is incomplete never means "absent".
 */
export async function readObjects(
  client: Client,
  requests: readonly ReadRequest[],
  settings: ApiSettings,
): Promise<readonly LiveObject[]> {
  return (await readObjectsAndOthers(client, requests, settings)).objects;
}

/**
 * The live objects asked for, and the others of the lists that were read whole for them: no request is sent for those.
 * Throws a Failure as {@link readObjects} does.
 */
export async function readObjectsAndOthers(
  client: Client,
  requests: readonly ReadRequest[],
  settings: ApiSettings,
): Promise<KindRead> {
  const read = await allOrFailure(requests.map((request) => readKind(client, request, settings)));
  return { objects: read.flatMap(({ objects }) => objects), others: read.flatMap(({ others }) => others) };
}

/**
 * The vendor's defaults of the objects asked for and of their relatives (a default in another locale shows that a key
 * exists); none for kinds without defaults. Throws a Failure as {@link readObjects} does.
 */
export async function readDefaults(
  client: Client,
  requests: readonly ReadRequest[],
  settings: ApiSettings,
): Promise<readonly LiveObject[]> {
  return (
    await allOrFailure(requests.map((request) => readDefaultsOfKind(client, request, settings)))
  ).flat();
}

/** The objects asked for, and the vendor's defaults of the keys without a customised object. Throws as both do. */
export async function readTenant(
  client: Client,
  requests: readonly ReadRequest[],
  settings: ApiSettings,
): Promise<TenantState> {
  const objects = await readObjects(client, requests, settings);
  const index = new LiveIndex(objects);
  const missing = requests.map(({ kind, keys }) =>
    someOf(
      kind,
      keys.filter((key) => !index.findByKey(kind, key)),
    ),
  );
  return { tenant: client.tenant, objects, defaults: await readDefaults(client, missing, settings) };
}

/** All results, or one Failure with the diagnostics of all failures. Waits for all of them. */
export async function allOrFailure<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(work);
  const errors = settled.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  if (errors.length === 0) return Promise.all(work);
  const failures = errors.filter((error) => error instanceof Failure);
  const first = failures[0];
  // Any other error is a bug in the program, and must show as one.
  if (!first || failures.length < errors.length) throw errors.find((error) => !(error instanceof Failure));
  throw new Failure(withoutRepeats(failures.flatMap(({ diagnostics }) => diagnostics)), first.exitCode);
}

/** Problems that are the same for every kind are reported once. */
const reportedOnce = new Set([
  'interrupted',
  'tenant-unauthorized',
  'token-endpoint',
  'tenant-unreachable',
  'tenant-redirect',
  'tenant-rate-limit',
  'no-endpoint',
]);

function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ code, message, hint }) => {
    const name = reportedOnce.has(code) ? `${code} ${hint ?? ''}` : `${code} ${message}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

export interface ReadAllOptions extends Pick<ReadRequest, 'onUnusable'> {
  /** What manifests declare. */
  readonly declared?: readonly Pick<LiveObject, 'kind' | 'key' | 'id'>[];
  /** Called for a kind that the tenant refuses to show while it shows others. Left out: then reading fails. */
  onRefused?(kind: Kind, refusal: Failure): void;
}

/** The credentials may not read these objects, or the tenant does not have them. */
export function isRefused(error: unknown): error is Failure {
  const codes = ['tenant-forbidden', 'tenant-not-found'];
  return error instanceof Failure && error.diagnostics.every(({ code }) => codes.includes(code));
}

/**
 * All live objects of these kinds. Of a kind without a list, the keys that objects of other kinds suggest and those in
 * `declared` are read. Objects that share a key in `declared` are unusable; others of one key are known by their ids, and so are
 * those that are declared by their ids alone.
 * Throws a Failure like {@link readObjects}.
 */
export async function readAll(
  client: Client,
  kinds: readonly Kind[],
  settings: ApiSettings,
  { declared = [], onUnusable, onRefused }: ReadAllOptions = {},
): Promise<readonly LiveObject[]> {
  const reads = new Map<string, Promise<readonly LiveObject[]>>();
  const readWhole = (kind: Kind): Promise<readonly LiveObject[]> => {
    // Each kind is read once, even if other kinds need its objects too.
    const objects = reads.get(kind.name) ?? readNow(kind);
    reads.set(kind.name, objects);
    return objects;
  };
  const readNow = async (kind: Kind): Promise<readonly LiveObject[]> => {
    const request = await requestFor(kind);
    return readObjects(client, [{ ...request, ...(onUnusable ? { onUnusable } : {}) }], settings);
  };
  const requestFor = async (kind: Kind): Promise<ReadRequest> => {
    const ofKind = declared.filter((one) => one.kind === kind);
    const own = ofKind.map(({ key }) => key);
    // Of objects that share a key, it is not known which one a declared key means: none of them takes another name.
    if (kind.read.how !== 'each-declared')
      return { ...allOf(kind), keys: own, idsAsNames: idsAsNames(ofKind) };
    const known = await allOrFailure(
      kind.read.candidatesFrom.flatMap((other) => [
        readWhole(other),
        readDefaults(client, [allOf(other)], settings),
      ]),
    );
    return someOf(kind, distinctKeys(kind, [...candidateKeys(kind.read, known.flat()), ...own]));
  };
  const refused = new Map<Kind, Failure>();
  const found = await allOrFailure(
    kinds.map((kind) =>
      readWhole(kind).catch((error: unknown) => {
        if (!onRefused || !isRefused(error)) throw error;
        refused.set(kind, error);
        return [];
      }),
    ),
  );
  // Where nothing can be read, the address or the credentials are wrong.
  if (refused.size > 0 && refused.size === kinds.length)
    await allOrFailure([...refused.values()].map((refusal) => Promise.reject(refusal)));
  for (const [kind, refusal] of refused) onRefused?.(kind, refusal);
  return found.flat();
}

/** The tenant's own attributes for templates (seed 001). */
export const templateContext = identityResource(
  'NotificationTemplateContext',
  'v2025',
  'notification-template-context',
);

/** The tenant's own attributes for templates (seed 001, get-notifications-template-context). Throws a Failure. */
export async function readTemplateContext(
  client: Pick<Client, 'send'>,
  settings: ApiSettings,
): Promise<JsonObject> {
  const request = apiRequest('GET', templateContext, settings);
  const sent = await client.send(request);
  if (!isWhole(sent) || !isObject(sent.body)) throw readFailure('the template context', request, sent);
  return objectOf(sent.body, 'attributes');
}
