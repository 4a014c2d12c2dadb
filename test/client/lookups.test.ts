import { describe, expect, test } from 'vitest';
import type { Answer } from '../../src/client/answer.ts';
import { readOnce } from '../../src/client/client.ts';
import { readRecords, resolveLookups } from '../../src/client/lookups.ts';
import { Redactor } from '../../src/client/redactor.ts';
import type { Request } from '../../src/model/documents.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type Lookup, lookupMarker } from '../../src/model/marker.ts';
import { answerWith, codesOf, fakeClient, problemsOf } from './support.ts';

const attributes: JsonObject[] = [
  { id: 7, uid: 'department', name: 'Department' },
  { id: 'a8', uid: 'city', name: 'City', attributes: { code: 'C1', weight: 3 } },
  { id: 'a9', uid: 'town', name: 'City' },
];
const lookup = (where: Record<string, string>, take = 'id'): Lookup => ({
  from: 'ne_attributes',
  where,
  take,
});
const all = (): Answer => answerWith(200, attributes);

describe('a lookup', () => {
  test.each<[string, Lookup, unknown]>([
    ['by a field, whatever the host filters', lookup({ uid: 'department' }), 7],
    ['compared as text', lookup({ id: '7' }, 'uid'), 'department'],
    ['by an attribute', lookup({ code: 'C1' }), 'a8'],
    ['for an attribute', lookup({ uid: 'city' }, 'weight'), 3],
    ['by two fields', lookup({ name: 'City', uid: 'town' }), 'a9'],
  ])('%s', async (_name, one, value) => {
    expect((await resolveLookups(fakeClient(all), [one]))(one)).toBe(value);
  });

  test('tells upper from lower case, whatever the host finds: another record may have the same letters', async () =>
    expect(await codesOf(resolveLookups(fakeClient(all), [lookup({ uid: 'Department' })]))).toEqual([
      'lookup-none',
    ]));

  test('sends its fields as filters, but none that means something else to a collection', async () => {
    const client = fakeClient(() => answerWith(200, [{ id: '1', uid: 'a', order: 'x' }]));
    await resolveLookups(client, [lookup({ uid: 'a', order: 'x' })]);
    expect(client.asked).toEqual(['/api/ne_attributes?uid=a&metadata=true&limit=100']);
  });

  test('equal lookups are one request, also for different fields', async () => {
    const client = fakeClient(all);
    const wanted = [lookup({ uid: 'city' }), lookup({ uid: 'city' }, 'name'), lookup({ uid: 'city' })];
    const answer = await resolveLookups(readOnce(client), wanted.slice(0, 2));
    expect(wanted.map((one) => answer(one))).toEqual(['a8', 'City', 'a8']);
    expect(client.asked).toHaveLength(1);
  });

  test('many in one small collection are one request', async () => {
    const client = fakeClient(all);
    const wanted = ['department', 'city', 'town'].map((uid) => lookup({ uid }));
    const answer = await resolveLookups(readOnce(client), wanted);
    expect(wanted.map((one) => answer(one))).toEqual([7, 'a8', 'a9']);
    expect(client.asked).toEqual(['/api/ne_attributes?metadata=true&limit=100']);
  });

  test('many in a large collection are asked one by one', async () => {
    const client = fakeClient(({ query }: Request) => {
      // Fewer than it was asked for: the host's own limit.
      const rows = Array.from({ length: 90 }, (_, at) => ({ id: `${at}`, uid: `u${at}` }));
      const found = query.uid === undefined ? rows : [{ id: `id of ${query.uid}`, uid: query.uid }];
      const total = query.uid === undefined ? 5000 : 1;
      return answerWith(200, { ne_attributes: found, _metadata: { total } });
    });
    const wanted = ['x', 'y', 'z'].map((uid) => lookup({ uid }));
    const answer = await resolveLookups(client, wanted);
    expect(wanted.map((one) => answer(one))).toEqual(['id of x', 'id of y', 'id of z']);
    expect(client.asked).toHaveLength(4);
  });

  const paged = (cap: number, countOf: (rows: JsonObject[]) => JsonObject) => {
    const rows = Array.from({ length: cap + 8 }, (_, at) => ({ id: `${at}`, uid: `u${at % (cap + 4)}` }));
    return fakeClient(({ query }: Request) => {
      const offset = Number(query.offset ?? 0);
      const found = rows.slice(offset, offset + cap);
      return answerWith(200, { ne_attributes: found, ...countOf(found) });
    });
  };
  const inPages = ['u3', 'u10', 'u15'].map((uid) => lookup({ uid }));

  test.each([20, 25, 50, 100])('a first page of exactly %i is not taken for the whole', async (cap) =>
    expect(
      await codesOf(
        resolveLookups(
          paged(cap, () => ({})),
          inPages,
        ),
      ),
    ).toEqual(['lookup-ambiguous']),
  );

  test.each([20, 25, 50, 100])('nor is it where its count of %i is that of the page', async (cap) => {
    const client = paged(cap, ({ length }) => ({ _metadata: { total: length } }));
    expect(await codesOf(resolveLookups(client, inPages))).toContain('total-mismatch');
  });

  test('a host that refuses the filter is read whole', async () => {
    const client = fakeClient(({ query }) => (query.code === undefined ? all() : answerWith(400)));
    const one = lookup({ code: 'C1' });
    expect((await resolveLookups(client, [one]))(one)).toBe('a8');
  });

  test('all that cannot be answered are said at once', async () => {
    const problems = await problemsOf(
      resolveLookups(fakeClient(all), [
        lookup({ uid: 'missing' }),
        lookup({ name: 'City' }),
        lookup({ uid: 'town' }, 'colour'),
        lookup({ uid: '__proto__' }),
        lookup({ constructor: 'x' }),
      ]),
    );
    expect(problems.map(({ code }) => code)).toEqual([
      'lookup-none',
      'lookup-ambiguous',
      'lookup-no-field',
      'lookup-none',
      'lookup-none',
    ]);
    expect(problems[0]?.message).toContain('where: { uid: missing }');
    expect(problems[1]?.message).toContain('id a8, uid city, name City; id a9, uid town, name City');
  });

  test('a secret in what a message quotes is removed before it is cut', async () => {
    const secret = 'canary-4711-canary-4711';
    const name = `${'x'.repeat(70)}${secret}`;
    const rows = ['a8', 'a9'].map((id) => ({ id, uid: 'u', name, [`${'x'.repeat(50)}${secret}`]: 1 }));
    const redactor = new Redactor().with([secret]);
    const client = fakeClient(() => answerWith(200, rows));
    const problems = await problemsOf(
      resolveLookups({ ...client, redact: (text) => redactor.text(text) }, [
        lookup({ uid: 'u' }),
        lookup({ id: 'a8' }, 'colour'),
      ]),
    );
    expect(problems.map(({ code }) => code)).toEqual(['lookup-ambiguous', 'lookup-no-field']);
    expect(JSON.stringify(problems)).not.toContain('canary');
  });

  test('takes no object, which could pass for a secret of the one who asks', async () => {
    const rows = [{ id: { $secret: 'SNOW_PASSWORD' }, uid: 'a', list: [{ $live: '/attributes/password' }] }];
    const client = fakeClient(() => answerWith(200, rows));
    for (const take of ['id', 'list']) {
      const problems = await problemsOf(resolveLookups(client, [lookup({ uid: 'a' }, take)]));
      expect(problems).toMatchObject([{ code: 'lookup-no-field' }]);
    }
  });

  const use = (line: number) => {
    const source = { file: 'config/a.yaml', line, column: 12 };
    const address = `ProfileSearch/s${line}`;
    return { resource: { address, point: () => ({ source, excerpt: `line ${line}` }) }, at: '/rules/0' };
  };

  test('one in a collection that the tenant does not have is said at every place that uses it', async () => {
    const client = fakeClient(() => answerWith(404));
    const one = { ...lookup({ uid: 'city' }), uses: [use(3)] };
    const other = { ...lookup({ uid: 'town' }), uses: [use(8), use(9)] };
    const problems = await problemsOf(resolveLookups(client, [one, other]));
    expect(problems.map(({ code, source }) => [code, source?.line])).toEqual([
      ['tenant-not-found', 3],
      ['tenant-not-found', 8],
      ['tenant-not-found', 9],
    ]);
    expect(problems[0]?.hint).toContain('Check `from`');
    expect(await problemsOf(resolveLookups(client, [one], { mayFail: true }))).toHaveLength(1);
  });

  test('one that cannot be answered is said at every place that uses it', async () => {
    const client = fakeClient(all);
    const missing = { ...lookup({ uid: 'missing' }), uses: [use(3), use(8)] };
    const problems = await problemsOf(resolveLookups(client, [missing, { ...missing, uses: [use(99)] }]));
    expect(problems).toMatchObject([
      {
        code: 'lookup-none',
        source: { file: 'config/a.yaml', line: 3, column: 12 },
        excerpt: 'line 3',
        address: 'ProfileSearch/s3',
      },
      { source: { line: 8 }, address: 'ProfileSearch/s8' },
    ]);
    expect(problems).toHaveLength(2);
    expect(client.asked).toHaveLength(1);
  });

  test('a collection that cannot be read is an error, and one that leads elsewhere is not asked', async () => {
    const refusing = fakeClient(() => answerWith(403));
    expect(await codesOf(resolveLookups(refusing, [lookup({ uid: 'a' })]))).toEqual(['tenant-forbidden']);
    const client = fakeClient(all);
    const away = { ...lookup({ uid: 'a' }), from: '..' };
    expect(await codesOf(resolveLookups(client, [away]))).toEqual(['unsafe-path-segment']);
    expect(client.asked).toEqual([]);
  });

  test('is answered from its own collection', async () => {
    const client = fakeClient(({ path }) =>
      answerWith(200, path === '/api/users' ? [{ id: 'u1', uid: 'city' }] : attributes),
    );
    const [one, other] = [lookup({ uid: 'city' }), { ...lookup({ uid: 'city' }), from: 'users' }];
    const answer = await resolveLookups(client, [one, other]);
    expect([answer(one), answer(other)]).toEqual(['a8', 'u1']);
    expect(client.asked.toSorted()).toEqual([
      '/api/ne_attributes?uid=city&metadata=true&limit=100',
      '/api/users?uid=city&metadata=true&limit=100',
    ]);
    // One that nobody asked for stays as it is.
    expect(answer(lookup({ uid: 'town' }))).toEqual(lookupMarker(lookup({ uid: 'town' })));
  });

  test('asks the profile-management interface, with pages as large as it allows', async () => {
    const seen: unknown[] = [];
    const client = fakeClient(() => answerWith(200, [{ id: '1', uid: 'a' }]));
    const send: typeof client.send = (request, options) => {
      const { method, headers, body, lane } = request;
      seen.push({ method, headers, body, lane });
      return client.send(request, options);
    };
    await resolveLookups({ ...client, send }, [{ ...lookup({ uid: 'a' }), from: 'profiles' }]);
    const get = { method: 'GET', headers: { accept: 'application/json' }, body: null };
    expect(seen).toEqual([{ ...get, lane: { service: 'profiles', group: 'api' } }]);
    expect(client.asked).toEqual(['/api/profiles?uid=a&metadata=true&limit=500']);
  });

  test('a refusal without a filter, and another failure with one, end it', async () => {
    const bad = fakeClient(() => answerWith(400));
    const [first] = await problemsOf(resolveLookups(bad, [lookup({ order: 'x' })]));
    expect(first?.code).toBe('tenant-bad-request');
    expect(first?.message).toMatch(/^Reading the collection ne_attributes: GET \/api\/ne_attributes failed/);
    expect(bad.asked).toHaveLength(1);
    const broken = fakeClient(() => answerWith(500));
    await problemsOf(resolveLookups(broken, [lookup({ uid: 'a' })]));
    expect(broken.asked).toHaveLength(1);
  });

  test('a record without the field, or with nothing in it, does not match', async () => {
    const rows = [{ id: '1', uid: null }, { id: '2', uid: {} }, { id: '3' }, { id: '4', uid: true }];
    const client = fakeClient(() => answerWith(200, rows));
    for (const uid of ['null', '[object Object]', 'undefined']) {
      const [problem] = await problemsOf(resolveLookups(client, [lookup({ uid })]));
      expect(problem?.code).toBe('lookup-none');
    }
    const one = lookup({ uid: 'true' });
    expect((await resolveLookups(client, [one]))(one)).toBe('4');
  });

  test('names up to five of the records that match, and the fields that a record has', async () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        id: at,
        uid: 'u',
        name: null,
        label: { en: 'x' },
        attributes: { code: 'k' },
      }));
    const told = async (count: number, take?: string) => {
      const client = fakeClient(() => answerWith(200, rows(count)));
      const [problem] = await problemsOf(resolveLookups(client, [lookup({ uid: 'u' }, take)]));
      return problem;
    };
    const named = (count: number) => Array.from({ length: count }, (_, at) => `id ${at}, uid u`).join('; ');
    expect((await told(5))?.message).toContain(`matches 5 records: ${named(5)}.`);
    expect((await told(6))?.message).toContain(`matches 6 records: ${named(5)}; ….`);
    const missing = await told(1, 'colour');
    expect(missing?.message).toContain('in the field to take (id 0, uid u).');
    expect(missing?.hint).toBe('It has: id, uid, code.');
    for (const field of ['name', 'label'])
      expect((await told(1, field))?.message).toContain('without text, a number, true or false');
  });
});

test('the records of collections are all of their rows, by the name of the collection', async () => {
  const client = fakeClient(({ path }) => answerWith(200, path === '/api/users' ? [] : attributes));
  expect([...(await readRecords(client, ['ne_attributes', 'users']))]).toEqual([
    ['ne_attributes', attributes],
    ['users', []],
  ]);
});
