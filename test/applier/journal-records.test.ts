import { describe, expect, it } from 'vitest';
import { type JournalRecord, parseRecord, progressOf } from '../../src/applier/journal.ts';

const tenant = { identity: 'https://tenant.example', profiles: '' };
const records: readonly JournalRecord[] = [
  { type: 'plan', digest: 'sha256:a', tenant, createdAt: '2026-01-01T00:00:00.000Z' },
  { type: 'plan', digest: 'sha256:a', tenant: null, createdAt: null },
  {
    type: 'intent',
    at: 't1',
    request: 0,
    before: [
      ['Thing/a', null],
      ['Thing/b', 'sha256:b'],
    ],
  },
  { type: 'intent', at: 't1', request: 3, before: [] },
  ...(['done', 'refused', 'unclear'] as const).map(
    (verdict): JournalRecord => ({
      type: 'result',
      at: 't2',
      request: 1,
      changes: ['Thing/a'],
      verdict,
      status: 201,
    }),
  ),
  { type: 'result', at: 't2', request: 0, changes: [], verdict: 'unclear', status: null },
  { type: 'settled', at: 't3', change: 'Thing/a', unmet: ['/text'], after: 'sha256:c' },
  { type: 'settled', at: 't3', change: 'Thing/a', unmet: [], after: null },
  { type: 'settled', at: 't3', change: 'Thing/a', unmet: [] },
];
const line = (record: object) => JSON.stringify({ ...record, ...('digest' in record && { format: 1 }) });

describe('a line of a journal', () => {
  it.each(records)('comes back as it was written: %j', (record) => {
    expect(parseRecord(line(record))).toEqual(record);
  });

  it.each([
    ['no time', { type: 'settled', change: 'a', unmet: [] }, { at: '' }],
    ['a status that is text', { ...records[4], status: '201' }, { status: null }],
    [
      'a tenant of which a part is missing',
      { type: 'plan', digest: 'd', tenant: { identity: 'x' } },
      { tenant: null },
    ],
    ['a tenant that is text', { type: 'plan', digest: 'd', tenant: 'x' }, { tenant: null }],
  ])('may have %s', (_name, record, expected) => {
    expect(parseRecord(line(record))).toMatchObject(expected);
  });

  it('does not tell of an object afterwards whose fingerprint is no text', () => {
    const settled = parseRecord('{"type":"settled","change":"a","unmet":[],"after":1}');
    expect(settled).toEqual({ type: 'settled', at: '', change: 'a', unmet: [] });
  });

  it.each([
    'null',
    '[]',
    '{',
    '{}',
    '{"type":"other","digest":"d","format":1,"change":"a","unmet":[],"after":null}',
    '{"type":"plan","format":1}',
    '{"type":"plan","digest":"d"}',
    '{"type":"plan","digest":"d","format":2}',
    '{"type":"intent","before":[["a",null]]}',
    '{"type":"intent","request":"0","before":[["a",null]]}',
    '{"type":"intent","request":0}',
    '{"type":"intent","request":0,"before":{"a":null}}',
    '{"type":"intent","request":0,"before":[["a",1]]}',
    '{"type":"intent","request":0,"before":[[1,null]]}',
    '{"type":"intent","request":0,"before":[["a",null],"b"]}',
    '{"type":"result","request":0,"verdict":"done"}',
    '{"type":"result","request":0,"changes":"a","verdict":"done"}',
    '{"type":"result","request":0,"changes":["a",1],"verdict":"done"}',
    '{"type":"result","request":0,"changes":["a"],"verdict":"intended"}',
    '{"type":"result","request":0,"changes":["a"]}',
    '{"type":"result","changes":["a"],"verdict":"done"}',
    '{"type":"settled","unmet":[]}',
    '{"type":"settled","change":"a"}',
    '{"type":"settled","change":"a","unmet":[1]}',
  ])('is none if it is %s', (text) => {
    expect(parseRecord(text)).toBeNull();
  });
});

describe('the progress of a change', () => {
  const intent = (request: number, before: string | null): JournalRecord => ({
    type: 'intent',
    at: '',
    request,
    before: [['Thing/a', before]],
  });
  const result = (request: number, verdict: 'done' | 'refused' | 'unclear'): JournalRecord => ({
    type: 'result',
    at: '',
    request,
    changes: ['Thing/a'],
    verdict,
    status: null,
  });

  it('is open again where a request that was refused is begun once more', () => {
    const found = progressOf([intent(0, 'x'), result(0, 'refused'), intent(0, 'y')]);
    expect(found.get('Thing/a')?.requests.get(0)).toEqual({ before: 'y', state: 'intended', at: '' });
  });

  it('is what was recorded last of each request, with the object before it', () => {
    const found = progressOf([
      intent(0, 'x'),
      result(0, 'unclear'),
      intent(0, 'y'),
      result(0, 'done'),
      intent(1, 'z'),
    ]);
    expect(found.get('Thing/a')).toEqual({
      requests: new Map([
        [0, { before: 'y', state: 'done', at: '' }],
        [1, { before: 'z', state: 'intended', at: '' }],
      ]),
      settled: null,
    });
    expect([...found.keys()]).toEqual(['Thing/a']);
  });

  it('has no object before a request whose intent is missing', () => {
    expect(
      progressOf([result(0, 'refused')])
        .get('Thing/a')
        ?.requests.get(0),
    ).toEqual({
      before: null,
      state: 'refused',
      at: '',
    });
  });
});
