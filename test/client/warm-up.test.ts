/** That undici's parser is used before a tenant answers, and that nobody is asked for it. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { warmUp } from '../../src/client/warm-up.ts';

test('an answer is parsed, and no connection is opened', async () => {
  const connect = vi.spyOn(Socket.prototype, 'connect');
  const parsed: unknown[] = [];
  const note = (message: unknown) => parsed.push(message);
  subscribe('undici:request:headers', note);
  await warmUp();
  unsubscribe('undici:request:headers', note);
  expect(parsed).toMatchObject([{ response: { statusCode: 204 } }]);
  expect(connect).not.toHaveBeenCalled();
  connect.mockRestore();
});
