import { isErrorBody, isInconclusive } from '../kinds/http.ts';
import type { Diagnostic } from '../model/failure.ts';
import type { Json } from '../model/json.ts';

/** Names of headers are in lower case. */
export interface Answered {
  readonly outcome: 'answered';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the answer; `null` if it is empty or not JSON. */
  readonly body: Json;
  /** The answer's text if it is not JSON, else `null`. */
  readonly text: string | null;
  /** For a token that is not renewed, or a pause that is too long: what to do, and the place in the project file. */
  readonly advice?: Pick<Diagnostic, 'source' | 'hint'>;
}

/** The request was sent, and no complete answer came: it may have been carried out. */
interface Lost {
  readonly outcome: 'lost';
  readonly reason: 'reset' | 'timeout' | 'cut' | 'too-large' | 'too-much' | 'interrupted';
  readonly detail: string;
  readonly hint?: string;
}

/** The request was not sent, so it was not carried out. */
export interface Unsent {
  readonly outcome: 'unsent';
  readonly reason:
    | 'unreachable'
    | 'refused-by-proxy'
    | 'untrusted'
    | 'interrupted'
    | 'rate-limited'
    | 'outdated'
    | 'no-token'
    | 'token-endpoint'
    | 'no-secret'
    | 'no-endpoint'
    | 'unsafe';
  readonly detail: string;
  readonly hint?: string;
  /** The reason if it concerns every request, with its place in the project file. */
  readonly problems?: readonly Diagnostic[];
}

export function lostAnswer(reason: Lost['reason'], detail: string, hint?: string): Lost {
  return { outcome: 'lost', reason, detail, ...(hint !== undefined && { hint }) };
}

export function unsentAnswer(reason: Unsent['reason'], detail: string, hint?: string): Unsent {
  return { outcome: 'unsent', reason, detail, ...(hint !== undefined && { hint }) };
}

export const pauseText = (ms: number): string =>
  `the tenant accepts no requests for the next ${Math.ceil(ms / 1000)} s`;

export function unsentWithProblems(reason: Unsent['reason'], problems: readonly Diagnostic[]): Unsent {
  const hints = problems.flatMap(({ hint }) => hint ?? []);
  const detail = problems.map(({ message }) => message.replace(/\.$/, '')).join('; ');
  return { ...unsentAnswer(reason, detail, hints.length > 0 ? hints.join(' ') : undefined), problems };
}

export type Answer = Answered | Lost | Unsent;

export type Sent = Answer & {
  readonly attempts: number;
  readonly ms: number;
  readonly trackingId: string | null;
  /** An earlier attempt of this request may have been carried out already. */
  readonly repeated: boolean;
};

type Success = Answered & { readonly status: 200 | 201 | 202 | 203 | 204 };

export function isSuccess(answer: Answer): answer is Success {
  return answer.outcome === 'answered' && answer.status >= 200 && answer.status < 300;
}

/**
 * A complete answer to a read. A 202 comes before the work is done (RFC 9110, 15.3.3), a 206 holds a part, a 207 may hold
 * failures beside it, and a 226 holds differences. Some gateways give an error a 200.
 */
export function isWhole(answer: Answer): answer is Success {
  if (!isSuccess(answer) || isErrorBody(answer.body)) return false;
  return ![202, 206, 207, 226].includes(answer.status);
}

/** True when the body is a message of the tenant rather than data: only a message may be quoted, without secrets. */
export function holdsMessage({ status, body }: Answered): boolean {
  return status >= 300 || isErrorBody(body);
}

export function mayHaveHappened(answer: Answer): boolean {
  if (answer.outcome === 'answered') return isSuccess(answer) || isInconclusive(answer);
  return answer.outcome === 'lost';
}
