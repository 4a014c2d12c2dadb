import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { script, style } from '../generated/preview-page.ts';
import { isObject, type Json, own, parseJson, textOf } from '../model/json.ts';
import { type ContextChoice, createRenderer, type Renderer, renderTemplate } from '../render/index.ts';
import { refusalOf, securityHeaders } from './guard.ts';
import { pageHtml } from './page.ts';
import type { Snapshot } from './snapshot.ts';
import { listView, renderedView } from './view.ts';

export interface PreviewOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly snapshot: Snapshot;
  readonly renderer?: Renderer;
}

/** The page of notification templates, served on loopback. */
export interface Preview {
  readonly url: string;
  /** Shows another state, on every page that is open. */
  show(snapshot: Snapshot): void;
  close(): Promise<void>;
}

/** Starts the server. Rejects with the system's error where the port is taken. */
export async function startPreview({ port, snapshot, renderer }: PreviewOptions): Promise<Preview> {
  const preview = new PreviewServer(snapshot, renderer ?? createRenderer());
  await preview.listen(port);
  return preview;
}

const longestBody = 1_000_000;
const mostListeners = 50;

class PreviewServer implements Preview {
  readonly #token = randomBytes(24).toString('base64url');
  readonly #renderer: Renderer;
  readonly #server: Server;
  readonly #listeners = new Set<ServerResponse>();
  #snapshot: Snapshot;
  #version = 1;
  #port = 0;

  constructor(snapshot: Snapshot, renderer: Renderer) {
    this.#snapshot = snapshot;
    this.#renderer = renderer;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => send(response, 500, { error: 'The preview failed.' }));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address === 'object' && address) this.#port = address.port;
  }

  show(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#version += 1;
    for (const listener of this.#listeners) this.#tell(listener);
  }

  async close(): Promise<void> {
    this.#renderer.close();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, this.#port, this.#token);
    if (refusal) return send(response, refusal.status, { error: refusal.message });
    switch (`${request.method} ${request.url}`) {
      case 'GET /':
        return sendText(response, 'text/html', pageHtml(this.#token, this.#snapshot.environment));
      case 'GET /style.css':
        return sendText(response, 'text/css', style);
      case 'GET /script.js':
        return sendText(response, 'text/javascript', script);
      case 'GET /events':
        return this.#listen(response);
      case 'GET /api/templates':
        return send(response, 200, listView(this.#snapshot));
      case 'POST /api/render':
        return this.#render(request, response);
      default:
        return send(response, 404, { error: 'There is nothing here.' });
    }
  }

  async #render(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const { attributes, templates } = this.#snapshot;
    if (!body) return send(response, 400, { error: 'This is no JSON object, or too long.' });
    const address = textOf(body, 'address');
    const template = templates.find((one) => one.address === address);
    if (!template) return send(response, 404, { error: 'There is no such template any more.' });
    const context = own(body, 'context') ?? null;
    if (context !== null && !isObject(context))
      return send(response, 400, { error: 'The context is no JSON object.' });
    const choice: ContextChoice =
      context === null ? { from: 'samples', attributes } : { from: 'user', context };
    const rendered = await renderTemplate(this.#renderer, template.medium, template.sides, choice);
    send(response, 200, renderedView(rendered));
  }

  /** Server-sent events: one for each state, beginning with the one that is shown now. */
  #listen(response: ServerResponse): void {
    if (this.#listeners.size >= mostListeners) {
      send(response, 503, { error: 'Too many pages are open.' });
      return;
    }
    response.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream' });
    this.#listeners.add(response);
    response.on('close', () => this.#listeners.delete(response));
    this.#tell(response);
  }

  #tell(listener: ServerResponse): void {
    listener.write(`data: ${this.#version}\n\n`);
  }
}

async function readBody(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    // Read to the end and dropped: an answer in the middle of a request would break the connection.
    if (length <= longestBody) chunks.push(chunk);
  }
  if (length > longestBody) return null;
  const body = parseJson(Buffer.concat(chunks).toString());
  return isObject(body) ? body : null;
}

function send(response: ServerResponse, status: number, body: Json): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...securityHeaders, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

function sendText(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { ...securityHeaders, 'content-type': `${type}; charset=utf-8` });
  response.end(text);
}
