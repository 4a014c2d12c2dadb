import { canonicalJson } from '../model/json.ts';
import type { Sent } from './answer.ts';
import type { Client } from './client.ts';

/** The client for one round of reading: equal GETs are sent once. Not for use across a write. */
export function rememberReads(client: Client): Client {
  const answers = new Map<string, Promise<Sent>>();
  return {
    tenant: client.tenant,
    send(request, options) {
      if (request.method !== 'GET') return client.send(request, options);
      const { path, query, headers } = request;
      // An answer that one caller recognises, and so leaves unread, is no use to another.
      const name = canonicalJson({ path, query, headers, isWhole: options?.recognise === undefined });
      const known = answers.get(name);
      if (known) return known;
      const answer = client.send(request, options);
      answers.set(name, answer);
      return answer;
    },
    close: () => client.close(),
  };
}
