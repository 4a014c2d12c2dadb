import type { Json } from '../model/json.ts';

export interface Reply {
  readonly status: number;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly changed?: boolean;
  /** Work that the tenant does a while after its answer. */
  readonly later?: () => void;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export const badRequest = (message: string): ApiError => new ApiError(400, message);
export const notFound = (message: string): ApiError => new ApiError(404, message);

export const okRead = (body: Json): Reply => ({ status: 200, body });
export const okWrite = (body: Json): Reply => ({ status: 200, body, changed: true });
export const noContent: Reply = { status: 204, changed: true };
