import { type Json, parseJson } from '../model/json.ts';
import type { Headers } from './checks.ts';
import type { Fault } from './faults.ts';
import { redactForm } from './tokens.ts';

/** A request as it arrived, without credentials. */
export interface LoggedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Headers;
  /** Parsed if it is JSON, else its text; null without a body. */
  readonly body: Json;
  /** null if the request was never answered. */
  status: number | null;
  /** The documented name of the operation; null for an unknown one. */
  readonly operation: string | null;
  /** The fault that was injected into it. */
  readonly fault: Fault['kind'] | null;
}

/** Counts since the start. */
export interface Metrics {
  readonly requests: number;
  /** Requests by the name of their operation. */
  readonly operations: ReadonlyMap<string, number>;
  /** Requests that were answered with a 429, by the limit or a fault. */
  readonly rateLimited: number;
  /** The largest number of requests that were open at the same time. */
  readonly mostAtOnce: number;
}

const maxEntries = 20_000;

/** The last requests in order of arrival, and counts of all of them. */
export class RequestLog {
  readonly entries: LoggedRequest[] = [];
  readonly #counts = { requests: 0, operations: new Map<string, number>(), rateLimited: 0, mostAtOnce: 0 };
  #open = 0;

  countOpen(): void {
    this.#open += 1;
    this.#counts.mostAtOnce = Math.max(this.#counts.mostAtOnce, this.#open);
  }

  countClose(): void {
    this.#open -= 1;
  }

  add(entry: LoggedRequest): void {
    const { operations } = this.#counts;
    this.#counts.requests += 1;
    if (entry.operation !== null) operations.set(entry.operation, (operations.get(entry.operation) ?? 0) + 1);
    if (this.entries.length >= maxEntries) this.entries.shift();
    this.entries.push(entry);
  }

  setStatus(entry: LoggedRequest, status: number): void {
    entry.status = status;
    if (status === 429) this.#counts.rateLimited += 1;
  }

  metrics(): Metrics {
    return structuredClone(this.#counts);
  }
}

/** The headers without the token. */
export function redactHeaders({ authorization: _authorization, ...headers }: Headers): Headers {
  return headers;
}

/** The body of a request for the log, without the credentials of a token request. */
export function readLogBody(bytes: Buffer | null, operation: string | null): Json {
  if (bytes === null || bytes.length === 0) return null;
  const text = bytes.toString('utf8');
  if (operation === 'issue-token') return redactForm(text);
  return parseJson(text) ?? text;
}
