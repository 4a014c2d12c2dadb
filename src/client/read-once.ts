import { canonicalJson } from '../model/json.ts';
import { neverSent, type Sent, unsentWithProblems } from './answer.ts';
import type { Client } from './client.ts';

/**
 * A client that sends equal GETs once. Once a request gets no answer in all its attempts, all others end: a hanging tenant gets no
 * more of them. Not for use across a write.
 */
export function readOnce(client: Client): Client {
  const answers = new Map<string, Promise<Sent>>();
  const isOver = new AbortController();
  let rest: Sent | null = null;
  const sendGet: Client['send'] = async (request, options) => {
    if (rest) return rest;
    const signal = options?.signal ? AbortSignal.any([isOver.signal, options.signal]) : isOver.signal;
    const sent = await client.send(request, { ...options, signal });
    if (sent.outcome !== 'lost') return sent;
    if (rest) return rest;
    if (sent.reason === 'timeout') {
      const { method, path } = request;
      const message = `The other reads were given up: ${method} ${path} got no response in ${sent.attempts} attempts.`;
      const hint = 'Run again. `limits.timeout` sets how long a response may take.';
      const problem = { code: 'answer-lost', severity: 'error', message, hint } as const;
      rest = neverSent(unsentWithProblems('unreachable', [problem]));
      isOver.abort();
    }
    return sent;
  };
  return withSend(client, (request, options) => {
    if (request.method !== 'GET') return client.send(request, options);
    const { path, query, headers } = request;
    const name = canonicalJson({ path, query, headers });
    const answer = (options?.again ? undefined : answers.get(name)) ?? sendGet(request, options);
    answers.set(name, answer);
    return answer;
  });
}

export function withSend(client: Client, send: Client['send']): Client {
  return {
    tenant: client.tenant,
    settings: client.settings,
    send,
    signIn: () => client.signIn(),
    redact: (text) => client.redact(text),
    close: () => client.close(),
  };
}

/** A client for reads that must be current: what `readOnce` remembers is read again. */
export function readAgain(client: Client): Client {
  return withSend(client, (request, options) => client.send(request, { ...options, again: true }));
}
