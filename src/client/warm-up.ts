import { Socket } from 'node:net';
import { Pool } from 'undici';

// As long as the headers of real tenants, so that the parser is seen to be used a lot.
const answer = `HTTP/1.1 204 No Content\r\n${'x-warm-up: undici parses HTTP in WebAssembly\r\n'.repeat(20)}\r\n`;

/**
 * Lets V8 optimize undici's parser, which is WebAssembly, while the rest of the program is loaded. Otherwise it begins with
 * the first answer of a tenant, and Node 20 does not exit before it is ready. The parser reads an answer from memory: nothing
 * is sent.
 */
export async function warmUp(): Promise<void> {
  const pool = new Pool('http://localhost', {
    connect: (_options, callback) => queueMicrotask(() => callback(null, new AnswerFromMemory())),
  });
  await new Promise<void>((resolve) => {
    const [ignore, end] = [() => {}, () => resolve()];
    const handler = { onRequestStart: ignore, onResponseStart: ignore, onResponseData: ignore };
    pool.dispatch({ method: 'GET', path: '/' }, { ...handler, onResponseEnd: end, onResponseError: end });
  });
  await pool.destroy();
}

class AnswerFromMemory extends Socket {
  override _read(): void {}

  override _writev(_chunks: unknown, done: () => void): void {
    this.push(answer);
    done();
  }

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    this._writev([], done);
  }
}
