import { isArray, isObject, type Json, type JsonObject, own, textOf } from '../model/json.ts';
import type { Answer, Answered } from './answer.ts';
import { inBrief, looksLikeHtml, textOfHtml } from './brief.ts';
import { parseUrl } from './url.ts';

/** An answer without success, in words for people. */
export interface Description {
  /** The status and the tenant's own message, or why there is no answer. One line, safe to print. */
  readonly text: string;
  /** What to do next, where anything is known. */
  readonly hint: string | null;
  readonly trackingId: string | null;
}

/** Describes an answer; never fails on what the tenant put into it. */
export function describeAnswer(answer: Answer): Description {
  const trackingId = trackingIdOf(answer);
  switch (answer.outcome) {
    case 'answered': {
      const message = messageOf(answer);
      // Node's HTTP takes a while to load, and most runs need no words for a status.
      const { STATUS_CODES } = process.getBuiltinModule('node:http');
      const status = `${answer.status} ${STATUS_CODES[answer.status] ?? ''}`.trim();
      return { text: message ? `${status}: ${message}` : status, hint: hintOf(answer), trackingId };
    }
    case 'lost':
      return { text: inBrief(answer.detail), hint: null, trackingId };
    case 'unsent':
      return { text: inBrief(answer.detail), hint: answer.hint ?? null, trackingId };
  }
}

/** The id under which the tenant's support finds a request: from the error body, else from a header. */
export function trackingIdOf(answer: Answer): string | null {
  if (answer.outcome !== 'answered') return null;
  const inBody = isObject(answer.body) ? textOf(answer.body, 'trackingId') : null;
  const names = ['x-tracking-id', 'x-request-id', 'x-correlation-id'];
  const inHeader = names.map((name) => answer.headers[name]).find((value) => value);
  const id = inBody ?? inHeader;
  return id ? inBrief(id, 100) || null : null;
}

function messageOf({ status, headers, body, text }: Answered): string {
  if (status >= 300 && status < 400) return redirectMessage(headers);
  if (text !== null) return inBrief(looksLikeHtml(text) ? textOfHtml(text) : text, 200);
  return isObject(body) ? messageOfBody(body) : '';
}

function redirectMessage(headers: Readonly<Record<string, string>>): string {
  const target = inBrief(headers.location ?? '', 200) || 'an address it does not name';
  return `the tenant redirects to ${target}; redirects are not followed, the token was not sent there`;
}

/** ErrorResponseDto, the 401 `{error}`, the 429 `{message}`, and OAuth's `error_description` (api-notes). */
function messageOfBody(body: JsonObject): string {
  const messages = textsOf(own(body, 'messages'));
  const causes = textsOf(own(body, 'causes')).filter((cause) => !messages.includes(cause));
  const plain = ['error', 'error_description', 'message'].flatMap((name) => textOf(body, name) ?? []);
  const words = [textOf(body, 'detailCode') ?? '', ...messages, ...plain].filter((word) => word !== '');
  const message = [...new Set(words)].map((word) => inBrief(word)).join(': ');
  if (causes.length === 0) return message;
  return `${message} (${causes.map((cause) => inBrief(cause, 200)).join('; ')})`;
}

/** The texts of messages: one language, English before the tenant's own where both are there. */
function textsOf(messages: Json | undefined): string[] {
  if (!isArray(messages)) return [];
  const entries = messages.slice(0, 20).flatMap((message): { locale: string; text: string }[] => {
    if (typeof message === 'string') return [{ locale: '', text: message }];
    const text = isObject(message) ? textOf(message, 'text') : null;
    if (text === null || !isObject(message)) return [];
    return [{ locale: textOf(message, 'locale') ?? '', text }];
  });
  const english = entries.filter(({ locale }) => /^en\b/i.test(locale));
  const first = entries[0]?.locale;
  const chosen = english.length > 0 ? english : entries.filter(({ locale }) => locale === first);
  return chosen.map(({ text }) => text);
}

function hintOf(answer: Answered): string | null {
  const { status, headers, text } = answer;
  if (status >= 300 && status < 400) {
    const host = parseUrl(headers.location ?? '')?.host;
    return `Check the base URL in the project file${host ? `; the tenant may have moved to ${inBrief(host, 100)}` : ''}.`;
  }
  if (text !== null && looksLikeHtml(text)) {
    return 'A web page came instead of an answer of the API: check the base URL, and proxies on the way.';
  }
  return hints[status] ?? (status >= 500 ? 'The tenant has a problem of its own: run again later.' : null);
}

const hints: Readonly<Record<number, string>> = {
  401: 'Check the credentials of this environment: the token may have expired, or the client may be disabled.',
  403: 'The credentials lack a right (or scope) for this call, or the tenant has not switched the feature on: some need support to enable them, and the experimental header must have the name the tenant expects (experimentalHeader).',
  404: 'Check the base URL of the environment, and whether the tenant has this feature.',
  405: 'The tenant does not support this call.',
  429: 'Lower `limits` of this environment, or find out who else uses the same client id.',
};
