import { isErrorBody, looksLikeHtml } from '../kinds/http.ts';
import type { Auth, Setting } from '../kinds/project.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { get, getText, isObject, parseJson } from '../model/json.ts';
import {
  type Answer,
  type Answered,
  isSuccess,
  type Sent,
  type Unsent,
  unsentAnswer,
  unsentWithProblems,
} from './answer.ts';
import type { Clock } from './clock.ts';
import { describeAnswer } from './describe.ts';
import type { Redactor } from './redactor.ts';
import { dateOf } from './retry.ts';
import type { Call } from './transport.ts';

type FetchedToken = ({ readonly value: string } | Unsent) & { readonly failures: number };

export interface TokenSource {
  /** A token that has not expired, fetched once for concurrent requests. */
  current(): Promise<FetchedToken>;
  /** Drops a token that the tenant refused, if it is still in use. False if there is no other. */
  readonly drop: (refused: string) => boolean;
  /** The advice about a 401 if there is no other token. */
  readonly advise?: (refusal: Answered) => Answered['advice'];
}

interface AuthTools {
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Sends a token request, with the retries of any request. */
  exchange(call: Omit<Call, 'signal' | 'longest'>): Promise<Sent>;
  onFetched(tokenUrl: string): void;
}

/** One token source for each token URL and client id. Throws a Failure for credentials that are not set. */
export function createTokenSources(tools: AuthTools): (auth: Auth) => TokenSource {
  const sources = new Map<string, TokenSource>();
  return (auth) => {
    const [name = '', secret = ''] =
      auth.by === 'token' ? revealAll(auth.token) : revealAll(auth.clientId, auth.clientSecret);
    const key = JSON.stringify([auth.by, auth.by === 'token' ? '' : auth.tokenUrl, name]);
    const source =
      sources.get(key) ??
      (auth.by === 'token'
        ? fixedToken(name.trim(), auth, tools)
        : clientCredentials({ ...auth, id: withoutLineEnd(name), secret: withoutLineEnd(secret) }, tools));
    sources.set(key, source);
    return source;
  };
}

/** The credentials. Throws one Failure for all that are not set. */
function revealAll(...credentials: readonly (() => string)[]): string[] {
  const problems: Diagnostic[] = [];
  const revealed = credentials.map((reveal) => {
    try {
      return reveal();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push(...error.diagnostics);
      return '';
    }
  });
  if (problems.length > 0) throw new Failure(problems);
  return revealed;
}

/** No credential ends with a newline, but a variable set from a command's output may. */
const withoutLineEnd = (text: string) => text.replace(/[\r\n]+$/, '');

function fixedToken(
  first: string,
  { setting, renew }: Extract<Auth, { by: 'token' }>,
  { clock, redactor }: AuthTools,
): TokenSource {
  let token = first;
  redactor.learn(token);
  const name = setting?.name ?? 'auth.token';
  // The place is only looked up if it is shown.
  const at = () => setting && { source: setting.source };
  return {
    async current() {
      if (isToken(token)) return { value: token, failures: 0 };
      const message = 'The token of this environment is empty, or has characters that a token cannot have.';
      const hint = `Give the token alone, without \`Bearer\`, in the variable that \`${name}\` names.`;
      const problem = { code: 'tenant-unauthorized', severity: 'error', message, hint, ...at() } as const;
      return { ...unsentWithProblems('no-token', [problem]), failures: 0 };
    },
    drop(refused) {
      // The token of a file may have been rotated since it was read.
      if (token === refused) token = renew?.()?.trim() ?? token;
      redactor.learn(token);
      return token !== refused;
    },
    advise({ headers }) {
      const { exp } = jwtTimes(token);
      const isOver = exp !== null && exp > 0 && exp * 1000 <= (dateOf(headers.date) ?? clock.now());
      const hint = isOver
        ? `The token expired at ${new Date(exp * 1000).toISOString()}: put a new one into the variable that \`${name}\` names.`
        : `Check the variable that \`${name}\` names: its token may be another tenant's, or may have expired. tenantctl renews only tokens that it gets with \`clientId\` and \`clientSecret\`.`;
      return { hint, ...at() };
    },
  };
}

interface ClientCredentials {
  readonly tokenUrl: string;
  readonly setting?: Setting;
  readonly id: string;
  readonly secret: string;
}

interface StoredToken {
  readonly value: string;
  readonly until: number;
}

function clientCredentials(client: ClientCredentials, tools: AuthTools): TokenSource {
  let held: StoredToken | null = null;
  let pending: Promise<FetchedToken> | null = null;
  let refused: Unsent | null = null;

  const fetchNow = async (): Promise<FetchedToken> => {
    const sent = await fetchToken(client, tools);
    const failures = Math.max(0, sent.attempts - 1);
    const token = tokenIn(sent, client, tools);
    if ('value' in token) {
      tools.onFetched(client.tokenUrl);
      held = token;
    } else if (token.reason === 'no-token') {
      // Credentials that were refused are not sent again: that could lock the client out.
      refused = token;
    }
    return { ...token, failures };
  };
  return {
    async current() {
      if (held && tools.clock.now() < held.until) return { ...held, failures: 0 };
      if (refused) return { ...refused, failures: 0 };
      pending ??= fetchNow().finally(() => {
        pending = null;
      });
      return pending;
    },
    drop(token) {
      // The answer to an earlier request may come after the token was renewed.
      if (held?.value === token) held = null;
      return true;
    },
  };
}

/** OAuth 2 client credentials, with a form body (api-notes, "auth scheme"). */
function fetchToken({ tokenUrl, id, secret }: ClientCredentials, tools: AuthTools): Promise<Sent> {
  const { origin, pathname, search } = new URL(tokenUrl);
  tools.redactor.learn(secret);
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  });
  return tools.exchange({
    origin,
    method: 'POST',
    path: `${pathname}${search}`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
}

function tokenIn(
  sent: Sent,
  client: ClientCredentials,
  { clock, redactor }: AuthTools,
): StoredToken | Unsent {
  if (sent.outcome !== 'answered' && sent.reason === 'interrupted') {
    return unsentAnswer('interrupted', sent.detail);
  }
  const token = isSuccess(sent) && isObject(sent.body) ? getText(sent.body, 'access_token') : null;
  if (token !== null) redactor.learn(token);
  if (!isSuccess(sent) || token === null || !isToken(token)) return noToken(redactor.whole(sent), client);
  const now = clock.now();
  const lifetime = lifetimeOf(sent, token, now);
  // Early enough for a queued request, but not at once for a token that lives for seconds.
  return { value: token, until: now + lifetime - Math.min(30_000, lifetime / 5) };
}

/** Distinguishes refused credentials from a wrong or failing token endpoint. */
function noToken(answer: Answer, { tokenUrl, setting }: ClientCredentials): Unsent {
  const { text, hint } = describeAnswer(answer);
  const words = text.replace(/\.$/, '');
  const at = setting && { source: setting.source, excerpt: setting.excerpt };
  const why = reasonOf(answer);
  if (why === 'refused') {
    const message = `The token endpoint ${tokenUrl} refused the credentials: ${words}.`;
    const next =
      'Check the client id and the client secret of this environment, the token URL, and that the client has the grant type `client_credentials`.';
    const problem = { code: 'tenant-unauthorized', severity: 'error', message, hint: next, ...at } as const;
    return unsentWithProblems('no-token', [problem]);
  }
  const what = isSuccess(answer)
    ? `returned no token: ${words}, with a response that has no usable text in \`access_token\`.`
    : `did not issue a token: ${words}. The credentials were not checked.`;
  const message = `The token endpoint ${tokenUrl} ${what}`;
  const next =
    why === 'wrong'
      ? `Check \`${setting?.name ?? 'tokenUrl'}\`, and set \`tokenUrl\` if tokens come from elsewhere.`
      : (hint ?? 'Run again later.');
  return unsentWithProblems('token-endpoint', [
    { code: 'token-endpoint', severity: 'error', message, hint: next, ...at },
  ]);
}

function reasonOf(answer: Answer): 'refused' | 'wrong' | 'trouble' {
  if (answer.outcome !== 'answered') return 'trouble';
  const { status, text, body } = answer;
  // A web page comes from a proxy or another host: it says nothing about the credentials.
  if (text !== null && looksLikeHtml(text)) return 'wrong';
  // Some hosts say `invalid_client` with a 200.
  if ([400, 401, 403].includes(status) || (isSuccess(answer) && isErrorBody(body))) return 'refused';
  return status === 429 || status >= 500 ? 'trouble' : 'wrong';
}

/** Milliseconds the token lives: the shorter of `expires_in` and the JWT's own times. */
function lifetimeOf(answer: Answered, token: string, now: number): number {
  const stated = isObject(answer.body) ? Number(get(answer.body, 'expires_in') ?? Number.NaN) : Number.NaN;
  const { exp, iat } = jwtTimes(token);
  // The host's own time counts: the local clock may be wrong.
  const issuedAt = iat === null ? (dateOf(answer.headers.date) ?? now) : iat * 1000;
  const inToken = exp === null ? Number.NaN : exp * 1000 - issuedAt;
  // Invalid values are ignored: then a 401 shows that the token has expired.
  return Math.min(Number.POSITIVE_INFINITY, ...[stated * 1000, inToken].filter((ms) => ms > 0));
}

/** The times in a JWT's payload, in seconds since 1970. The signature is not verified: only the tenant can do that. */
function jwtTimes(token: string): { exp: number | null; iat: number | null } {
  const payload = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const time = (name: string): number | null => {
    const value = isObject(payload) ? get(payload, name) : null;
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  return { exp: time('exp'), iat: time('iat') };
}

function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
