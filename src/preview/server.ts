import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join, resolve, sep } from 'node:path';
import { page, script, style } from '../generated/preview-page.ts';
import { listedFor } from '../kinds/notifications.ts';
import type { Diagnostic, Source } from '../model/failure.ts';
import { get, getText, isObject, isTooDeep, type JsonObject, parseJson } from '../model/json.ts';
import { Renderer } from '../render/renderer.ts';
import { type RenderedSides, renderTemplate } from '../render/template.ts';
import { diagnosticsMarkup } from '../report/html/entries.ts';
import { controlsMarkup, picturesMarkup } from '../report/html/markup.ts';
import type { Redact, Rendered } from '../report/page.ts';
import { redactDocument, redactValue } from '../report/report.ts';
import { escapeHtml, oneLine } from '../report/safe.ts';
import { toRendered } from './document.ts';
import { type ListedTemplate, type RenderedTemplate, type TemplateList, tokenHeader } from './protocol.ts';
import type { Snapshot } from './templates.ts';

const maxBody = 1_000_000;

/** Sent with every answer: only the page's own script runs, and no other host gets a request. */
const securityHeaders: Readonly<Record<string, string>> = {
  // Frames inherit the page's policy, so their inline styles have to be allowed here too.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-frame-options': 'DENY',
};

export class Preview {
  readonly #token = randomBytes(24).toString('base64url');
  readonly #renderer: Renderer;
  readonly #redact: Redact;
  readonly #server: Server;
  readonly #listeners = new Set<ServerResponse>();
  #snapshot: Snapshot;
  #isReading = false;
  #wasOpened = false;
  /** Called when the page is opened again, which shows the last state until there is another one. */
  onReload = () => {};
  #version = 1;
  #port = 0;

  /** @param redact removes secrets from what the page shows */
  constructor(snapshot: Snapshot, redact: Redact, renderer = new Renderer()) {
    this.#snapshot = snapshot;
    this.#renderer = renderer;
    this.#redact = redact;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => send(response, 500, { error: 'The preview failed.' }));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Rejects with the system's error if the port is taken; 0 takes a free one. */
  async start(port: number): Promise<this> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address === 'object' && address) this.#port = address.port;
    return this;
  }

  /** Shows a state on every open page. Without one, says that files or the tenant are being read again. */
  show(snapshot: Snapshot | null): void {
    this.#isReading = snapshot === null;
    this.#snapshot = snapshot ?? this.#snapshot;
    this.#version += 1;
    for (const listener of this.#listeners) listener.write(`data: ${this.#version}\n\n`);
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
    if (refusal !== null) return send(response, 403, { error: refusal });
    switch (`${request.method} ${request.url}`) {
      case 'GET /':
        if (this.#wasOpened) this.onReload();
        this.#wasOpened = true;
        return sendText(response, 'text/html', pageHtml(this.#token, this.#snapshot.environment));
      case 'GET /style.css':
        return sendText(response, 'text/css', style);
      case 'GET /script.js':
        return sendText(response, 'text/javascript', script);
      case 'GET /events':
        // One for the state that is shown now, and one for each later state.
        response.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream' });
        this.#listeners.add(response);
        response.on('close', () => this.#listeners.delete(response));
        response.write(`data: ${this.#version}\n\n`);
        return;
      case 'GET /api/templates':
        return send(response, 200, templateList(this.#snapshot, this.#isReading, this.#redact));
      case 'POST /api/render':
        return this.#render(request, response);
      default:
        return send(response, 404, { error: 'There is nothing here.' });
    }
  }

  async #render(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (!body)
      return send(response, 400, {
        error: 'This is not a JSON object, or it is too long or nested too deeply.',
      });
    const address = getText(body, 'address');
    const template = this.#snapshot.templates.find((one) => one.address === address);
    if (!template) return send(response, 404, { error: 'This template is no longer declared.' });
    const context = get(body, 'context') ?? null;
    if (context !== null && !isObject(context))
      return send(response, 400, { error: 'The context is not a JSON object.' });
    const { sides, versions, ...samples } = redactTemplate(template, this.#snapshot, this.#redact);
    const choice = context
      ? ({ from: 'user', context } as const)
      : ({ from: 'samples', ...samples } as const);
    const { isBroken, loadedAt } = this.#snapshot;
    const rendered = await renderTemplate(this.#renderer, template.medium, sides, choice);
    const vendor = versions && (await renderTemplate(this.#renderer, template.medium, versions, choice));
    send(response, 200, renderedTemplate(template, isBroken ? loadedAt : null, rendered, vendor));
  }
}

/**
 * Returns why a request is refused, or `null`. Other host names that resolve to this machine (DNS rebinding) and
 * pages of other origins get nothing. Paths below `/api/` need the token that only the page knows.
 */
function refusalOf({ headers, method, url = '' }: IncomingMessage, port: number, token: string) {
  const { host = '', origin } = headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
    return 'This host name is not the one the preview listens on.';
  const site = headers['sec-fetch-site'];
  const isForeign = (origin !== undefined && origin !== `http://${host}`) || site === 'cross-site';
  if (isForeign || (method !== 'GET' && origin === undefined))
    return 'Only the page of the preview may send this request.';
  if (!url.startsWith('/api/')) return null;
  const [given, wanted] = [String(headers[tokenHeader]), token].map((each) => Buffer.from(each));
  const isSame = given && wanted && given.length === wanted.length && timingSafeEqual(given, wanted);
  return isSame ? null : 'This page belongs to an earlier run. Reload it.';
}

/** The body; `null` if it is too long, too deep, or not a JSON object. */
async function readBody(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    // The rest is read and dropped: an answer in the middle of a request would break the connection.
    if (length <= maxBody) chunks.push(chunk);
  }
  if (length > maxBody) return null;
  const body = parseJson(Buffer.concat(chunks).toString());
  return isObject(body) && !isTooDeep(body) ? body : null;
}

function send(
  response: ServerResponse,
  status: number,
  body: TemplateList | RenderedTemplate | { readonly error: string },
): void {
  if (!response.headersSent) sendText(response, 'application/json', JSON.stringify(body), status);
}

function sendText(response: ServerResponse, type: string, text: string, status = 200): void {
  response.writeHead(status, { ...securityHeaders, 'content-type': `${type}; charset=utf-8` });
  response.end(text);
}

/** The page without its content, which its script fetches as JSON. Only the page knows the token for that. */
function pageHtml(token: string, environment: string): string {
  const values = {
    token,
    environment: escapeHtml(environment),
    controls: controlsMarkup({ isMail: true, hasBoth: true }).toString(),
  };
  return page.replace(/%\{(\w+)\}/g, (_slot, name: string) => get(values, name) ?? '');
}

/** The values that a template is rendered from, without secrets. */
function redactTemplate(
  { key, medium, sides, moved }: Snapshot['templates'][number],
  { attributes, listed }: Pick<Snapshot, 'attributes' | 'listed'>,
  redact: Redact,
) {
  const clean = (fields: JsonObject | null) => fields && redactValue(fields, redact);
  const examples = listed.get(listedFor([key, medium]))?.examples ?? {};
  return {
    sides: { before: clean(sides.before), after: clean(sides.after) },
    versions: moved && { before: clean(moved.before), after: clean(moved.after) },
    attributes: clean(attributes),
    examples: redactValue(examples, redact),
  };
}

const baseWords: Readonly<Record<ListedTemplate['base'], string>> = {
  tenant: 'Before, in the tenant',
  default: "Before: the vendor's default",
  nothing: 'Before',
  'not-read': 'Before',
};

/**
 * A template that was rendered, for the page.
 *
 * @param oldSince when it was loaded, if the files have changed since and do not load
 * @param vendor the vendor's default, if it has changed since the template was customised
 */
function renderedTemplate(
  { address, base, isRemoved }: Pick<ListedTemplate, 'address' | 'base' | 'isRemoved'>,
  oldSince: string | null,
  sides: RenderedSides,
  vendor: RenderedSides | null,
): RenderedTemplate {
  const declared = oldSince === null ? '' : ` at ${new Date(oldSince).toLocaleTimeString()}`;
  const captions = [
    baseWords[base],
    isRemoved ? "After: the vendor's default takes its place" : `After, as declared${declared}`,
  ] as const;
  const rendered = toRendered(sides);
  const further: NonNullable<Rendered['further']>[number][] = [...rendered.further];
  if (vendor) {
    const { before, after } = toRendered(vendor);
    const old = before === null ? 'not known: no manifest in git has its text' : '';
    further.push({
      title: 'The vendor has changed the default that this template was customised from',
      before,
      after,
      captions: [`The vendor's old default ${old}`.trim(), "The vendor's new default"],
    });
  }
  const markup = picturesMarkup(address, { ...rendered, further, captions }).toString();
  return { context: sides.context, markup };
}

function templateList(snapshot: Snapshot, isReading: boolean, redact: Redact): TemplateList {
  const { environment, root, templates, isBroken, loadedAt } = snapshot;
  const diagnostics = redactDocument(snapshot.diagnostics, redact);
  const addresses = new Set(templates.map(({ address }) => address));
  // Notes about other objects are left to `validate`. An error that keeps the files from loading concerns all templates.
  const problems = diagnostics.filter(({ address, severity }) =>
    isBroken
      ? severity === 'error'
      : severity !== 'info' && (address === undefined || !addresses.has(address)),
  );
  return {
    environment: oneLine(environment),
    isBroken,
    isReading,
    loadedAt,
    problems: problemsOf(problems, root),
    templates: templates.map(({ source, sides, moved, ...listed }) => ({
      ...listed,
      key: oneLine(listed.key),
      medium: oneLine(listed.medium),
      locale: oneLine(listed.locale),
      place: oneLine(`${source.file}:${source.line}`),
      editor: editorLink(root, source),
      problems: problemsOf(
        diagnostics.filter(({ address }) => address === listed.address),
        root,
      ),
    })),
  };
}

function problemsOf(diagnostics: readonly Diagnostic[], root: string): TemplateList['problems'] {
  const items = diagnosticsMarkup(diagnostics, (source) => editorLink(root, source));
  return { count: items.length, markup: items.join('') };
}

function editorLink(root: string, { file, line, column }: Source): string {
  const path = resolve(root, file).split(sep).map(encodeURIComponent).join('/');
  return `vscode://file/${path.replace(/^\//, '')}:${line}:${column}`;
}

/** These hold no manifests, and the embedded tenant writes to its own file whenever it is read. */
const ignored = new Set(['node_modules', '.git', '.tenantctl']);
const maxFolders = 2000;
/** An editor that saves causes several events; they count as one change after a pause of so many milliseconds. */
const quietTime = 60;

/**
 * Calls `onChange` soon after a file below `root` was changed, created or removed. Folders are watched one by one:
 * watching a whole tree depends on the platform and would include `node_modules`.
 */
export function watchFolder(root: string, onChange: () => void): { close(): void } {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  const follow = () => {
    close();
    watchers = [...foldersBelow(root)].flatMap((folder) => {
      try {
        // An error says that the folder is gone: the folder above it has an event.
        return watch(folder, onEvent).on('error', () => {});
      } catch {
        return [];
      }
    });
  };
  const onEvent = (_event: string, name: string | null) => {
    if (name !== null && ignored.has(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      follow();
      onChange();
    }, quietTime);
  };
  follow();
  return { close };
}

function foldersBelow(root: string): Set<string> {
  const folders = new Set([root]);
  for (const folder of folders) {
    if (folders.size >= maxFolders) break;
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory() && !ignored.has(entry.name)) folders.add(join(folder, entry.name));
    } catch {
      // It is gone again, or cannot be read.
    }
  }
  return folders;
}
