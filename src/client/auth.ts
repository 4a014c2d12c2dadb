import { isErrorBody, looksLikeHtml } from '../kinds/http.ts';
import type { Auth, Setting } from '../kinds/project.ts';
import { attempt, type Diagnostic, Failure, fail } from '../model/failure.ts';
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
import { describeAnswer } from './describe.ts';
import type { Clock } from './rate-limiter.ts';
import type { Redactor } from './redactor.ts';
import { dateOf } from './retry.ts';
import type { Call } from './transport.ts';

type FetchedToken = ({ readonly value: string } | Unsent) & { readonly failures: number };

interface TokenSource {
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
  exchange(call: Omit<Call, 'signal' | 'longest'>): Promise<Sent>;
  onEvent(event: { readonly type: 'token-fetched'; readonly tokenUrl: string }): void;
}

/** One token source for each token URL and client id. Throws a Failure for credentials that are not set. */
export function createTokenSources(tools: AuthTools): (auth: Auth) => TokenSource {
  const sources = new Map<string, TokenSource>();
  return (auth) => {
    const problems: Diagnostic[] = [];
    const credentials = auth.by === 'token' ? [auth.token] : [auth.clientId, auth.clientSecret];
    const texts = credentials.map((reveal) =>
      attempt(reveal, ({ diagnostics }) => void problems.push(...diagnostics)),
    );
    if (problems.length > 0) throw new Failure(problems);
    // No credential ends with a newline, but a variable set from a command's output may.
    const [name = '', secret = ''] = texts.map((text) => text?.replace(/[\r\n]+$/, ''));
    const key = JSON.stringify([auth.by, auth.by === 'token' ? '' : auth.tokenUrl, name]);
    const source =
      sources.get(key) ??
      (auth.by === 'token'
        ? fixedToken(name.trim(), auth, tools)
        : clientCredentials({ ...auth, id: name, secret }, tools));
    sources.set(key, source);
    return source;
  };
}

function fixedToken(
  first: string,
  { setting, renew }: Extract<Auth, { by: 'token' }>,
  { clock, redactor }: AuthTools,
): TokenSource {
  let token = first;
  redactor.learn(token);
  const name = setting?.name ?? 'auth.token';
  return {
    async current() {
      if (tokenText.test(token)) return { value: token, failures: 0 };
      const message = 'The token of this environment is empty, or has characters that a token cannot have.';
      const hint = `Give the token alone, without \`Bearer\`, in the variable that \`${name}\` names.`;
      const place = setting && { source: setting.source };
      const { diagnostics } = fail('tenant-unauthorized', message, { hint, ...place });
      return { ...unsentWithProblems('no-token', diagnostics), failures: 0 };
    },
    drop(refused) {
      // The token of a file may have been rotated since it was read.
      if (token === refused) token = renew?.()?.trim() ?? token;
      redactor.learn(token);
      return token !== refused;
    },
    advise({ headers }) {
      const end = expiryOf(token);
      const isOver = end > 0 && end <= (dateOf(headers.date) ?? clock.now());
      const [place, renewal] =
        (renew?.() ?? null) === null
          ? ['variable', 'renews only tokens that it gets with `clientId` and `clientSecret`']
          : ['file of the variable', 'has read the file again'];
      const hint = isOver
        ? `The token expired at ${new Date(end).toISOString()}: put a new one into the ${place} that \`${name}\` names.`
        : `Check the ${place} that \`${name}\` names: its token may be another tenant's, or may have expired. tenantctl ${renewal}.`;
      return { hint, ...(setting && { source: setting.source }) };
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
  return {
    async current() {
      if (held && tools.clock.now() < held.until) return { ...held, failures: 0 };
      if (refused) return { ...refused, failures: 0 };
      pending ??= fetchToken(client, tools)
        .then((token) => {
          if ('value' in token) held = token;
          // Credentials that were refused are not sent again: that could lock the client out.
          else if (token.reason === 'no-token') refused = token;
          return token;
        })
        .finally(() => {
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
async function fetchToken(
  client: ClientCredentials,
  { clock, redactor, exchange, onEvent }: AuthTools,
): Promise<(StoredToken | Unsent) & { readonly failures: number }> {
  const { tokenUrl, id, secret } = client;
  const { origin, pathname, search } = new URL(tokenUrl);
  redactor.learn(secret);
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const sent = await exchange({
    origin,
    method: 'POST',
    path: `${pathname}${search}`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  const failures = Math.max(0, sent.attempts - 1);
  if (sent.outcome !== 'answered' && sent.reason === 'interrupted')
    return { ...unsentAnswer('interrupted', sent.detail), failures };
  const given = isSuccess(sent) && isObject(sent.body) ? sent.body : {};
  const token = getText(given, 'access_token');
  if (token !== null) redactor.learn(token);
  if (!isSuccess(sent) || token === null || !tokenText.test(token))
    return { ...noToken(redactor.answer(sent, true), client), failures };
  onEvent({ type: 'token-fetched', tokenUrl });
  const stated = Number(get(given, 'expires_in') ?? 0) * 1000;
  const left = expiryOf(token) - (dateOf(sent.headers.date) ?? clock.now());
  // Without a lifetime that makes sense, a 401 shows that the token has expired.
  const lifetime = Math.min(Number.POSITIVE_INFINITY, ...[stated, left].filter((ms) => ms > 0));
  // Early enough for a queued request, but not at once for a token that lives for seconds.
  return { value: token, until: clock.now() + lifetime - Math.min(30_000, lifetime / 5), failures };
}

/** Distinguishes refused credentials from a wrong or failing token endpoint. */
function noToken(answer: Answer, { tokenUrl, setting }: ClientCredentials): Unsent {
  const { text, hint } = describeAnswer(answer);
  const words = text.replace(/\.$/, '');
  const at = setting && { source: setting.source, excerpt: setting.excerpt };
  const status = answer.outcome === 'answered' ? answer.status : null;
  // A web page comes from a proxy or another host: it says nothing about the credentials.
  const isPage = answer.outcome === 'answered' && looksLikeHtml(answer.text ?? '');
  // Some hosts say `invalid_client` with a 200.
  const isRefusal = isSuccess(answer) ? isErrorBody(answer.body) : [400, 401, 403].includes(status ?? 0);
  if (isRefusal && !isPage) {
    const message = `The token endpoint ${tokenUrl} refused the credentials: ${words}.`;
    const hint =
      'Check the client id and the client secret of this environment, the token URL, and that the client has the grant type `client_credentials`.';
    const { diagnostics } = fail('tenant-unauthorized', message, { hint, ...at });
    return unsentWithProblems('no-token', diagnostics);
  }
  const what = isSuccess(answer)
    ? `returned no token: ${words}, with a response that has no usable text in \`access_token\`.`
    : `did not issue a token: ${words}. The credentials were not checked.`;
  const message = `The token endpoint ${tokenUrl} ${what}`;
  const isTrouble = !isPage && (status === null || status === 429 || status >= 500);
  const next = isTrouble
    ? (hint ?? 'Run again later.')
    : `Check \`${setting?.name ?? 'tokenUrl'}\`, and set \`tokenUrl\` if tokens come from elsewhere.`;
  const { diagnostics } = fail('token-endpoint', message, { hint: next, ...at });
  return unsentWithProblems('token-endpoint', diagnostics);
}

const tokenText = /^[\x21-\x7e]+$/;

/** When a JWT expires, in milliseconds since 1970, else `NaN`. Only the tenant can verify its signature. */
function expiryOf(token: string): number {
  const payload = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return Number((isObject(payload) && get(payload, 'exp')) || Number.NaN) * 1000;
}
