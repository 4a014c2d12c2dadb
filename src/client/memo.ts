import { canonicalJson } from '../model/json.ts';
import type { Sent } from './answer.ts';
import { readPieces } from './body.ts';
import type { Client } from './client.ts';

/** The client for one round of reading: equal GETs are sent once. Not for use across a write. */
export function rememberReads(client: Client): Client {
  const answers = new Map<string, Promise<Sent>>();
  return {
    tenant: client.tenant,
    send(request, options) {
      if (request.method !== 'GET') return client.send(request, options);
      const { path, query, headers } = request;
      const name = canonicalJson({ path, query, headers });
      const known = answers.get(name);
      if (known) return options?.recognise ? known : known.then(whole);
      const answer = client.send(request, options);
      answers.set(name, answer);
      return answer;
    },
    close: () => client.close(),
  };
}

/** What one caller has recognised, and so left unread, is read for another. */
function whole(sent: Sent): Sent {
  if (sent.outcome !== 'answered' || sent.unread === undefined) return sent;
  const { unread, ...answer } = sent;
  const body = readPieces(unread);
  return { ...answer, body: body.is === 'json' ? body.json : null };
}
