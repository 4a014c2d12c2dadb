import type { SecureContext } from 'node:tls';
import type { Request } from '../model/documents.ts';

/** Sends a request, directly or through a proxy, and returns a function that aborts it. Throws if HTTP cannot carry it. */
export type Route = (call: RawCall, listener: RouteListener) => () => void;

export interface RawCall {
  readonly origin: string;
  readonly method: Request['method'];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

interface RouteListener {
  /** From now on it may be carried out: there is a connection, to which it is written. */
  onSent(): void;
  /** Not called for interim answers. */
  onHead(status: number, headers: Readonly<Record<string, string | readonly string[] | undefined>>): void;
  onData(chunk: Buffer): void;
  /** The answer is complete, and the connection takes another request. */
  onEnd(): void;
  /** `PROXY_UNUSABLE`, `PROXY_REFUSED`: a proxy makes no connection, now or at all. The message names it without its credentials. */
  onError(error: Error): void;
}

export interface RouteOptions {
  readonly connections: number;
  /** The most bytes of an answer's headers. */
  readonly maxHeaderSize: number;
  readonly connect: {
    /** Time limit for connecting, in milliseconds. */
    readonly timeout: number;
    /** Ends all connections, even those still being made. */
    readonly signal: AbortSignal;
    /** The client certificate of a host, and the authorities that it is trusted by. */
    readonly secureContext?: SecureContext;
  };
}
