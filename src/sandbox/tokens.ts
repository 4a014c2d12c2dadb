import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { get, getText, isObject, parseJson } from '../model/json.ts';
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
  #issued = 0;

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  /** A new JWT, signed with HS256. Its serial number makes tokens issued within one second differ. */
  issue(): string {
    this.#issued += 1;
    const { clientId, lifetime } = this.#options;
    const now = Math.floor(this.#options.now() / 1000);
    const head = encode({ alg: 'HS256', typ: 'JWT' });
    const body = encode({ client_id: clientId, iat: now, exp: now + lifetime, jti: String(this.#issued) });
    return `${head}.${body}.${this.#sign(`${head}.${body}`)}`;
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

  /** The client id of the bearer token in `authorization`. Throws a 401 if it is missing, forged or expired. */
  verify(authorization: string | undefined): string {
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined)
      throw new ApiError(401, 'JWT is required: send it as authorization: Bearer <JWT>');
    const signed = token.slice(0, token.lastIndexOf('.'));
    const signature = Buffer.from(token.slice(signed.length + 1));
    const expected = Buffer.from(this.#sign(signed));
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
      throw new ApiError(401, 'JWT validation failed: the signature is not valid');
    }
    const claims = parseJson(
      Buffer.from(signed.slice(signed.indexOf('.') + 1), 'base64url').toString('utf8'),
    );
    const expires = isObject(claims) ? get(claims, 'exp') : null;
    const clientId = isObject(claims) ? getText(claims, 'client_id') : null;
    if (typeof expires !== 'number' || clientId === null)
      throw new ApiError(401, 'JWT validation failed: no claims');
    if (expires <= this.#options.now() / 1000)
      throw new ApiError(401, 'JWT validation failed: JWT is expired');
    return clientId;
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

function encode(value: Readonly<Record<string, string | number>>): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function isSame(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
