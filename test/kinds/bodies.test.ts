/** What the bodies of requests say about the objects that they change: plan files are checked against it. */
import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import {
  type Before,
  idText,
  keyIn,
  mergedFields,
  operationOf,
  patchedFields,
  risksOf,
  type Said,
  wholeObject,
} from '../../src/kinds/operation.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Request } from '../../src/model/plan.ts';
import { type ApiSettings, contractSettings as settings } from '../../src/model/settings.ts';

const object = (fields: JsonObject = {}, raw: JsonObject = {}): Before => ({ fields, raw, settings });

/** What is told of a body, with what the fields are afterwards. */
const told = (said: Said | null, at = object()) =>
  said && { objects: said.objects, fields: said.fields, after: said.after(at) };

describe('a whole object', () => {
  const read = (body: Json) => told(wholeObject('name', 'locale')(body));

  it('names itself by its key, and writes all that it has', () => {
    const body = { name: 'A', locale: 'en', more: [1] };
    const key = ['A', 'en'];
    expect(read(body)).toEqual({ objects: [{ key, id: null }], fields: null, after: body });
    expect(read({ ...body, id: 'i1' })?.objects).toEqual([{ key, id: 'i1' }]);
    expect(read({ ...body, id: null })?.objects).toEqual([{ key, id: null }]);
  });

  it('with an id that is no text names none that there is', () => {
    expect(read({ name: 'A', locale: 'en', id: 7 })?.objects).toEqual([{ key: ['A', 'en'], id: '7' }]);
    expect(read({ name: 'A', locale: 'en', id: { $live: '/id' } })?.objects[0]?.id).toBe('{"$live":"/id"}');
  });

  it.each<[Json]>([
    [null],
    ['A'],
    [[]],
    [[{ name: 'A', locale: 'en' }]],
    [{ name: 'A' }],
    [{ name: 'A', locale: 7 }],
  ])('is none of %j', (body) => {
    expect(read(body)).toBeNull();
  });
});

describe('a JSON Patch', () => {
  const steps = (...list: [op: string, path: string, value?: Json][]): Json =>
    list.map(([op, path, value]) => ({ op, path, ...(value === undefined ? {} : { value }) }));
  const live = { a: { b: 1, c: { d: 2 } }, list: [1, 2], text: 'x', none: null, deep: { list: [1] } };
  const fieldsAfter = (body: Json, into?: string) =>
    told(patchedFields(body, into === undefined ? {} : { into }), object(live))?.after;

  it.each<[string, Json, JsonObject | null]>([
    ['sets a field', steps(['replace', '/text', 'y']), { text: 'y' }],
    ['adds a field', steps(['add', '/new', { a: 1 }]), { new: { a: 1 } }],
    ['removes a field', steps(['remove', '/text']), { text: null }],
    ['does not take a value with a removal', steps(['remove', '/text', 'y']), { text: null }],
    ['sets nothing without a value', steps(['replace', '/text']), { text: null }],
    ['sets a member', steps(['replace', '/a/b', 9]), { a: { b: 9, c: { d: 2 } } }],
    ['sets a member of a member', steps(['add', '/a/c/e', 3]), { a: { b: 1, c: { d: 2, e: 3 } } }],
    ['removes a member', steps(['remove', '/a/c/d']), { a: { b: 1, c: {} } }],
    ['makes the objects above a member', steps(['add', '/none/x/y', 1]), { none: { x: { y: 1 } } }],
    ['makes one of a text', steps(['add', '/text/x', 1]), { text: { x: 1 } }],
    [
      'takes its steps in their order',
      steps(['replace', '/a', { z: 1 }], ['add', '/a/y', 2]),
      { a: { z: 1, y: 2 } },
    ],
    ['sets several', steps(['replace', '/text', 'y'], ['remove', '/a']), { text: 'y', a: null }],
    ['does nothing', [], {}],
    ['cannot be told in a list', steps(['replace', '/list/0', 9]), null],
    [
      'cannot be told in a list, whatever follows',
      steps(['replace', '/list/0', 9], ['replace', '/text', 'y']),
      null,
    ],
    ['cannot be told in a list that is a member', steps(['add', '/deep/list/0', 1]), null],
    ['cannot be told in a list of a member', steps(['replace', '/a', [1]], ['add', '/a/0', 2]), null],
  ])('%s', (_what, body, expected) => {
    expect(fieldsAfter(body)).toEqual(expected);
  });

  it('of one field has pointers into it', () => {
    expect(fieldsAfter(steps(['replace', '/b', 9]), 'a')).toEqual({ a: { b: 9, c: { d: 2 } } });
    expect(patchedFields(steps(['replace', '', { z: 1 }]), { into: 'a' })).toBeNull();
    expect(told(patchedFields(steps(['replace', '/name', 'B']), { into: 'a', name: 'name' }))).toMatchObject({
      objects: [],
      fields: ['a'],
    });
  });

  it('names an object only by a step of its key', () => {
    const read = (body: Json, name?: string) => patchedFields(body, name === undefined ? {} : { name });
    expect(read(steps(['replace', '/name', 'B'], ['remove', '/a']), 'name')).toMatchObject({
      objects: [{ key: ['B'], id: null }],
      fields: ['name', 'a'],
    });
    expect(read(steps(['replace', '/name', 7]), 'name')?.objects).toEqual([{ key: [], id: null }]);
    expect(read(steps(['replace', '/title', 'B']), 'name')?.objects).toEqual([]);
    expect(read(steps(['replace', '/name', 'B']))?.objects).toEqual([]);
  });

  it.each<[Json]>([
    [null],
    [{ op: 'add', path: '/a', value: 1 }],
    [['x']],
    [[null]],
    [steps(['move', '/a', 1])],
    [steps(['copy', '/a', 1])],
    [steps(['test', '/a', 1])],
    [[{ path: '/a', value: 1 }]],
    [[{ op: 'add', value: 1 }]],
    [steps(['add', '', 1])],
    [[...[steps(['add', '/a', 1])].flat(), 'x']],
  ])('is none of %j', (body) => {
    expect(patchedFields(body)).toBeNull();
  });
});

describe('a merge patch', () => {
  const live = { a: { b: 1, c: 2 }, text: 'x' };

  it('sets members, and removes what it sets to null', () => {
    expect(told(mergedFields({ a: { b: null, d: 3 }, text: null, new: { z: 1 } }), object(live))).toEqual({
      objects: [],
      fields: ['a', 'text', 'new'],
      after: { a: { c: 2, d: 3 }, text: null, new: { z: 1 } },
    });
  });

  it('names an object only by its key', () => {
    expect(mergedFields({ name: 'B' }, { name: 'name' })?.objects).toEqual([{ key: ['B'], id: null }]);
    expect(mergedFields({ name: 7 }, { name: 'name' })?.objects).toEqual([{ key: [], id: null }]);
    expect(mergedFields({ name: 'B' })?.objects).toEqual([]);
    expect(mergedFields({ title: 'B' }, { name: 'name' })?.objects).toEqual([]);
    expect(mergedFields([], { name: 'name' })).toBeNull();
  });
});

it('a key is what all of its members say', () => {
  expect(keyIn({ a: 'x', b: 'y' }, ['b', 'a'])).toEqual(['y', 'x']);
  expect(keyIn({ a: 'x', b: null }, ['a', 'b'])).toBeNull();
  expect(keyIn({ a: 'x' }, ['a', 'toString'])).toBeNull();
});

it.each<[Json | undefined, string | null]>([
  ['i1', 'i1'],
  [7, '7'],
  [null, null],
  [undefined, null],
  [true, null],
  [['i1'], null],
])('the id %j as text is %j', (id, expected) => {
  expect(idText(id)).toBe(expected);
});

describe('a template', () => {
  const { operations } = builtInKinds.get('NotificationTemplate');
  const readDelete = (body: Json) => told(operations.delete[0]?.read?.(body) ?? null);
  const row = { key: 'k', medium: 'EMAIL', locale: 'en' };

  it('is deleted by all three parts of its key', () => {
    expect(readDelete([row, { ...row, locale: 'de' }])).toEqual({
      objects: [
        { key: ['k', 'EMAIL', 'en'], id: null },
        { key: ['k', 'EMAIL', 'de'], id: null },
      ],
      fields: null,
      after: {},
    });
  });

  it.each<[string, Json]>([
    ['a key alone, which deletes all media and locales', [{ key: 'k' }]],
    ['a key without a locale', [row, { key: 'k', medium: 'EMAIL' }]],
    ['a locale that is none', [{ ...row, locale: null }]],
    ['more than a key', [{ ...row, all: true }]],
    ['texts', ['k']],
  ])('is not deleted by %s', (_what, body) => {
    expect(readDelete(body)).toBeNull();
  });

  it('is written whole', () => {
    const body = { ...row, subject: 'S' };
    expect(told(operations.update[0]?.read?.(body) ?? null)).toEqual({
      objects: [{ key: ['k', 'EMAIL', 'en'], id: null }],
      fields: null,
      after: body,
    });
  });
});

describe('a search', () => {
  const { operations } = builtInKinds.get('ProfileSearch');
  const read = (body: Json) => operations.update[0]?.read?.(body) ?? null;
  const rule = (value: string, more: JsonObject = {}) => ({ type: 'ProfileStatusRule', value, ...more });
  const raw = {
    label: 'S',
    condition_rules_attributes: [rule('A', { id: 1 }), rule('B', { id: 'x' }), rule('C')],
  };
  const [a, b, c] = [rule('A'), rule('B'), rule('C')];
  const rulesAfter = (changes: Json, live: JsonObject = raw) =>
    read({ advanced_search: { condition_rules_attributes: changes } })?.after(object({}, live));

  it('says its label and its rules', () => {
    const search = { label: 'S', condition_rules_attributes: [] };
    expect(read({ advanced_search: search })).toMatchObject({
      objects: [{ key: ['S'], id: null }],
      fields: ['label', 'rules'],
    });
    expect(read({ advanced_search: { label: 7 } })).toMatchObject({
      objects: [{ key: [], id: null }],
      fields: ['label'],
    });
    expect(read({ advanced_search: {} })).toMatchObject({ objects: [], fields: [] });
    expect(read({ advanced_search: { label: 'S' } })?.after(object({}, raw))).toEqual({});
  });

  it.each<[string, Json]>([
    ['is none', null],
    ['is not wrapped', { label: 'S' }],
    ['has something beside it', { advanced_search: { label: 'S' }, id: 1 }],
    ['is empty', { advanced_search: null }],
    ['says what is not known', { advanced_search: { label: 'S', owner: 'x' } }],
  ])('is not read from a body that %s', (_what, body) => {
    expect(read(body)).toBeNull();
  });

  it.each<[string, Json, JsonObject[]]>([
    ['changes one, and keeps the others', [{ id: 1, value: 'Z' }], [rule('Z'), b, c]],
    [
      'knows ids as numbers and as texts',
      [
        { id: '1', value: 'Z' },
        { id: 'x', value: 'Y' },
      ],
      [rule('Z'), rule('Y'), c],
    ],
    ['adds new ones', [rule('D'), rule('E')], [a, b, c, rule('D'), rule('E')]],
    ['removes one', [{ id: 'x', _destroy: true }], [a, c]],
    ['removes one and adds another', [{ id: 1, _destroy: true }, rule('D')], [b, c, rule('D')]],
    ['clears a member', [{ id: 1, operator: null }], [{ ...a, operator: null }, b, c]],
    ['changes nothing', [], [a, b, c]],
  ])('%s of its rules', (_what, changes, expected) => {
    expect(rulesAfter(changes)).toEqual({ rules: expected });
    expect(rulesAfter(changes, { advanced_search: raw })).toEqual({ rules: expected });
  });

  it('keeps rules without ids', () => {
    const live = { condition_rules_attributes: [c, rule('D')] };
    expect(rulesAfter([rule('E')], live)).toEqual({ rules: [c, rule('D'), rule('E')] });
  });

  it.each<[string, Json]>([
    ['a rule that is not there', [{ id: 9, value: 'Z' }]],
    ['the removal of a rule that is not there', [{ id: 9, _destroy: true }]],
    ['a removal without an id', [{ _destroy: true }]],
    ['a removal that is none', [{ id: 1, _destroy: false }]],
    ['a removal in words', [{ id: 1, _destroy: 'true' }]],
    ["what is the server's", [{ id: 1, uid: 'u' }]],
    ['a text', ['x']],
    ['no list', { id: 1 }],
    ['nothing', null],
  ])('cannot be told after %s', (_what, changes) => {
    expect(rulesAfter(changes)).toBeNull();
  });
});

describe('an integration', () => {
  const { create, update } = builtInKinds.get('SimIntegration').operations;
  const [patchFields, patchRule, put] = update;
  const raw = { id: 'i1', name: 'S', attributes: { url: 'u', request: { a: 'b' } } };
  const live = object({ attributes: { url: 'u' }, request: { a: 'b' }, statusMap: null }, raw);
  const step = (path: string, value: Json) => [{ op: 'replace', path, value }];

  it('is patched by a list of steps, or by one that is wrapped', () => {
    for (const body of [step('/type', 'T'), { operations: step('/type', 'T') }]) {
      expect(told(patchFields?.read?.(body) ?? null, live)).toEqual({
        objects: [],
        fields: ['type'],
        after: { type: 'T' },
      });
    }
    expect(patchFields?.read?.({ operations: step('/type', 'T'), more: 1 })).toBeNull();
    expect(patchFields?.read?.({ other: step('/type', 'T') })).toBeNull();
    expect(patchFields?.read?.({ operations: step('/name', 'B') })?.objects).toEqual([
      { key: ['B'], id: null },
    ]);
  });

  it('has the patch of its rule in a call of its own', () => {
    const rule = object({ beforeProvisioningRule: { id: 'r1', name: 'R' } });
    expect(told(patchRule?.read?.({ operations: step('/id', 'r2') }) ?? null, rule)).toEqual({
      objects: [],
      fields: ['beforeProvisioningRule'],
      after: { beforeProvisioningRule: { id: 'r2', name: 'R' } },
    });
  });

  it('keeps ticket fields among its attributes where the tenant does', () => {
    const attributes = { url: 'v', request: { a: 'c' }, statusMap: { k: 'v' } };
    const expected = { attributes: { url: 'v', statusMap: { k: 'v' } }, request: { a: 'c' } };
    expect(patchFields?.read?.(step('/attributes', attributes))?.after(live)).toEqual(expected);
    const body = { id: 'i1', name: 'S', attributes };
    expect(put?.read?.(body)?.after(live)).toEqual({ ...body, ...expected });
    expect(patchFields?.read?.(step('/attributes', null))?.after(live)).toEqual({ attributes: null });
    expect(patchFields?.read?.(step('/attributes', { url: 'v', request: '{"a":"c"}' }))?.after(live)).toEqual(
      {
        attributes: { url: 'v' },
        request: { a: 'c' },
      },
    );
  });

  it('has them as settings where the tenant does not', () => {
    const elsewhere = { ...live, raw: { ...raw, request: null, statusMap: null } };
    const attributes = { url: 'v', request: { a: 'c' } };
    expect(patchFields?.read?.(step('/attributes', attributes))?.after(elsewhere)).toEqual({ attributes });
    expect(create[0]?.read?.({ name: 'S', attributes })?.after(object())).toEqual({ name: 'S', attributes });
  });

  it('cannot be told after a step in a list', () => {
    expect(patchFields?.read?.(step('/sources/0', 's'))?.after(object({ sources: ['a'] }))).toBeNull();
  });
});

describe('a risk', () => {
  const { operations } = builtInKinds.get('AuthProfile');
  const request = (body: Json, path = '/v2024/auth-profiles/p1'): Request => {
    return { method: 'PATCH', path, query: {}, headers: {}, body };
  };
  const risks = (...bodies: Json[]) =>
    risksOf(operations.update, { id: 'p1', requests: bodies.map((body) => request(body)) }, settings);
  const step = (path: string, value: Json) => [{ op: 'replace', path, value }];

  it.each<[string, Json]>([
    ['/type', 'BLOCK'],
    ['/offNetwork', true],
    ['/untrustedGeography', true],
  ])('is a lock-out by %s %j', (path, value) => {
    expect(risks(step(path, value))).toEqual(['lockout']);
    expect(risks([...step('/applicationId', 'a'), ...step(path, value)])).toEqual(['lockout']);
    expect(risks(step(path, value), step(path, value))).toEqual(['lockout']);
  });

  it.each<[Json]>([
    [step('/type', 'MFA')],
    [step('/offNetwork', false)],
    [step('/untrustedGeography', null)],
    [step('/applicationName', 'BLOCK')],
    [[{ op: 'remove', path: '/type' }]],
    [['/type']],
    [{ path: '/type', value: 'BLOCK' }],
    [[{ op: 'replace', value: 'BLOCK' }]],
  ])('is none by %j', (body) => {
    expect(risks(body)).toEqual([]);
  });

  it('is none of a request that is not of the kind', () => {
    const [foreign] = [request(step('/type', 'BLOCK'), '/v2024/auth-profiles/p2')];
    expect(risksOf(operations.update, { id: 'p1', requests: [foreign] }, settings)).toEqual([]);
    const body = step('/type', 'BLOCK');
    expect(
      risksOf(operations.update, { id: 'p1', requests: [{ ...request(body), method: 'PUT' }] }, settings),
    ).toEqual([]);
  });
});

describe('the operation of a request', () => {
  const { update, create } = builtInKinds.get('SimIntegration').operations;
  const request = (method: Request['method'], path: string): Request => {
    return { method, path, query: {}, headers: {}, body: null };
  };
  const at = (more: Partial<ApiSettings>) => ({ ...settings, ...more });

  it('is told by method and path', () => {
    const [fields, rule, put] = update;
    const found = (method: Request['method'], path: string, id: string | null = 'i/1') =>
      operationOf(update, request(method, path), id, settings);
    expect(found('PATCH', '/v2024/sim-integrations/i%2F1')).toBe(fields);
    expect(found('PATCH', '/v2024/sim-integrations/i%2F1/beforeProvisioningRule')).toBe(rule);
    expect(found('PUT', '/v2024/sim-integrations/i%2F1')).toBe(put);
    expect(found('DELETE', '/v2024/sim-integrations/i%2F1')).toBeNull();
    expect(found('PATCH', '/v2024/sim-integrations/i2')).toBeNull();
    expect(found('PATCH', '/v2024/sim-integrations/i%2F1', null)).toBeNull();
  });

  it('of a create needs no id, and is where the environment says', () => {
    const post = request('POST', '/v2024/sim-integrations');
    expect(operationOf(create, post, null, settings)).toBe(create[0]);
    expect(operationOf(create, post, null, at({ paths: { SimIntegration: '/sims/v1' } }))).toBeNull();
  });
});
