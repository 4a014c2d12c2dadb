import { describe, expect, it } from 'vitest';
import { get, isObject } from '../../src/model/json.ts';
import { call } from './caller.ts';
import { filters, jsonPatch, mergePatch, namesIn, patch, startWith } from './described.ts';

const withoutHeader = { headers: { 'X-Service-Experimental': null } };

describe('the list of a described kind', () => {
  it('has pages of the size that is said, and a length where it is asked for', async () => {
    const sandbox = await startWith();
    const first = await call(sandbox, 'GET /v2025/roles?count=true');
    expect(namesIn(first.body)).toEqual(['Admin', 'Guest']);
    expect(first.headers['x-total-count']).toBe('3');
    const second = await call(sandbox, 'GET /v2025/roles?offset=2&limit=2');
    expect(namesIn(second.body)).toEqual(['Q"uote']);
    expect(second.headers['x-total-count']).toBeUndefined();
  });

  it('is whole where it has no pages, in the member that is said', async () => {
    const sandbox = await startWith();
    const { body } = await call(sandbox, 'GET /v2025/access-profiles');
    expect(isObject(body) && namesIn(get(body, 'items') ?? null)).toEqual(['Read', 'Write']);
  });

  it.each([
    ['name eq "Guest"', ['Guest']],
    ['name eq "guest"', []],
    ['name eq "Admin" or name eq "Q\\"uote"', ['Admin', 'Q"uote']],
    ['name in ("Guest","Nobody")', ['Guest']],
  ])('is filtered by its key: %s', async (text, expected) => {
    const sandbox = await startWith();
    expect(namesIn((await call(sandbox, `GET /v2025/roles${filters(text)}`)).body)).toEqual(expected);
  });

  it('needs no experimental header in the other service', async () => {
    const sandbox = await startWith();
    const { body } = await call(sandbox, 'GET /api/transforms', withoutHeader);
    expect(namesIn(body)).toEqual(['Upper']);
  });
});

describe('an object of a described kind', () => {
  it('shows every field, the names of what it refers to, and what the descriptor does not name', async () => {
    const sandbox = await startWith();
    expect((await call(sandbox, 'GET /v2025/roles/r1')).body).toEqual({
      id: 'r1',
      name: 'Admin',
      description: null,
      enabled: true,
      labels: null,
      owner: { type: 'IDENTITY', id: 'i1', name: 'Ann' },
      profiles: [{ id: 'p1', name: 'Read' }],
      sources: ['s1'],
      main: null,
      membership: null,
      quirk: 7,
      version: 3,
      created: '2025-01-15T08:00:00.000Z',
      modified: '2025-01-15T08:00:00.000Z',
    });
  });

  it('is created with an id and times of the server', async () => {
    const sandbox = await startWith(undefined, { clock: { now: () => 0 } });
    const sent = { name: 'New', labels: ['a'], description: null };
    const { status, body } = await call(sandbox, 'POST /v2025/roles', {
      body: { ...sent, owner: { type: 'IDENTITY', id: 'i2', name: 'Eve' } },
    });
    expect(status).toBe(201);
    const time = '1970-01-01T00:00:00.000Z';
    const owner = { type: 'IDENTITY', id: 'i2', name: 'Ben' };
    expect(body).toMatchObject({ ...sent, owner, created: time, modified: time });
    const id = isObject(body) ? get(body, 'id') : null;
    expect((await call(sandbox, `GET /v2025/roles/${id}`)).body).toEqual(body);
  });

  it('has a twin after a second create of the same name', async () => {
    const sandbox = await startWith();
    const answers = [1, 2].map(() => call(sandbox, 'POST /v2025/roles', { body: { name: 'New' } }));
    const ids = (await Promise.all(answers)).map(({ body }) => isObject(body) && get(body, 'id'));
    expect(new Set(ids).size).toBe(2);
  });

  it('is changed by a JSON Patch', async () => {
    const sandbox = await startWith(undefined, { clock: { now: () => 0 } });
    const { status, body } = await call(
      sandbox,
      'PATCH /v2025/roles/r1',
      patch(
        { op: 'add', path: '/description', value: 'All' },
        { op: 'replace', path: '/owner/id', value: 'i2' },
        { op: 'remove', path: '/enabled' },
        { op: 'replace', path: '/quirk', value: 8 },
        { op: 'replace', path: '/name', value: 'Root' },
      ),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 'r1',
      name: 'Root',
      description: 'All',
      enabled: null,
      owner: { type: 'IDENTITY', id: 'i2', name: 'Ben' },
      quirk: 8,
      version: 3,
      created: '2025-01-15T08:00:00.000Z',
      modified: '1970-01-01T00:00:00.000Z',
    });
  });

  it('is changed by a merge patch: null removes, objects are merged, lists replaced', async () => {
    const sandbox = await startWith();
    const body = { settings: { a: { b: null, d: [1] }, e: { f: null, g: 1 } } };
    const answer = await call(sandbox, 'PATCH /v2025/access-profiles/p1', { body, ...mergePatch });
    const settings = { a: { c: 2, d: [1] }, e: { g: 1 } };
    expect(isObject(answer.body) && get(answer.body, 'settings')).toEqual(settings);
    const clear = { body: { settings: null }, ...mergePatch };
    const cleared = await call(sandbox, 'PATCH /v2025/access-profiles/p1', clear);
    expect(cleared.body).toMatchObject({ name: 'Read', settings: null });
  });

  it('is replaced by a PUT: what is left out is gone, known to the descriptor or not', async () => {
    const sandbox = await startWith();
    const send = { body: { name: 'Upper', attributes: { y: 2 } } };
    const { body } = await call(sandbox, 'PUT /api/transforms/t1', send);
    expect(body).toEqual({ id: 't1', name: 'Upper', description: null, attributes: { y: 2 }, script: null });
    const kept = await call(sandbox, 'PUT /api/transforms/t1', { body: { name: 'Upper', quirk: 7 } });
    expect(kept.status).toBe(400);
  });

  it('is sent back whole by a PUT, with what the descriptor does not name', async () => {
    const sandbox = await startWith();
    const { body } = await call(sandbox, 'GET /api/transforms/t1');
    expect(body).toMatchObject({ id: 't1', script: '{"y":2}', quirk: 7 });
    const sent = { ...(isObject(body) ? body : {}), description: 'New' };
    expect((await call(sandbox, 'PUT /api/transforms/t1', { body: sent })).body).toEqual(sent);
  });

  it('is deleted once nothing refers to it', async () => {
    const sandbox = await startWith();
    await call(sandbox, 'PATCH /v2025/roles/r1', patch({ op: 'remove', path: '/profiles' }));
    const first = await call(sandbox, 'DELETE /v2025/access-profiles/p1');
    expect(first.status).toBe(400);
    expect(first.text).toContain('AccessProfile p2 refers to it');
    expect((await call(sandbox, 'DELETE /v2025/access-profiles/p2')).status).toBe(204);
    expect((await call(sandbox, 'DELETE /v2025/access-profiles/p1')).status).toBe(204);
    expect((await call(sandbox, 'GET /v2025/access-profiles/p1')).status).toBe(404);
  });

  it('may refer to itself, and be deleted so', async () => {
    const sandbox = await startWith();
    const body = [{ op: 'add', path: '/parent', value: { id: 'p2' } }];
    const to = 'PATCH /v2025/access-profiles/p2';
    expect((await call(sandbox, to, { body: { parent: { id: 'p2' } }, ...mergePatch })).status).toBe(200);
    expect((await call(sandbox, to, { body, ...jsonPatch })).status).toBe(400);
    expect((await call(sandbox, 'DELETE /v2025/access-profiles/p2')).status).toBe(204);
  });
});

describe('a described kind is served like the others', () => {
  it('counts against the limit of its API version', async () => {
    const sandbox = await startWith(undefined, { rateLimit: { requests: 2, per: 60_000 } });
    const statuses = async (...lines: string[]) => {
      const all: number[] = [];
      for (const line of lines) all.push((await call(sandbox, line)).status);
      return all;
    };
    const lines = ['GET /v2025/roles', 'GET /v2025/sources', 'GET /v2025/roles', 'GET /api/transforms'];
    expect(await statuses(...lines)).toEqual([200, 200, 429, 200]);
  });

  it('takes faults, by the name of the operation', async () => {
    const sandbox = await startWith();
    sandbox.faults.add({ kind: 'status', status: 503, operation: 'create-access-profile', done: 'after' });
    const body = { name: 'Own', locale: 'en' };
    expect((await call(sandbox, 'POST /v2025/access-profiles', { body })).status).toBe(503);
    expect(sandbox.state.objects.AccessProfile).toHaveLength(3);
    expect(sandbox.log.at(-1)?.operation).toBe('create-access-profile');
  });

  it('lags like the others', async () => {
    let now = 0;
    const sandbox = await startWith(undefined, { lag: 1000, clock: { now: () => now } });
    await call(sandbox, 'POST /v2025/roles', { body: { name: 'New' } });
    const count = async () => (await call(sandbox, 'GET /v2025/roles?count=true')).headers['x-total-count'];
    expect(await count()).toBe('3');
    now = 1001;
    expect(await count()).toBe('4');
  });

  it('is under its own path where every resource is', async () => {
    const sandbox = await startWith(undefined, { variations: { identityPaths: 'own' } });
    expect((await call(sandbox, 'GET /roles/v1')).status).toBe(200);
    expect((await call(sandbox, 'GET /roles/v1', withoutHeader)).status).toBe(400);
    expect((await call(sandbox, 'GET /v2025/roles')).status).toBe(404);
  });

  it('answers as the variations say', async () => {
    const variations = { sameKey: 'refused', unsetMembers: 'omitted', createAnswer: 'nothing' } as const;
    const sandbox = await startWith(undefined, { variations });
    expect((await call(sandbox, 'POST /v2025/roles', { body: { name: 'Guest' } })).status).toBe(400);
    const rename = patch({ op: 'replace', path: '/name', value: 'Guest' });
    expect((await call(sandbox, 'PATCH /v2025/roles/r1', rename)).status).toBe(400);
    expect((await call(sandbox, 'PATCH /v2025/roles/r2', rename)).status).toBe(200);
    const made = await call(sandbox, 'POST /v2025/roles', { body: { name: 'New' } });
    expect(made).toMatchObject({ status: 201, text: '' });
    const { body } = await call(sandbox, 'GET /v2025/roles/r2');
    const members = ['created', 'description', 'id', 'modified', 'name'];
    expect(Object.keys(isObject(body) ? body : {}).sort()).toEqual(members);
  });
});
