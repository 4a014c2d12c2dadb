import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, ok, type Reply } from './operations.ts';
import { ApiError } from './shape.ts';

/** Issues tokens to one client by OAuth 2 client credentials, and verifies them (api-notes, "auth scheme"). */
export class TokenIssuer {
  readonly clientId = 'sandbox-client';
  readonly clientSecret: string;
  /** In seconds. */
  readonly #lifetime: number;
  readonly #now: () => number;
  /** When each token expires, in seconds since 1970. */
  readonly #issued = new Map<string, number>();

  constructor(clientSecret: string, lifetime: number, now: () => number) {
    this.clientSecret = clientSecret;
    this.#lifetime = lifetime;
    this.#now = now;
  }

  /** A new JWT. Nobody verifies its signature: random bytes do. */
  issue(): string {
    const iat = Math.floor(this.#now() / 1000);
    const exp = iat + this.#lifetime;
    const parts = [
      { alg: 'HS256', typ: 'JWT' },
      { client_id: this.clientId, iat, exp },
    ];
    const texts = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    const token = [...texts, randomBytes(32).toString('base64url')].join('.');
    this.#issued.set(token, exp);
    return token;
  }

  /** Answers a token request. Throws a 400 for another content type or grant, and a 401 for wrong credentials. */
  answer(form: string, headers: IncomingHttpHeaders): Reply {
    const type = String(headers['content-type'] ?? '').split(';')[0];
    if (type !== 'application/x-www-form-urlencoded')
      throw badRequest('The header Content-Type must be application/x-www-form-urlencoded');
    const fields = new URLSearchParams(form);
    if (fields.get('grant_type') !== 'client_credentials')
      throw badRequest('grant_type must be client_credentials');
    if (fields.get('client_id') !== this.clientId || fields.get('client_secret') !== this.clientSecret)
      throw new ApiError(401, 'invalid_client');
    return ok({ access_token: this.issue(), token_type: 'bearer', expires_in: this.#lifetime });
  }

  /** Throws a 401 unless `authorization` holds a token that was issued here and has not expired. */
  verify(authorization: string | undefined): void {
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined)
      throw new ApiError(401, 'JWT is required: send it as authorization: Bearer <JWT>');
    const expires = this.#issued.get(token);
    if (expires === undefined) throw new ApiError(401, 'JWT validation failed: the signature is not valid');
    if (expires <= this.#now() / 1000) throw new ApiError(401, 'JWT validation failed: JWT is expired');
  }
}
