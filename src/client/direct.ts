import type { IncomingMessage } from 'node:http';
import { codedError, largestHeaders, type Route, type RouteOptions } from './route.ts';

/** Milliseconds after which an unused connection is closed: many hosts close theirs after five seconds. */
const longestIdle = 4_000;

/** Calls a host with Node's own HTTP client, over connections that are kept. */
export function createDirectRoute(origin: string, { connections, connect }: RouteOptions): Route {
  const host = new URL(origin);
  const isTls = host.protocol === 'https:';
  // Loaded where a tenant is called.
  const { Agent, request }: Pick<typeof import('node:http'), 'Agent' | 'request'> = isTls
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http');
  const { timeout, signal, ...tls } = connect;
  const agent = new Agent({ ...tls, keepAlive: true, maxSockets: connections, timeout: longestIdle });
  signal.addEventListener('abort', () => agent.destroy());
  return {
    send({ method, path, headers, body }, listener) {
      let answer: IncomingMessage | null = null;
      const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
      const options = { agent, method, path, signal, maxHeaderSize: largestHeaders };
      const sent = request(host, { ...options, headers: { ...headers, ...length } });
      const write = () => {
        listener.onSent();
        sent.end(body);
      };
      sent.on('socket', (socket) => {
        if (!socket.connecting) return write();
        const giveUp = () => sent.destroy(codedError('CONNECT_TIMEOUT'));
        const timer = setTimeout(giveUp, timeout);
        const connected = isTls ? 'secureConnect' : 'connect';
        socket.once(connected, write);
        for (const event of [connected, 'close']) socket.once(event, () => clearTimeout(timer));
      });
      sent.on('response', (response) => {
        answer = response;
        listener.onHead(response.statusCode ?? 0, response.headers);
        response.on('data', listener.onData).on('end', listener.onEnd).on('error', listener.onError);
      });
      // What comes behind a complete answer is an error of the connection alone.
      sent.on('error', (error) => {
        if (!answer?.complete) listener.onError(error);
      });
      return () => sent.destroy();
    },
    lateProxy: () => null,
  };
}
