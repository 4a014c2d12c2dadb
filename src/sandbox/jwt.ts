import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject, own, parseJson, textOf } from '../model/json.ts';
import { ApiError } from './api-error.ts';

/** Who a token was issued to, and until when (seconds since 1970). */
export interface Claims {
  readonly clientId: string;
  readonly expires: number;
}

/** A JWT, signed with HS256. `serial` tells tokens apart that are issued within one second. */
export function issueJwt(claims: Claims, issued: number, serial: number, key: Buffer): string {
  const head = encode({ alg: 'HS256', typ: 'JWT' });
  const body = encode({ client_id: claims.clientId, iat: issued, exp: claims.expires, jti: String(serial) });
  return `${head}.${body}.${sign(`${head}.${body}`, key)}`;
}

/** The claims of the bearer token in `authorization`. Throws a 401 where it is absent, forged or expired at `now`. */
export function verifyBearer(authorization: string | undefined, now: number, key: Buffer): Claims {
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new ApiError(401, 'JWT is required: send it as authorization: Bearer <JWT>');
  const signed = token.slice(0, token.lastIndexOf('.'));
  const signature = Buffer.from(token.slice(signed.length + 1));
  const expected = Buffer.from(sign(signed, key));
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
    throw new ApiError(401, 'JWT validation failed: the signature is not ours');
  }
  const claims = parseJson(Buffer.from(signed.slice(signed.indexOf('.') + 1), 'base64url').toString('utf8'));
  const expires = isObject(claims) ? own(claims, 'exp') : null;
  const clientId = isObject(claims) ? textOf(claims, 'client_id') : null;
  if (typeof expires !== 'number' || clientId === null)
    throw new ApiError(401, 'JWT validation failed: no claims');
  if (expires <= now) throw new ApiError(401, 'JWT validation failed: JWT is expired');
  return { clientId, expires };
}

function encode(value: Readonly<Record<string, string | number>>): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sign(text: string, key: Buffer): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
