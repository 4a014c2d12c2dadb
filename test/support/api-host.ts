import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { type Json, type JsonObject, parseJson } from '../../src/model/json.ts';
import { commandsIn, createTestFolder, type World } from './world.ts';

/** What a host is asked. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  /** `null` if there is no JSON. */
  readonly body: Json;
}

export interface Said {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Left out: the answer is empty. */
  readonly body?: Json;
}

/** A host that a test plays, with everything that it was asked. */
export interface ApiHost {
  readonly url: string;
  readonly log: readonly Asked[];
}

/** Starts a server on loopback that ends with the test, and returns its URL. */
export async function serve(answer: RequestListener, onEnd = onTestFinished): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

/** Starts a host on loopback that ends with the test. */
export async function startApiHost(answer: (asked: Asked) => Said): Promise<ApiHost> {
  const log: Asked[] = [];
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://host.example');
    const body = parseJson(Buffer.concat(chunks).toString()) ?? null;
    const asked = { method, path: pathname, query: Object.fromEntries(searchParams), headers, body };
    log.push(asked);
    const said = answer(asked);
    response.writeHead(said.status, { 'content-type': 'application/json', ...said.headers });
    response.end(said.body === undefined ? '' : JSON.stringify(said.body));
  });
  return { url, log };
}

/** How a collection of a host answers. Left out: a bare list, `PATH/{id}`, and bodies as they are. */
export interface Collection {
  readonly path: string;
  /** Those at the beginning; each gets what is made. */
  readonly rows: JsonObject[];
  /** The id of the next object that is made. */
  newId(): Json;
  /** Why a body is refused; `null`: it is not. */
  refuses?(body: JsonObject): string | null;
  /** A row after a PUT or PATCH. */
  changed?(row: JsonObject, asked: Asked): JsonObject;
  /** The rows as a list, with what stands beside them. */
  listed?(rows: readonly JsonObject[], asked: Asked): Said;
  /** One row as an answer. */
  shown?(row: JsonObject): Json;
}

/** What plays collections, each at its own path. */
export const collections =
  (...all: readonly Collection[]): ((asked: Asked) => Said) =>
  (asked) => {
    const one = all.find(({ path }) => asked.path === path || asked.path.startsWith(`${path}/`));
    return one ? answerIn(one, asked) : { status: 404, body: { error: 'not found' } };
  };

function answerIn(collection: Collection, asked: Asked): Said {
  const { path, rows, newId, listed, refuses, shown = (row) => row } = collection;
  const { method } = asked;
  const body = isRecord(asked.body) ? asked.body : {};
  const id = decodeURIComponent(asked.path.slice(path.length + 1));
  const at = rows.findIndex((row) => String(row.id) === id);
  const row = rows[at];
  if (id === '' && method === 'GET') return listed?.(rows, asked) ?? { status: 200, body: [...rows] };
  if (id !== '' && !row) return { status: 404, body: { error: 'no such object' } };
  const why = method === 'GET' || method === 'DELETE' ? null : (refuses?.(body) ?? null);
  if (why !== null) return { status: 422, body: { error: why } };
  if (id === '') {
    const made = { ...body, id: newId() };
    rows.push(made);
    return { status: 201, headers: { location: `${path}/${made.id}` }, body: shown(made) };
  }
  if (!row || method === 'GET') return { status: 200, body: shown(row ?? {}) };
  if (method === 'DELETE') {
    rows.splice(at, 1);
    return { status: 204 };
  }
  const changed = collection.changed?.(row, asked) ?? { ...body, id: row.id ?? null };
  rows[at] = changed;
  return { status: 200, body: shown(changed) };
}

const isRecord = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A project whose environments are hosts that a test plays. */
export type HostProject = Pick<World, 'dir' | 'write' | 'read' | 'run' | 'plan'>;

/**
 * @param hosts by the names of their environments; the first is the default
 * @param files of the project, by path
 */
export function createHostProject(
  hosts: Readonly<Record<string, ApiHost>>,
  files: Readonly<Record<string, string>>,
): HostProject {
  const environments = Object.entries(hosts).map(
    ([name, { url }]) =>
      `  ${name}: { identity: { baseUrl: "${url}", auth: { token: !env TOKEN } }, limits: { settle: 0s } }\n`,
  );
  const [first] = Object.keys(hosts);
  const project = `version: 1\ndefaultEnvironment: ${first}\nenvironments:\n${environments.join('')}`;
  const folder = createTestFolder({ 'tenantctl.yaml': project, ...files });
  return { ...folder, ...commandsIn(folder.dir, { TOKEN: 'a-token-for-tests' }) };
}
