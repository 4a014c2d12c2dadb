import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, badRequest, type Reply } from './operations.ts';

interface TokenOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly lifetime: number;
  readonly now: () => number;
}

/** Issues tokens to one client by OAuth 2 client credentials, and verifies them (api-notes, "auth scheme"). */
export class TokenIssuer {
  readonly #options: TokenOptions;
  readonly #key = randomBytes(32);
  /** When each token expires, in seconds since 1970. */
  readonly #issued = new Map<string, number>();

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  /** A new JWT, signed with HS256. Its serial number makes tokens issued within one second differ. */
  issue(): string {
    const { clientId, lifetime } = this.#options;
    const iat = Math.floor(this.#options.now() / 1000);
    const exp = iat + lifetime;
    const claims = { client_id: clientId, iat, exp, jti: String(this.#issued.size + 1) };
    const signed = [{ alg: 'HS256', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const token = `${signed}.${createHmac('sha256', this.#key).update(signed).digest('base64url')}`;
    this.#issued.set(token, exp);
    return token;
  }

  /** Answers a token request. Throws a 400 for another content type or grant, and a 401 for wrong credentials. */
  answer(form: string, headers: IncomingHttpHeaders): Reply {
    const type = String(headers['content-type'] ?? '').split(';')[0];
    if (type !== 'application/x-www-form-urlencoded') {
      throw badRequest('The header Content-Type must be application/x-www-form-urlencoded');
    }
    const fields = new URLSearchParams(form);
    if (fields.get('grant_type') !== 'client_credentials')
      throw badRequest('grant_type must be client_credentials');
    const { clientId, clientSecret, lifetime } = this.#options;
    // Both are always compared, so that the time taken does not show which one is wrong.
    const isClient = isSame(fields.get('client_id') ?? '', clientId);
    const isSecret = isSame(fields.get('client_secret') ?? '', clientSecret);
    if (!isClient || !isSecret) throw new ApiError(401, 'invalid_client');
    return { status: 200, body: { access_token: this.issue(), token_type: 'bearer', expires_in: lifetime } };
  }

  /** Throws a 401 unless `authorization` holds a token that was issued here and has not expired. */
  verify(authorization: string | undefined): void {
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined)
      throw new ApiError(401, 'JWT is required: send it as authorization: Bearer <JWT>');
    const expires = this.#issued.get(token);
    if (expires === undefined) throw new ApiError(401, 'JWT validation failed: the signature is not valid');
    if (expires <= this.#options.now() / 1000)
      throw new ApiError(401, 'JWT validation failed: JWT is expired');
  }
}

function isSame(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
