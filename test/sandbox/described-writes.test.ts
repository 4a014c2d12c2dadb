/** What descriptors say of single writes, and of collections below an object. */
import { expect, test } from 'vitest';
import { get, isObject, type Json } from '../../src/model/json.ts';
import { call } from './caller.ts';
import { startWith } from './described.ts';

const seed = `
kinds:
  - { kind: Place, path: /v2025/places, key: name, update: put }
  - kind: Thing
    path: /v2025/places/{place}/things
    parent: { place: Place }
    key: name
    update: put
    fields: { size: value, weight: value, colour: text, note: text }
    write:
      required: [size]
      first: [size, weight, colour]
      immutable: [colour]
      alone: [[size, weight]]
      sendId: true
      beforeDelete: { size: 0 }
  - { kind: Theme, path: /v2025/theme, single: true, update: put, create: true, fields: { colour: text } }
  - { kind: Nook, path: /v2025/places/nooks, key: name }
  - { kind: Logo, path: /v2025/logo, single: true, update: put, fields: { file: text } }
objects:
  Place: [{ id: north, name: North }, { id: south, name: South }]
  Thing:
    - { id: box, place: north, name: Box, size: 1, weight: 2, colour: red }
    - { id: bag, place: south, name: Bag, size: 0 }
`;
const things = '/v2025/places/north/things';
const box = { id: 'box', name: 'Box', size: 1, weight: 2, colour: 'red' };

test.each<[why: string, status: number, line: string, body?: Json]>([
  ['a create with what it needs', 201, `POST ${things}`, { name: 'New', size: 1 }],
  ['a create without it', 400, `POST ${things}`, { name: 'New' }],
  ['a create with what is only set later', 400, `POST ${things}`, { name: 'New', size: 1, note: 'x' }],
  ['a change', 200, `PUT ${things}/box`, { ...box, size: 5, note: 'x' }],
  ['a change of what stays', 400, `PUT ${things}/box`, { ...box, colour: 'blue' }],
  ['a change of two that change one by one', 400, `PUT ${things}/box`, { ...box, size: 5, weight: 6 }],
  ['a change with another id', 400, `PUT ${things}/box`, { ...box, id: 'bag' }],
  ['a delete', 204, 'DELETE /v2025/places/south/things/bag'],
  ['a delete of what is still full', 400, `DELETE ${things}/box`],
  ['what is below another object', 404, `GET ${things}/bag`],
  ['what is below an object that is not there', 404, 'GET /v2025/places/west/things'],
  ['a collection at what could be an id', 200, 'GET /v2025/places/nooks'],
  ['a change that makes the only one', 201, 'PUT /v2025/theme', { colour: 'red' }],
  ['a change of the only one, which is not there', 404, 'PUT /v2025/logo', { file: 'a.svg' }],
])('%s is answered with %i', async (_why, status, line, body) => {
  const sandbox = await startWith(seed);
  const before = JSON.stringify(sandbox.state);
  const answer = await call(sandbox, line, body === undefined ? {} : { body });
  expect(answer.status, answer.text).toBe(status);
  expect(JSON.stringify(sandbox.state) === before).toBe(status >= 400 || line.startsWith('GET'));
});

test('what is below an object goes with it, and one that is made again has another id', async () => {
  const sandbox = await startWith(seed);
  expect((await call(sandbox, 'DELETE /v2025/places/north')).status).toBe(204);
  expect(sandbox.state.objects.Thing?.map(({ id }) => id)).toEqual(['bag']);
  const make = async () => {
    const { body } = await call(sandbox, 'POST /v2025/places', { body: { name: 'North' } });
    return isObject(body) ? get(body, 'id') : null;
  };
  const first = await make();
  await call(sandbox, `DELETE /v2025/places/${first}`);
  expect(await make()).not.toBe(first);
});
