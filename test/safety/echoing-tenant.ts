import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';

/** Stands before a tenant; what `isEchoed` picks is refused with everything repeated that was sent. */
export interface Echo {
  readonly url: string;
  isEchoed: (method: string, path: string) => boolean;
  status: number;
  /** How it spells what it repeats. */
  spell: (text: string) => string;
  close(): Promise<void>;
}

export async function startEcho(target: string): Promise<Echo> {
  const echo = {
    url: '',
    isEchoed: (_method: string, _path: string) => false,
    status: 400,
    spell: asIs,
    close,
  };
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(body);
      if (echo.isEchoed(request.method ?? '', request.url ?? '')) repeat(request, sent, response, echo);
      else pass(target, request, sent, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  echo.url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return echo;

  async function close(): Promise<void> {
    server.close();
    server.closeAllConnections();
  }
}

const asIs = (text: string): string => text;

function repeat(
  request: IncomingMessage,
  sent: Buffer,
  response: ServerResponse,
  { status, spell }: Pick<Echo, 'status' | 'spell'>,
): void {
  const text = spell(`${request.headers.authorization ?? ''} ${sent.toString('utf8')}`);
  const body = {
    detailCode: '400.1 Bad request content',
    trackingId: request.headers.authorization ?? '',
    messages: [{ locale: 'en-US', localeOrigin: 'DEFAULT', text }],
    causes: [{ locale: 'en-US', text: `Cause: ${text}` }],
    error: 'invalid_client',
    error_description: text,
  };
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': request.headers.authorization ?? '',
  });
  response.end(JSON.stringify(body));
}

function pass(target: string, request: IncomingMessage, sent: Buffer, response: ServerResponse): void {
  const { method, url = '/', headers } = request;
  const onward = sendRequest(new URL(url, target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  onward.end(sent);
}
