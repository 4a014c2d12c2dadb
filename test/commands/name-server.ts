import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode, RECURSION_DESIRED } from 'dns-packet';
import { onTestFinished } from 'vitest';

/** What the name server does with a question: answer, know no such name, fail, or keep silent. */
export type Reply = readonly Answer[] | 'no such name' | 'servfail' | 'silence';

const responseCodes = { 'no such name': 3, servfail: 2 } as const;

/**
 * A name server on a loopback address, closed when the test ends. Fails with a code of the system where there is no such address.
 *
 * @param zone replies by `TYPE name`; whatever else is asked exists without data
 * @returns its `HOST:PORT`, and every question that it was asked
 */
export async function nameServer(
  zone: Readonly<Record<string, Reply>>,
  host: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const socket = createSocket(host === '::1' ? 'udp6' : 'udp4');
  socket.on('message', (message, { port, address }) => {
    const query = decode(message);
    const [question] = query.questions ?? [];
    const line = `${question?.type} ${question?.name.toLowerCase()}`;
    asked.push(line);
    const reply = zone[line] ?? [];
    if (reply === 'silence') return;
    const code = typeof reply === 'string' ? responseCodes[reply] : 0;
    const answer = encode({
      type: 'response',
      id: query.id ?? 0,
      flags: RECURSION_DESIRED | code,
      questions: query.questions ?? [],
      answers: typeof reply === 'string' ? [] : [...reply],
    });
    socket.send(answer, port, address);
  });
  socket.bind(0, host);
  await once(socket, 'listening');
  onTestFinished(() => {
    socket.close();
  });
  return { address: `${host === '::1' ? '[::1]' : host}:${socket.address().port}`, asked };
}
