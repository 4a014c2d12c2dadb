import { isObject, own, parseJson, textOf } from '../model/json.ts';
import type { Auth } from '../model/project.ts';
import { type Answer, type Answered, isSuccess, type Unsent, unsent } from './answer.ts';
import type { Clock } from './clock.ts';
import { describeAnswer } from './describe.ts';
import type { Redactor } from './redactor.ts';
import { parseUrl } from './target.ts';
import type { Call } from './transport.ts';

export type Token = { readonly value: string } | Unsent;

/** Where the token of one client comes from. */
export interface TokenSource {
  /** A token that has not expired; fetched once for all who ask at the same time. */
  current(): Promise<Token>;
  /** A token other than `stale`, which the tenant refused; `null` where there is no other. */
  readonly renew: ((stale: string) => Promise<Token>) | null;
}

export interface AuthTools {
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Sends a token request, with the retries of any request. */
  exchange(call: Omit<Call, 'signal'>): Promise<Answer>;
  onFetched(tokenUrl: string): void;
}

/** Token sources by (token URL, client id): a tenant's two services share one where they use the same client. */
export function createTokenSources(tools: AuthTools): (auth: Auth) => TokenSource {
  const sources = new Map<string, TokenSource>();
  return (auth) => {
    const name = auth.by === 'token' ? auth.token().trim() : `${auth.tokenUrl}\n${auth.clientId()}`;
    const key = `${auth.by}\n${name}`;
    const source =
      sources.get(key) ?? (auth.by === 'token' ? fixedToken(name, tools) : clientCredentials(auth, tools));
    sources.set(key, source);
    return source;
  };
}

function fixedToken(token: string, { redactor }: AuthTools): TokenSource {
  redactor.learn(token);
  const answer = isToken(token)
    ? { value: token }
    : noToken(
        'the token of this environment is empty, or has characters that a token cannot have',
        'Give the token alone, without `Bearer`, in the variable that `auth: { token: … }` names.',
      );
  return { current: async () => answer, renew: null };
}

type ClientCredentials = Extract<Auth, { by: 'client-credentials' }>;

/** A token, and when to get the next one. */
interface Held {
  readonly value: string;
  readonly until: number;
}

/** Why there is no token. Credentials that were refused are not sent again: that could lock the client out. */
interface NotFetched {
  readonly why: Unsent;
  readonly isRefused: boolean;
}

function clientCredentials(auth: ClientCredentials, tools: AuthTools): TokenSource {
  let held: Held | null = null;
  let pending: Promise<Held | NotFetched> | null = null;
  let refused: Unsent | null = null;

  const fetchOnce = async (): Promise<Token> => {
    if (refused) return refused;
    pending ??= fetchToken(auth, tools).finally(() => {
      pending = null;
    });
    const fetched = await pending;
    if ('why' in fetched) {
      if (fetched.isRefused) refused = fetched.why;
      return fetched.why;
    }
    held = fetched;
    return held;
  };
  return {
    current: async () => (held && tools.clock.now() < held.until ? held : fetchOnce()),
    renew: async (stale) => (held && held.value !== stale ? held : fetchOnce()),
  };
}

/** OAuth 2 client credentials, with a form body (api-notes, "auth scheme"). */
async function fetchToken(
  auth: ClientCredentials,
  { clock, redactor, exchange, onFetched }: AuthTools,
): Promise<Held | NotFetched> {
  const url = parseUrl(auth.tokenUrl);
  if (!url) return { why: noToken(`the token URL "${auth.tokenUrl}" is not a URL`), isRefused: true };
  const clientSecret = auth.clientSecret();
  redactor.learn(clientSecret);
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: auth.clientId(),
    client_secret: clientSecret,
  });
  const answer = await exchange({
    origin: url.origin,
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  if (answer.outcome === 'unsent') return { why: answer, isRefused: false };
  if (answer.outcome === 'lost' && answer.reason === 'interrupted') {
    return { why: unsent('interrupted', answer.detail), isRefused: false };
  }
  const token = isSuccess(answer) && isObject(answer.body) ? textOf(answer.body, 'access_token') : null;
  if (token !== null) redactor.learn(token);
  if (!isSuccess(answer) || token === null || !isToken(token)) {
    const words = isSuccess(answer)
      ? 'the answer has no token'
      : describeAnswer(redactor.answer(answer)).text;
    const isRefused = answer.outcome === 'answered' && [400, 401, 403].includes(answer.status);
    return { why: noToken(`${auth.tokenUrl} issued no token: ${words}`), isRefused };
  }
  onFetched(auth.tokenUrl);
  const now = clock.now();
  const lifetime = lifetimeOf(answer, token, now);
  // Early enough for a request that waits in a queue, but not immediately for a token that lives for seconds.
  return { value: token, until: now + lifetime - Math.min(30_000, lifetime / 5) };
}

/** Milliseconds the token lives: the shorter of `expires_in` and the JWT's own times. */
function lifetimeOf(answer: Answered, token: string, now: number): number {
  const stated = isObject(answer.body) ? Number(own(answer.body, 'expires_in') ?? Number.NaN) : Number.NaN;
  const { exp, iat } = jwtTimes(token);
  // With both of the server's times, the local clock may be wrong.
  const inToken = exp === null ? Number.NaN : exp * 1000 - (iat === null ? now : iat * 1000);
  // Nonsensical values are ignored: then a 401 shows that the token has expired.
  return Math.min(Number.POSITIVE_INFINITY, ...[stated * 1000, inToken].filter((ms) => ms > 0));
}

/** The times in a JWT's payload, in seconds since 1970. The signature is not verified: only the tenant can do that. */
function jwtTimes(token: string): { exp: number | null; iat: number | null } {
  const payload = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const time = (name: string): number | null => {
    const value = isObject(payload) ? own(payload, name) : null;
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  return { exp: time('exp'), iat: time('iat') };
}

function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function noToken(
  detail: string,
  hint = 'Check the client id, the client secret and the token URL of this environment.',
): Unsent {
  return unsent('no-token', detail, hint);
}
