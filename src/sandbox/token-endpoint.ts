import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError, badRequest } from './api-error.ts';
import type { Headers } from './checks.ts';
import { issueJwt } from './jwt.ts';
import type { Reply } from './tenant.ts';

/** Issues tokens to one client, by OAuth 2 client credentials (api-notes, "auth scheme"). */
export class TokenEndpoint {
  readonly #clientId: string;
  readonly #clientSecret: string;
  readonly #lifetime: number;
  readonly #key: Buffer;
  readonly #now: () => number;
  #issued = 0;

  constructor(client: { id: string; secret: string }, lifetime: number, key: Buffer, now: () => number) {
    this.#clientId = client.id;
    this.#clientSecret = client.secret;
    this.#lifetime = lifetime;
    this.#key = key;
    this.#now = now;
  }

  /** A fresh token. */
  issue(): string {
    this.#issued += 1;
    const now = Math.floor(this.#now() / 1000);
    return issueJwt(
      { clientId: this.#clientId, expires: now + this.#lifetime },
      now,
      this.#issued,
      this.#key,
    );
  }

  /** Answers a form body. Throws a 400 for another form or grant, a 401 for wrong credentials. */
  answer(form: string, headers: Headers): Reply {
    const type = String(headers['content-type'] ?? '').split(';')[0];
    if (type !== 'application/x-www-form-urlencoded') {
      throw badRequest('The header Content-Type must be application/x-www-form-urlencoded');
    }
    const fields = new URLSearchParams(form);
    if (fields.get('grant_type') !== 'client_credentials')
      throw badRequest('grant_type must be client_credentials');
    const known = same(fields.get('client_id') ?? '', this.#clientId);
    if (!same(fields.get('client_secret') ?? '', this.#clientSecret) || !known) {
      throw new ApiError(401, 'invalid_client');
    }
    const body = { access_token: this.issue(), token_type: 'bearer', expires_in: this.#lifetime };
    return { status: 200, body };
  }
}

/** The fields of a form without the secret, for the log. */
export function publicForm(form: string): Record<string, string> {
  const fields = new URLSearchParams(form);
  fields.delete('client_secret');
  return Object.fromEntries(fields);
}

function same(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
