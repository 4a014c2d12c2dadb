/** What holds for every kind that a descriptor describes, without a tenant. */
import fc from 'fast-check';
import jsonpatch from 'fast-json-patch';
import { expect, it } from 'vitest';
import { madeAgain } from '../../src/applier/verify.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { anyJson, inOneOrder, readableFields } from '../../src/kinds/field.ts';
import type { Kind, LiveObject } from '../../src/kinds/kind.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import type { Change, Request } from '../../src/model/documents.ts';
import { get, isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { fillLive, renderBody } from '../../src/model/marker.ts';
import { valueAt } from '../../src/model/pointer.ts';
import { contractSettings as settings } from '../../src/model/tenant.ts';
import { changeFor } from '../../src/planner/change.ts';
import { type DescribedCase, plainCase } from '../support/described.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { runs } from '../support/effort.ts';
import { resource, secretsOf } from '../support/plan.ts';

const context = { settings, unseen: { secrets: secretsOf({}), left: true } };
const keyOf = (kind: Kind, values: JsonObject) => kind.keyFields.map(({ name }) => String(values[name]));

function liveOf(kind: Kind, raw: JsonObject): LiveObject {
  const live = liveObject(kind, raw, null);
  if (!live) throw new Error('The answer is no object of the kind.');
  return live;
}

function changeOf(kind: Kind, declared: JsonObject, live: LiveObject | null): Change | null {
  const names = Object.keys(kind.fields);
  const fields = Object.fromEntries(Object.entries(declared).filter(([name]) => names.includes(name)));
  const match = { kind, resource: resource(kind, keyOf(kind, declared), fields), live };
  return changeFor(match, null, context).change;
}

/** What a tenant has after a request: by the rules of the standards, not of the kind. */
function carryOut(request: Request, raw: JsonObject, live: LiveObject | null): JsonObject {
  const fields = live ? readableFields(live.kind, live.fields) : {};
  const body = renderBody(
    fillLive(request.body, (at) => valueAt(fields, at) ?? null),
    () => '',
  );
  if (request.headers['content-type'] === 'application/merge-patch+json')
    return asObject(applyPatch(raw, body));
  if (request.method === 'PATCH' && isObject(body)) return { ...raw, ...body };
  if (request.method !== 'PATCH')
    return { ...asObject(body), id: get(raw, 'id') ?? 'new', modified: 'later' };
  const copy = JSON.parse(JSON.stringify(raw));
  return jsonpatch.applyPatch(copy, JSON.parse(JSON.stringify(body)), true).newDocument;
}

const asObject = (value: Json): JsonObject => (isObject(value) ? value : {});

/** RFC 7396, section 2. */
function applyPatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(asObject(target)));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, applyPatch(result.get(name) ?? null, value));
  }
  return Object.fromEntries(result);
}

const always = (test: (given: DescribedCase, kind: Kind) => void) =>
  fc.assert(
    fc.property(plainCase, (given) => test(given, kindFrom(descriptorFrom(given.document)))),
    { numRuns: runs(200) },
  );

it('an object equals what it says itself', () =>
  always(({ objects }, kind) => {
    for (const raw of objects) expect(changeOf(kind, raw, liveOf(kind, raw))).toBeNull();
  }));

it('what is created is as it was declared', () =>
  always(({ declared }, kind) => {
    for (const wanted of declared) {
      const [request] = changeOf(kind, wanted, null)?.requests ?? [];
      if (!request) throw new Error('Nothing is created.');
      expect(changeOf(kind, wanted, liveOf(kind, carryOut(request, {}, null)))).toBeNull();
    }
  }));

it('what is updated is as it was declared, and nothing else is changed', () => {
  always(({ objects, declared }, kind) => {
    for (const raw of objects) {
      for (const wanted of declared) {
        const target = {
          ...wanted,
          ...Object.fromEntries(kind.keyFields.map(({ name }) => [name, raw[name] ?? null])),
        };
        const live = liveOf(kind, raw);
        const change = changeOf(kind, target, live);
        if (!change) continue;
        const [request] = change.requests;
        if (!request) throw new Error('Nothing is sent.');
        const after = carryOut(request, raw, live);
        expect(changeOf(kind, target, liveOf(kind, after))).toBeNull();
        for (const name of Object.keys(raw).filter(
          (each) => !Object.hasOwn(target, each) && each !== 'modified',
        )) {
          // A PUT may send a list without order in another one.
          const valueIn = (fields: JsonObject) =>
            inOneOrder(kind.fields[name] ?? anyJson, get(fields, name) ?? null);
          expect(valueIn(after)).toEqual(valueIn(raw));
        }
      }
    }
  });
});

it('a plan can do only what it shows', () => {
  const isRefused = (kind: Kind, change: Change, live: LiveObject | null) =>
    typeof madeAgain({ kind, change }, live, null, settings) === 'string';
  always(({ objects, declared }, kind) => {
    for (const wanted of declared) {
      const raw = objects.find((each) => keyOf(kind, each).join() === keyOf(kind, wanted).join());
      const live = raw ? liveOf(kind, raw) : null;
      const change = changeOf(kind, wanted, live);
      if (!change) continue;
      expect(isRefused(kind, change, live)).toBe(false);
      const [request] = change.requests;
      if (!request) throw new Error('Nothing is sent.');
      // Another object, one difference less, and one member more.
      if (live) expect(isRefused(kind, { ...change, id: 'another' }, live)).toBe(true);
      const others = { ...change, key: change.key.map((part) => `${part}x`) };
      if (request.method !== 'PATCH') expect(isRefused(kind, others, live)).toBe(true);
      if (change.diff.length > 0)
        expect(isRefused(kind, { ...change, diff: change.diff.slice(1) }, live)).toBe(true);
      const more = isArray(request.body)
        ? [...request.body, { op: 'add', path: '/untold', value: 'x' }]
        : { ...asObject(request.body), untold: 'x' };
      expect(isRefused(kind, { ...change, requests: [{ ...request, body: more }] }, live)).toBe(true);
    }
  });
});
