import { type Dispatcher, Pool } from 'undici';
import type { Request } from '../model/plan.ts';
import type { Answer } from './answer.ts';
import { type Recognise, readBody } from './body.ts';
import { lostBy, unsentBy } from './network-error.ts';

/** One HTTP request, ready to go. */
export interface Call {
  readonly origin: string;
  readonly method: Request['method'];
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal?: AbortSignal | undefined;
  /** Tells bodies that need not be read. */
  readonly recognise?: Recognise | undefined;
}

/** Carries out one request. Never rejects, follows no redirect, repeats nothing. */
export interface Transport {
  exchange(call: Call): Promise<Answer>;
  close(): Promise<void>;
}

/** Time limits in milliseconds; `body` is the longest silence within a body, `total` ends any exchange. */
export interface TransportLimits {
  readonly connect: number;
  readonly headers: number;
  readonly body: number;
  readonly total: number;
  readonly bodyBytes: number;
}

export const defaultTransportLimits: TransportLimits = {
  connect: 10_000,
  headers: 60_000,
  body: 30_000,
  total: 180_000,
  bodyBytes: 64 * 1024 * 1024,
};

/** Bytes of all headers of an answer, as Node itself allows. */
const largestHeaders = 16_384;

/** HTTP over kept-alive connections, at most `connections` to an origin. */
export function createTransport(connections: number, limits: TransportLimits): Transport {
  const pools = new Map<string, Pool>();
  const poolOf = (origin: string): Pool => {
    const known = pools.get(origin);
    if (known) return known;
    const pool = new Pool(origin, {
      connections,
      pipelining: 1,
      connect: { timeout: limits.connect },
      headersTimeout: limits.headers,
      bodyTimeout: limits.body,
      maxResponseSize: limits.bodyBytes,
      maxHeaderSize: largestHeaders,
    });
    pools.set(origin, pool);
    return pool;
  };
  return {
    exchange: (call) => exchange(poolOf(call.origin), call, limits),
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/**
 * Dispatching by hand, rather than `pool.request`, tells the moment a request is put on the wire: what fails before
 * is safe to repeat, what fails after may have been carried out.
 */
function exchange(pool: Pool, call: Call, limits: TransportLimits): Promise<Answer> {
  return new Promise((resolve) => {
    let onWire: Dispatcher.DispatchController | null = null;
    let head: { status: number; headers: Record<string, string> } | null = null;
    let settled = false;
    const chunks: Buffer[] = [];

    const settle = (answer: Answer | Promise<Answer>): void => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      call.signal?.removeEventListener('abort', interrupt);
      resolve(answer);
      // What was given up must neither reach the wire later nor keep its connection.
      if (!finished) onWire?.abort(new Error('given up'));
    };
    let finished = false;
    const interrupt = (): void =>
      settle(
        onWire
          ? {
              outcome: 'lost',
              reason: 'interrupted',
              detail: 'the run was interrupted before the answer came',
            }
          : { outcome: 'unsent', reason: 'interrupted', detail: 'the run was interrupted' },
      );
    const deadline = setTimeout(() => {
      const error = Object.assign(new Error('total time limit'), { code: 'TOTAL_TIMEOUT' });
      settle(onWire ? lostBy(error, head !== null) : unsentBy(error));
    }, limits.total);

    if (call.signal?.aborted) return interrupt();
    call.signal?.addEventListener('abort', interrupt);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        if (settled) controller.abort(new Error('given up'));
        else onWire = controller;
      },
      onResponseStart(_controller, status, headers) {
        // 1xx answers are only announcements.
        if (status >= 200) head = { status, headers: flatHeaders(headers) };
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        finished = true;
        if (head) settle(answerOf(head, chunks, limits.bodyBytes, call.recognise));
      },
      onResponseError(_controller, error) {
        finished = true;
        settle(onWire ? lostBy(error, head !== null) : unsentBy(error));
      },
    };
    try {
      const { method, path, headers, body } = call;
      pool.dispatch({ method, path, headers: { ...headers }, body }, handler);
    } catch (error) {
      settle(unsentBy(error));
    }
  });
}

async function answerOf(
  { status, headers }: { status: number; headers: Record<string, string> },
  chunks: readonly Buffer[],
  limit: number,
  recognise: Recognise | undefined,
): Promise<Answer> {
  const ofSuccess = status === 200 ? recognise : undefined;
  const body = await readBody(chunks, headers['content-encoding'], limit, ofSuccess);
  await untilReusable();
  const claimsJson = (headers['content-type'] ?? '').includes('json');
  switch (body.is) {
    case 'json':
      return {
        outcome: 'answered',
        status,
        headers,
        body: body.json,
        text: null,
        ...(body.digest !== undefined && { digest: body.digest }),
      };
    case 'recognised': {
      const { digest, pieces: unread } = body;
      return { outcome: 'answered', status, headers, body: null, text: null, digest, unread };
    }
    case 'empty':
      return { outcome: 'answered', status, headers, body: null, text: null };
    case 'too-large':
      return {
        outcome: 'lost',
        reason: 'too-large',
        detail: 'the answer unpacks to more than tenantctl reads',
      };
    case 'text':
      if (claimsJson && status >= 200 && status < 300 && /^\s*[[{]/.test(body.text)) {
        return {
          outcome: 'lost',
          reason: 'cut',
          detail: 'the answer is JSON that breaks off or cannot be read',
        };
      }
      return { outcome: 'answered', status, headers, body: null, text: body.text };
  }
}

/**
 * A connection takes its next request one turn of the event loop after an answer. Whoever goes on before that gets a
 * new connection, with all that it costs to open one.
 */
const untilReusable = () => new Promise<void>((resolve) => setImmediate(resolve));

function flatHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries);
}
