import { credentialMembers, isCredentialText } from '../kinds/credentials.ts';
import { looksLikeHtml } from '../kinds/http.ts';
import type { Kinds } from '../kinds/project.ts';
import { groupBy } from '../model/basics.ts';
import type { Request } from '../model/documents.ts';
import { Failure, fail, interruption } from '../model/failure.ts';
import {
  get,
  getText,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapJson,
  mapMembers,
  parseJson,
} from '../model/json.ts';
import { parseUrl } from '../model/tenant.ts';
import { type Answer, type Answered, holdsMessage, isSuccess, type Sent } from './answer.ts';
import type { Redactor } from './redactor.ts';
import type { RawCall } from './route.ts';

/** The status and the tenant's own message, or why there is no answer: one line, safe to print, whatever the tenant sends. */
export function describeAnswer(answer: Answer) {
  const trackingId = trackingIdOf(answer);
  if (answer.outcome !== 'answered')
    return { text: shortenLine(answer.detail), hint: answer.hint ?? null, trackingId };
  const status = wordsOf(answer.status);
  const message = messageIn(answer);
  const hint = answer.advice?.hint ?? hintOf(answer);
  const isTold = message === '' || repeatsStatus(message, answer.status);
  return { text: isTold ? status : `${status}: ${message}`, hint, trackingId };
}

/** The id under which the tenant's support finds a request: from the body of an error, else from a header. */
export function trackingIdOf(answer: Answer): string | null {
  if (answer.outcome !== 'answered') return null;
  const inBody = !isSuccess(answer) && isObject(answer.body) ? getText(answer.body, 'trackingId') : null;
  const { headers } = answer;
  const names = [supportHeader, 'x-tracking-id', 'x-request-id', 'x-correlation-id'];
  const inHeader = names.map((name) => headers[name]).find((value) => value);
  const found = inBody || inHeader;
  if (!found) return null;
  const id = shortenLine(found, 100);
  // Support asks for both if they differ.
  const other = shortenLine(headers[supportHeader] ?? '', 100);
  return (other === '' || other === id ? id : `${id}, Slpt-Request-Id ${other}`) || null;
}

const supportHeader = 'slpt-request-id';

function wordsOf(status: number): string {
  // Node's HTTP takes a while to load, and most runs need no status text.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}

function repeatsStatus(message: string, status: number): boolean {
  const words = wordsOf(status).toLowerCase();
  return [words, words.slice(4), String(status)].includes(message.toLowerCase());
}

function messageIn(answer: Answered): string {
  const { status, headers, body, text } = answer;
  if (isRedirect(status)) {
    const target = shortenLine(headers.location ?? '', 200) || 'an unnamed address';
    return `the tenant redirects to ${target}; redirects are not followed, and nothing was sent there`;
  }
  if (text === null) return isObject(body) ? messageInBody(body, status) : '';
  if (looksLikeHtml(text)) {
    // The title of the page, else its text without tags, styles and scripts.
    const html = text.slice(0, 50_000);
    const title = /<title[^>]{0,200}>([^<]*)/i.exec(html)?.[1]?.trim();
    return shortenLine(title || html.replaceAll(/<(script|style)\b[\s\S]*?<\/\1\s*>|<[^>]*>/gi, ' '), 200);
  }
  // The text of a success is data that cannot be read: it may hold a token, or credentials of the tenant.
  return isSuccess(answer) ? '' : shortenLine(text, 200);
}

/** True for a status that redirects. 304 does not: it refers to a cached copy, and this client keeps no copies. */
function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/** ErrorResponseDto, the 401 `{error}`, the 429 `{message}`, and OAuth's `error_description` (api-notes). */
function messageInBody(body: JsonObject, status: number): string {
  const messages = textsIn(get(body, 'messages'));
  const causes = textsIn(get(body, 'causes')).filter((cause) => !messages.includes(cause));
  const plain = ['error', 'error_description', 'message'].flatMap((name) => getText(body, name) ?? []);
  const all = [getText(body, 'detailCode') ?? '', ...messages, ...plain];
  const words = all.filter((word) => word !== '' && !repeatsStatus(word, status));
  const message = [...new Set(words)].map((word) => shortenLine(word)).join(': ');
  if (causes.length === 0) return message;
  return `${message} (${causes.map((cause) => shortenLine(cause, 200)).join('; ')})`;
}

/** The texts of messages: one language, English before the tenant's own if both are there. */
function textsIn(messages: Json | undefined): string[] {
  if (!isArray(messages)) return [];
  const entries = messages.slice(0, 20).flatMap((message): { locale: string; text: string }[] => {
    if (typeof message === 'string') return [{ locale: '', text: message }];
    const text = isObject(message) ? getText(message, 'text') : null;
    if (text === null || !isObject(message)) return [];
    return [{ locale: getText(message, 'locale') ?? '', text }];
  });
  const english = entries.filter(({ locale }) => /^en\b/i.test(locale));
  const first = entries[0]?.locale;
  const chosen = english.length > 0 ? english : entries.filter(({ locale }) => locale === first);
  return chosen.map(({ text }) => text);
}

function hintOf(answer: Answered): string | null {
  const { status, headers, text } = answer;
  if (isRedirect(status)) {
    const host = parseUrl(headers.location ?? '')?.host;
    return `Check the base URL${host ? `; the tenant may have moved to ${shortenLine(host, 100)}` : ''}.`;
  }
  if (status === 400 && /SSL certificate/i.test(text ?? '')) return certificateHint;
  if (text !== null && looksLikeHtml(text))
    return 'The response is a web page, not a response of the API: check the base URL, and any proxy on the way.';
  // Hosts say so with a 400 or a 403, and have their own name for the header.
  if ([400, 403].includes(status) && /experimental/i.test(messageIn(answer))) return experimentalHint;
  return hints[status] ?? null;
}

export const certificateHint =
  'Set `tls: { cert: FILE, key: !secret NAME }` beside `baseUrl` in the environment.';

const experimentalHint =
  'The tenant expects the header of experimental operations under another name: set `identity.experimentalHeader` of the environment to the name that it asks for. If it asks for none, `init` tries the known names.';

const hints: Readonly<Record<number, string>> = {
  401: 'Check the credentials of this environment: the token may have expired, or the client may be disabled.',
  403: 'Give the client the right (or scope) for this call. If it has that right, ask support whether the feature is switched on, and check `experimentalHeader`.',
  404: 'Check the base URL of the environment, and whether the tenant has this feature.',
  405: 'The tenant does not support this call.',
  429: 'Lower `limits` of this environment, or find out who else uses the same client id.',
};

/** Makes one line, safe for a terminal: no control characters, none that are invisible or change the reading direction. */
export function shortenLine(text: string, longest = 400): string {
  const clean = text
    .slice(0, 20 * longest)
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return clean.length > longest ? `${clean.slice(0, longest - 1)}…` : clean;
}

/** A failed read never means "absent" (design, section 1). `what` is what was being read, for people: `SimIntegration`. */
export function readFailure(what: string, request: Request, sent: Sent): Failure {
  if (sent.outcome !== 'answered' && sent.reason === 'interrupted')
    return interruption(`Reading ${what} was interrupted; nothing was written.`);
  if (sent.outcome === 'unsent' && sent.problems) return new Failure(sent.problems);
  // The body of a success is data, from which no secrets are removed: a message quotes nothing of it.
  const quotable = isSuccess(sent) ? { ...sent, body: null } : sent;
  const { text: sentence, hint, trackingId } = describeAnswer(quotable);
  const text = sentence.replace(/\.$/, '');
  const status = sent.outcome === 'answered' ? sent.status : 0;
  const next = hint ?? (status >= 500 ? 'The tenant has a problem: run again later.' : null);
  const times = sent.attempts > 1 ? ` after ${sent.attempts} attempts` : '';
  const tracking = trackingId === null ? '' : ` (tracking id ${trackingId})`;
  const message = isSuccess(sent)
    ? `Reading ${what}: ${request.method} ${request.path} answered ${text}, which is not a response of the API${tracking}.`
    : `Reading ${what}: ${request.method} ${request.path} failed${times}: ${text}${tracking}.`;
  const place = sent.outcome === 'answered' ? sent.advice : undefined;
  const known = codes[sent.outcome === 'answered' ? sent.status : sent.reason];
  const unanswered = sent.outcome === 'lost' ? 'answer-lost' : 'tenant-unreachable';
  const answered = status < 300 ? 'bad-answer' : isRedirect(status) ? 'tenant-redirect' : 'tenant-error';
  const code = known ?? (status === 0 ? unanswered : answered);
  return fail(code, message, { ...place, ...(next === null ? {} : { hint: next }) });
}

/** True when the client may not read these objects, or the tenant does not have them. */
export function isRefusedRead(error: unknown): error is Failure {
  const codes = ['tenant-forbidden', 'tenant-not-found'];
  return error instanceof Failure && error.diagnostics.every(({ code }) => codes.includes(code));
}

const mayChange =
  'The list may be changing while it is read: run again. If the error stays, the tenant pages its lists differently than documented.';

export function badList(
  code: string,
  { what, request }: { readonly what: string; readonly request: Pick<Request, 'method' | 'path'> },
  problem: string,
  advice = mayChange,
): Failure {
  const hint = `Nothing was written. ${advice}`;
  return fail(code, `Reading ${what}: ${request.method} ${request.path} ${problem}.`, { hint });
}

/** Keyed by the status of an answer, or by why there was no answer. */
const codes: Readonly<Record<string, string>> = {
  400: 'tenant-bad-request',
  401: 'tenant-unauthorized',
  403: 'tenant-forbidden',
  404: 'tenant-not-found',
  429: 'tenant-rate-limit',
  'too-much': 'answers-too-large',
  'no-token': 'tenant-unauthorized',
  'token-endpoint': 'token-endpoint',
  'no-endpoint': 'no-endpoint',
  'no-secret': 'secret-unset',
  'rate-limited': 'tenant-rate-limit',
  unsafe: 'unsafe-request',
};

/** All results, or one Failure with the diagnostics of all failures. Waits for all of them. */
export async function allOrFailure<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(work);
  const errors = settled.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  if (errors.length === 0) return Promise.all(work);
  const failures = errors.filter((error) => error instanceof Failure);
  // Any other error is a bug, and must surface as one.
  if (failures.length < errors.length) throw errors.find((error) => !(error instanceof Failure));
  const all = failures.flatMap(({ diagnostics }) => diagnostics);
  const alike = groupBy(
    all,
    ({ code, message, hint }) => `${code} ${reportedOnce.has(code) ? (hint ?? '') : message}`,
  );
  const distinct = alike.map(([, [problem]]) => problem);
  throw new Failure(distinct);
}

const reportedOnce = new Set([
  'interrupted',
  'tenant-unauthorized',
  'token-endpoint',
  'tenant-unreachable',
  'tenant-redirect',
  'tenant-rate-limit',
  'no-endpoint',
]);

interface Exchange {
  readonly call: RawCall;
  readonly answer: Answer;
  readonly ms: number;
}

/**
 * For a trace, which people pass on: names, ids, types and numbers. All other texts of a tenant's objects are left out, since any
 * may be a credential. Messages of the tenant are kept, without secrets.
 */
export function traceOf({ call, answer, ms }: Exchange, kinds: Kinds, redactor: Redactor): Json {
  const fields = kinds.all.flatMap((kind) => Object.entries(kind.fields));
  const settings = fields.flatMap(([name, field]) =>
    (field.is === 'json' && field.settings) || field.places?.has('secret') ? name : [],
  );
  const keys = kinds.all.flatMap(({ keyFields }) => keyFields.map(({ name }) => name));
  // Values in a JSON Patch may be settings.
  const policy = { shown: new Set([...plainMembers, ...keys]), settings: new Set([...settings, 'value']) };
  const { origin, method, path, headers, body } = call;
  const content = answer.outcome === 'answered' ? (answer.text ?? answer.body) : null;
  return redactor.json({
    at: new Date().toISOString(),
    method,
    url: origin + path,
    ms: Math.round(ms),
    request: {
      headers: concealCredentials({ ...headers }),
      // A form holds the credentials of the client, and is no JSON.
      body: body === null ? null : concealData(parseJson(body) ?? body, policy),
    },
    answer:
      answer.outcome === 'answered'
        ? {
            outcome: answer.outcome,
            status: answer.status,
            headers: concealCredentials({ ...answer.headers }),
            body: holdsMessage(answer) ? concealCredentials(content) : concealData(content, policy),
          }
        : { outcome: answer.outcome, detail: answer.detail },
  });
}

interface Policy {
  /** Members that identify the object or its type. */
  readonly shown: ReadonlySet<string>;
  /** Fields with the settings of another system, or with secrets: none of it is shown. */
  readonly settings: ReadonlySet<string>;
}

const plainMembers = [
  'id',
  'type',
  'op',
  'path',
  'method',
  'status',
  'medium',
  'locale',
  'created',
  'modified',
];

/** `sourceId`, `data_type`, `verificationStatus`. */
const tellingMember = /(?:Id|_id|Type|_type|Status)$/;

function concealData(value: Json, policy: Policy): Json {
  if (isArray(value)) return value.map((item) => concealData(item, policy));
  if (!isObject(value)) return typeof value === 'string' ? concealed(value) : value;
  const isNamed = credentialMembers(value);
  return mapMembers(value, (item, name) => {
    if (policy.settings.has(name)) return mapJson(item, concealed);
    if (typeof item === 'object' && item !== null) return concealData(item, policy);
    const mayShow = policy.shown.has(name) || typeof item !== 'string' || tellingMember.test(name);
    // The key of a template has the name of a credential, but is not one.
    const isSecret =
      (isNamed(name) && !policy.shown.has(name)) || (typeof item === 'string' && isCredentialText(item));
    return mayShow && !isSecret ? item : concealed(item);
  });
}

/** A message, or headers, without what looks like a credential. */
function concealCredentials(value: Json): Json {
  if (isArray(value)) return value.map(concealCredentials);
  if (!isObject(value))
    return typeof value === 'string' && isCredentialText(value) ? concealed(value) : value;
  const isNamed = credentialMembers(value);
  return mapMembers(value, (item, name) =>
    isNamed(name) ? mapJson(item, concealed) : concealCredentials(item),
  );
}

/** The placeholder for a value. Its length helps if a tenant cuts texts. */
function concealed(value: Json): Json {
  if (typeof value === 'string') return `[text of ${value.length} characters]`;
  return typeof value === 'number' ? '[number]' : value;
}
