import { canonicalJson } from '../model/json.ts';
import type { Sent } from './answer.ts';
import { type Recognise, readPieces } from './body.ts';
import type { Client } from './client.ts';

/**
 * The client for one round of reading: equal GETs are sent once, but for those whose answers shall be forgotten. Not for
 * use across a write.
 */
export function rememberReads(client: Client): Client {
  const answers = new Map<string, Promise<Sent>>();
  return {
    tenant: client.tenant,
    send(request, options) {
      if (request.method !== 'GET' || options?.forget) return client.send(request, options);
      const { path, query, headers } = request;
      const name = canonicalJson({ path, query, headers });
      const known = answers.get(name);
      if (known) return known.then((sent) => (isRecognised(sent, options?.recognise) ? sent : whole(sent)));
      const answer = client.send(request, options);
      answers.set(name, answer);
      return answer;
    },
    close: () => client.close(),
  };
}

const isRecognised = (sent: Sent, recognise: Recognise | undefined) =>
  sent.outcome === 'answered' && sent.digest !== undefined && recognise?.(sent.digest) === true;

/** What one caller has recognised, and so left unread, is read for another that does not. */
function whole(sent: Sent): Sent {
  if (sent.outcome !== 'answered' || sent.unread === undefined) return sent;
  const { unread, ...answer } = sent;
  const body = readPieces(unread);
  return { ...answer, body: body.is === 'json' ? body.json : null };
}
