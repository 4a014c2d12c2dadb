import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/client/answer.ts';
import { readState } from '../../src/client/read.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { someOf } from '../../src/kinds/read-request.ts';
import type { Json } from '../../src/model/json.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { answerWith, fakeClient } from './support.ts';

const [own, other] = [
  { id: '1', email: 'a@acme.example' },
  { id: '2', email: 'b@acme.example' },
];

/** Reads senders from a host that answers a filter in its own way. */
async function readSenders(
  emails: readonly string[],
  filtered: Answer,
  whole: readonly Json[] = [own, other],
) {
  const client = fakeClient(({ query }) => (query.filters === undefined ? answerWith(200, whole) : filtered));
  const request = someOf(
    builtInKinds.get('SenderAddress'),
    emails.map((email) => [email]),
  );
  const read = readState(client, [request]);
  const ids = await read.then(({ objects }) => objects.map(({ id }) => id));
  return { ids, requests: client.asked.length };
}

describe('a filtered list', () => {
  it('is enough where it has all that was asked for, in any case', async () => {
    expect(await readSenders(['A@acme.example'], answerWith(200, [own]))).toEqual({
      ids: ['1'],
      requests: 1,
    });
    const both = await readSenders(['a@acme.example', 'b@acme.example'], answerWith(200, [own, other]));
    expect(both).toEqual({ ids: ['1', '2'], requests: 1 });
  });

  it('shows that nothing is absent: a host may mind the case', async () => {
    expect(await readSenders(['A@acme.example'], answerWith(200, []))).toEqual({ ids: ['1'], requests: 2 });
    const emails = ['a@acme.example', 'B@acme.example'];
    expect(await readSenders(emails, answerWith(200, [own]))).toEqual({ ids: ['1', '2'], requests: 2 });
    expect(await readSenders(['c@acme.example'], answerWith(200, []))).toEqual({ ids: [], requests: 2 });
  });

  it('that the host does not know is read whole', async () => {
    expect(await readSenders(['a@acme.example'], answerWith(400))).toEqual({ ids: ['1'], requests: 2 });
  });

  it('is not asked for where an object is meant by its id, since it may have another name', async () => {
    const document = {
      kind: 'Role',
      path: '/v2025/roles',
      key: 'name',
      list: { pageSize: 50, filter: true },
    };
    const role = kindFrom(descriptorFrom({ ...document, update: 'json-patch', fields: {} }));
    const client = fakeClient(({ query }) =>
      answerWith(200, query.filters === undefined ? [{ id: 'r1', name: 'Old' }] : []),
    );
    const request = { ...someOf(role, [['New']]), ids: ['r1'] };
    const { objects } = await readState(client, [request]);
    expect(objects.map(({ id }) => id)).toEqual(['r1']);
  });

  it('that fails for another reason is an error', async () => {
    await expect(readSenders(['a@acme.example'], answerWith(403))).rejects.toThrow('SenderAddress');
  });
});

it('an answer that is no list is said to be none', async () => {
  const email = ['a@acme.example'];
  await expect(readSenders(email, answerWith(200, 'x'))).rejects.toThrow(
    'did not answer with a list of objects',
  );
});
