import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export type OnConnect = (socket: Duplex) => void;

/** A proxy that tunnels, and keeps where to and with which credentials. */
export async function startProxy(onConnect?: OnConnect) {
  const tunnels: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets: Socket[] = [];
  const server: Server = createServer((_request, response) => {
    response.writeHead(400).end('this proxy only tunnels');
  });
  server.on('connect', ({ url = '', headers }, client: Duplex, head: Buffer) => {
    tunnels.push(url);
    credentials.push(headers['proxy-authorization']);
    client.on('error', () => {});
    if (onConnect) return onConnect(client);
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(Number(port || 80), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      target.pipe(client);
      client.pipe(target);
    });
    sockets.push(target);
    target.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  };
  return { host, url: `http://${host}`, tunnels, credentials, close };
}
