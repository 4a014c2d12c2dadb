import { describe, expect, it } from 'vitest';
import { fileStem, sha256 } from '../../src/model/digest.ts';
import { type Change, formats, type Plan, planDigest } from '../../src/model/documents.ts';
import type { Versions } from '../../src/model/failure.ts';
import { isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { placesIn, segmentsOf, valueAt, withValueAt } from '../../src/model/pointer.ts';

const change: Required<Change> = {
  address: 'SimIntegration/S',
  kind: 'SimIntegration',
  key: ['S'],
  action: 'update',
  source: { file: 'config/a.yaml', line: 3 },
  id: 'i1',
  fingerprint: 'sha256:1',
  diff: [{ path: '/type', op: 'replace', before: 'A', after: 'B', sensitive: false, origin: 'repo' }],
  declared: { type: 'B' },
  ignored: ['/sources'],
  left: ['/attributes/password'],
  secrets: ['/attributes/password'],
  requests: [
    {
      method: 'PATCH',
      path: '/v2024/sim-integrations/i1',
      query: { a: 'b' },
      headers: { accept: 'application/json' },
      body: { operations: [{ op: 'replace', path: '/type', value: 'B' }] },
    },
  ],
  warnings: ['Careful.'],
  risk: ['lockout'],
  impact: { notRun: 'no reason' },
  modified: '2026-01-01T00:00:00.000Z',
  commit: { id: '01234567', author: 'Ada', at: '2026-01-01T00:00:00.000Z' },
};

const plan: Required<Plan> = {
  formatVersion: formats.plan,
  tool: { name: 'tenantctl', version: '1.0.0' },
  createdAt: '2026-01-01T00:00:00.000Z',
  environment: 'production',
  tenant: { identity: 'https://a.example', profiles: 'https://b.example' },
  scope: { only: ['SimIntegration/*'], except: ['SimIntegration/x'], prune: true, since: 'abc' },
  digest: '',
  summary: { create: 1, update: 2, delete: 3, manual: 4, unchanged: 5, undeclared: 1 },
  undeclared: ['SimIntegration/T'],
  undoes: { startedAt: '2026-01-01T00:00:00Z', planDigest: 'sha256:0' },
  allowed: { maxDeletes: 1, deleteAll: ['SimIntegration'] },
  ensuredHere: ['SimIntegration/S'],
  lookups: [{ from: 'profiles', where: { name: 'A' }, take: 'id' }],
  desired: { 'SimIntegration/ServiceNow': 'sha256:c' },
  changes: [change],
  diagnostics: [{ code: 'c', severity: 'warning', message: 'm' }],
};

const asJson: JsonObject = JSON.parse(JSON.stringify(plan));
const parsePlan = (value: Json): Plan => JSON.parse(JSON.stringify(value));

/** Every place in the plan, containers too. */
const placesBelow = (value: Json, at = ''): string[] =>
  placesIn(value, at).flatMap(([place, item]) => [place, ...placesBelow(item, place)]);

/** The plan with the value at a place left out. */
function without(place: string): Plan {
  const [name = '', index, ...rest] = segmentsOf(place);
  const first = valueAt(asJson, `/${name}/0`);
  if (index === undefined || !isObject(first)) return parsePlan(withValueAt(asJson, place, undefined));
  const below = rest.map((segment) => `/${segment}`).join('');
  return parsePlan({ ...asJson, [name]: below === '' ? [] : [withValueAt(first, below, undefined)] });
}

const notCovered = [
  '/tool',
  '/createdAt',
  '/digest',
  ...['/undoes', '/undeclared', '/summary/undeclared'],
  ...['impact', 'modified', 'commit'].map((name) => `/changes/0/${name}`),
];
const isCovered = (place: string) =>
  !notCovered.some((other) => place === other || place.startsWith(`${other}/`));

describe('the digest of a plan', () => {
  const members = placesBelow(asJson).filter((place) => {
    const parent = valueAt(asJson, place.slice(0, place.lastIndexOf('/')));
    return (
      isObject(parent) &&
      !/^\/changes\/0\/(diff|requests)\//.test(place) &&
      !place.startsWith('/diagnostics/')
    );
  });

  it.each(members.filter((place) => !['/changes', '/diagnostics'].includes(place) && isCovered(place)))(
    'is another one without %s',
    (place) => expect(planDigest(without(place))).not.toBe(planDigest(plan)),
  );

  it('covers remarks, except earlier defaults of the vendor: not every clone knows them', () => {
    const remark = { code: 'default-moved', severity: 'warning', message: 'Moved.' } as const;
    const digestWith = (versions: readonly Versions[]) =>
      planDigest({ ...plan, diagnostics: [{ ...remark, versions }] });
    const known = { name: 'body', ours: 'a', theirs: 'b' };
    expect(digestWith([known])).not.toBe(planDigest({ ...plan, diagnostics: [] }));
    expect(digestWith([known])).not.toBe(digestWith([{ ...known, theirs: 'c' }]));
    expect(digestWith([known])).toBe(digestWith([{ ...known, old: 'c' }]));
  });

  it.each(notCovered)('is the same without %s', (place) =>
    expect(planDigest(without(place))).toBe(planDigest(plan)),
  );

  it('is another one where anything in a request or a difference is another', () => {
    const texts = JSON.stringify(plan.changes[0]);
    const edits: [string, string][] = [
      ['"PATCH"', '"DELETE"'],
      ['/v2024/sim-integrations/i1', '/v2024/sim-integrations/i2'],
      ['"a":"b"', '"a":"c"'],
      ['application/json', 'text/plain'],
      ['"value":"B"', '"value":"C"'],
      ['"before":"A"', '"before":"C"'],
      ['"after":"B"', '"after":"C"'],
      ['"sensitive":false', '"sensitive":true'],
      ['"origin":"repo"', '"origin":"both"'],
    ];
    for (const [from, to] of edits) {
      expect(texts).toContain(from);
      const edited: Plan = { ...plan, changes: [JSON.parse(texts.replace(from, to))] };
      expect(planDigest(edited), from).not.toBe(planDigest(plan));
    }
  });

  it('is another one where the order of changes, requests or warnings is another', () => {
    const other = { ...change, address: 'SimIntegration/T' };
    const there = planDigest({ ...plan, changes: [change, other] });
    expect(planDigest({ ...plan, changes: [other, change] })).not.toBe(there);
  });
});

it('a digest names a file by its digits, and what is none leads nowhere else', () => {
  expect(sha256(1)).toBe(`sha256:${fileStem(sha256(1))}`);
  expect(fileStem('sha256:../../config')).toMatch(/^[0-9a-f]{64}$/);
});
