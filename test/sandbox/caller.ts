import { type Dispatcher, request } from 'undici';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Json, parseJson } from '../../src/model/json.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { type SandboxOptions, startSandbox } from '../support/sandbox.ts';
import { seedFile } from '../support/seed.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Json;
  readonly text: string;
}

export interface Send {
  /** Changes to the headers that fit the request; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: Json;
  /** A body as it is, instead of `body`. */
  readonly raw?: string | Buffer;
}

const running: Sandbox[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.close()));
});

/** A sandbox with the example seed and no rate limit, closed after the test. */
export async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ seed: seedFile, rateLimit: null, ...options });
  running.push(sandbox);
  return sandbox;
}

/** Sends `METHOD /path` with the headers that the documents ask for, unless `send` changes them. */
export async function call(sandbox: Sandbox, line: string, send: Send = {}): Promise<Answer> {
  const [method = '', path = ''] = line.split(' ');
  const body = send.raw ?? (send.body === undefined ? null : JSON.stringify(send.body));
  const patch = method === 'PATCH' && path.startsWith('/v2024');
  const type = patch ? 'application/json-patch+json' : 'application/json';
  const headers = {
    authorization: `Bearer ${sandbox.token()}`,
    accept: 'application/json',
    'X-Service-Experimental': 'true',
    ...(body !== null && { 'content-type': type }),
    ...send.headers,
  };
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null);
  const answer = await request(`${sandbox.url}${path}`, {
    method: httpMethod(method),
    headers: Object.fromEntries(sent),
    body,
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, body: parseJson(text) ?? null, text };
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Dispatcher.HttpMethod[];

function httpMethod(text: string): Dispatcher.HttpMethod {
  const found = methods.find((method) => method === text);
  if (found === undefined) throw new Error(`${text} is no method`);
  return found;
}

/** What a tenant refuses, with the status of the answer. */
export type Refused = readonly [why: string, status: number, line: string, send?: Send];

/** A test for each of these: the answer refuses it, and nothing changes, so that one tenant serves all. */
export function testRefusals(refused: readonly Refused[], seed = seedFile): void {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ seed, rateLimit: null });
  });
  afterAll(() => sandbox.close());

  const rows = refused.map(([why, status, line, send = {}]) => [why, status, line, send] as const);
  test.each(rows)('%s: %i', async (_why, status, line, send) => {
    const before = JSON.stringify(sandbox.state);
    const answer = await call(sandbox, line, send);
    expect(answer.status, answer.text).toBe(status);
    expect(JSON.stringify(sandbox.state)).toBe(before);
  });
}
