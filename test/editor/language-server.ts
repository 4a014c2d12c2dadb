import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  get,
  getText,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../src/model/json.ts';

/** The YAML language server, talked to as an editor does, on a folder with its settings. */
export interface Editor {
  /** Opens a file of the folder, not opened before, with this text, and gives the problems shown in it: `line: message`. */
  problems(path: string, text: string): Promise<string[]>;
  /** What is offered at the place of `|` in the text. */
  completions(path: string, text: string): Promise<string[]>;
  /** What is shown when the pointer rests on the place of `|`. */
  hover(path: string, text: string): Promise<string>;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);
const server = join(
  dirname(require.resolve('yaml-language-server/package.json')),
  'bin/yaml-language-server',
);

export async function openEditor(folder: string, settings: JsonObject): Promise<Editor> {
  const connection = connect((method, params) =>
    method === 'workspace/configuration' ? answers(settings, params) : null,
  );
  const { request, notify, published } = connection;
  await request('initialize', {
    processId: null,
    rootUri: pathToFileURL(folder).href,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'project' }],
    capabilities: {
      workspace: { configuration: true, workspaceFolders: true },
      textDocument: { publishDiagnostics: {}, completion: {}, hover: {} },
    },
  });
  notify('initialized', {});
  notify('workspace/didChangeConfiguration', { settings: null });
  let version = 0;
  const open = (path: string, text: string) => {
    version += 1;
    const uri = pathToFileURL(join(folder, path)).href;
    notify('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version, text } });
    return uri;
  };
  const at = (path: string, text: string) => {
    const [before = ''] = text.split('|');
    const uri = open(path, text.replace('|', ''));
    const lines = before.split('\n');
    return {
      textDocument: { uri },
      position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
    };
  };
  return {
    async problems(path, text) {
      const found = await published(open(path, text));
      return found.map((one) => `${lineOf(one)}: ${getText(one, 'message')}`);
    },
    async completions(path, text) {
      const answer = await request('textDocument/completion', at(path, text));
      return objects(isObject(answer) ? get(answer, 'items') : answer).map(
        (item) => getText(item, 'label') ?? '',
      );
    },
    hover: async (path, text) => JSON.stringify(await request('textDocument/hover', at(path, text))),
    close: async () => {
      await request('shutdown', null);
      notify('exit', null);
      await connection.ended;
    },
  };
}

/** Settings as editors give them: `yaml` stands for the members that begin with `yaml.`. */
function answers(settings: JsonObject, params: Json): Json {
  return objects(isObject(params) ? get(params, 'items') : null).map((item) => {
    const section = `${getText(item, 'section')}.`;
    const members = Object.entries(settings).filter(([name]) => name.startsWith(section));
    return Object.fromEntries(members.map(([name, value]) => [name.slice(section.length), value]));
  });
}

function objects(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

function lineOf(diagnostic: JsonObject): Json {
  const range = get(diagnostic, 'range');
  const start = isObject(range) ? get(range, 'start') : null;
  return (isObject(start ?? null) && isObject(start) ? get(start, 'line') : null) ?? null;
}

/** JSON-RPC over the server's standard streams. */
function connect(onRequest: (method: string, params: Json) => Json) {
  const child = spawn(process.execPath, [server, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const open = new Map<number, (result: Json) => void>();
  const told = new Map<string, JsonObject[]>();
  const waiting = new Map<string, (found: JsonObject[]) => void>();
  let buffer = Buffer.alloc(0);
  let id = 0;
  const send = (message: JsonObject) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const receive = (message: JsonObject) => {
    const [method, number, params] = [
      getText(message, 'method'),
      get(message, 'id'),
      get(message, 'params') ?? null,
    ];
    if (method !== null && number !== undefined) send({ id: number, result: onRequest(method, params) });
    else if (typeof number === 'number') open.get(number)?.(get(message, 'result') ?? null);
    else if (method === 'textDocument/publishDiagnostics' && isObject(params)) {
      const [uri, found] = [getText(params, 'uri') ?? '', objects(get(params, 'diagnostics'))];
      told.set(uri, found);
      waiting.get(uri)?.(found);
    }
  };
  child.stdout.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf('\r\n\r\n');
      const length = Number(
        /Content-Length: (\d+)/.exec(buffer.subarray(0, Math.max(0, end)).toString())?.[1],
      );
      if (end < 0 || buffer.length < end + 4 + length) return;
      const message = parseJson(buffer.subarray(end + 4, end + 4 + length).toString());
      buffer = buffer.subarray(end + 4 + length);
      if (isObject(message)) receive(message);
    }
  });
  return {
    request: (method: string, params: Json) =>
      new Promise<Json>((resolve) => {
        id += 1;
        open.set(id, resolve);
        send({ id, method, params });
      }),
    notify: (method: string, params: Json) => send({ method, params }),
    /** The problems of a document, once they are told. */
    published: (uri: string) =>
      new Promise<JsonObject[]>((resolve) => {
        const known = told.get(uri);
        if (known) resolve(known);
        else waiting.set(uri, resolve);
      }),
    ended: new Promise<void>((resolve) => {
      child.on('close', () => resolve());
    }),
  };
}
