import type { Json } from '../model/json.ts';

/** The tenant answered. Names of headers are in lower case. */
export interface Answered {
  readonly outcome: 'answered';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the answer; `null` where it is empty or no JSON. */
  readonly body: Json;
  /** The answer's text where it is no JSON, else `null`. */
  readonly text: string | null;
  /** Of the bytes of the body, where the caller may recognise it. */
  readonly digest?: string;
  /** The pieces of the body that the caller has recognised; they have not been read, and `body` is `null`. */
  readonly unread?: readonly Uint8Array[];
}

/** The request was sent and no whole answer came: it may have been carried out. */
export interface Lost {
  readonly outcome: 'lost';
  readonly reason: 'reset' | 'timeout' | 'cut' | 'too-large' | 'interrupted';
  readonly detail: string;
}

/** The request never left: it was certainly not carried out. */
export interface Unsent {
  readonly outcome: 'unsent';
  readonly reason:
    | 'unreachable'
    | 'untrusted'
    | 'interrupted'
    | 'rate-limited'
    | 'no-token'
    | 'no-secret'
    | 'no-endpoint'
    | 'unsafe';
  readonly detail: string;
  readonly hint?: string;
}

/** What became of one request. */
export type Answer = Answered | Lost | Unsent;

/** An answer with what it took to get it. */
export type Sent = Answer & {
  readonly attempts: number;
  readonly ms: number;
  readonly trackingId: string | null;
  /** An earlier attempt of this request may have been carried out already. */
  readonly repeated: boolean;
};

/** An answer that says the request was carried out. */
export type Success = Answered & { readonly status: 200 | 201 | 202 | 203 | 204 };

/** Whether the tenant carried the request out and says so. */
export function isSuccess(answer: Answer): answer is Success {
  return answer.outcome === 'answered' && answer.status >= 200 && answer.status < 300;
}

/** Whether a request without success may have been carried out all the same. */
export function mayHaveHappened(answer: Answer): boolean {
  switch (answer.outcome) {
    case 'answered':
      return isSuccess(answer) || answer.status >= 500;
    case 'lost':
      return true;
    case 'unsent':
      return false;
  }
}
