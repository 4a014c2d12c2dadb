import { describe, expect, test } from 'vitest';
import { call, type Send } from './caller.ts';
import { filters, jsonPatch, mergePatch, patch, startWith } from './described.ts';

const make = 'POST /v2025/roles';
const change = 'PATCH /v2025/roles/r1';
const merge = 'PATCH /v2025/access-profiles/p1';

const refused: readonly (readonly [why: string, status: number, line: string, send?: Send])[] = [
  ['no experimental header', 400, 'GET /v2025/roles', { headers: { 'X-Service-Experimental': null } }],
  ['no token', 401, 'GET /v2025/roles', { headers: { authorization: null } }],
  ['a page above the largest', 400, 'GET /v2025/roles?limit=3'],
  ['a page of a list without pages', 400, 'GET /v2025/access-profiles?limit=1'],
  ['count where it is not said', 400, 'GET /v2025/access-profiles?count=true'],
  ['a filter where it is not said', 400, `GET /v2025/access-profiles${filters('name eq "Read"')}`],
  ['a filter on no key', 400, `GET /v2025/roles${filters('description eq "x"')}`],
  ['an operator other than eq and in', 400, `GET /v2025/roles${filters('name sw "A"')}`],
  ['an order', 400, 'GET /v2025/roles?sorters=name'],
  ['an unknown id', 404, 'GET /v2025/roles/r9'],
  ['a PUT where objects are patched', 405, 'PUT /v2025/roles/r1', { body: { name: 'Admin' } }],
  ['a PATCH where they are put', 405, 'PATCH /api/transforms/t1', patch()],
  ['a DELETE that is not said', 405, 'DELETE /api/transforms/t1'],
  ['a POST to what is only read', 405, 'POST /v2025/sources', { body: { name: 'New' } }],
  ['a PATCH of what is only read', 405, 'PATCH /v2025/identities/i1', patch()],
  ['a DELETE of what is only read', 405, 'DELETE /v2025/managed-clusters/c1'],
  ['no key', 400, make, { body: { description: 'x' } }],
  ['half a key', 400, 'POST /v2025/access-profiles', { body: { name: 'Own' } }],
  ['an empty key', 400, make, { body: { name: '' } }],
  ['an unknown field', 400, make, { body: { name: 'New', colour: 'red' } }],
  ['a field that another object has', 400, make, { body: { name: 'New', quirk: 7 } }],
  ['__proto__', 400, make, { raw: '{"name":"New","__proto__":{}}' }],
  ['an id', 400, make, { body: { name: 'New', id: 'r9' } }],
  ['a time', 400, make, { body: { name: 'New', created: '2025-01-01' } }],
  ['a list', 400, make, { body: [{ name: 'New' }] }],
  ['a number for text', 400, make, { body: { name: 'New', description: 7 } }],
  ['an object for an id', 400, make, { body: { name: 'New', main: { id: 's1' } } }],
  ['a text for a set', 400, make, { body: { name: 'New', labels: 'a' } }],
  ['an object in a set', 400, make, { body: { name: 'New', labels: [{}] } }],
  ['a number for JSON', 400, make, { body: { name: 'New', membership: 1 } }],
  ['an object for JSON in text', 400, 'PUT /api/transforms/t1', { body: { name: 'Upper', script: {} } }],
  ['a text for JSON', 400, make, { body: { name: 'New', membership: '{}' } }],
  ['an id for a reference', 400, make, { body: { name: 'New', owner: 'i1' } }],
  ['a reference without an id', 400, make, { body: { name: 'New', owner: { type: 'IDENTITY' } } }],
  ['a reference without its type', 400, make, { body: { name: 'New', owner: { id: 'i1' } } }],
  ['another type', 400, make, { body: { name: 'New', owner: { type: 'ROLE', id: 'i1' } } }],
  ['more than a reference', 400, make, { body: { name: 'New', profiles: [{ id: 'p1', x: 1 }] } }],
  ['an owner that is not there', 400, make, { body: { name: 'N', owner: { type: 'IDENTITY', id: 'p1' } } }],
  ['a profile that is not there', 400, make, { body: { name: 'N', profiles: [{ id: 'p1' }, { id: 'p9' }] } }],
  ['an id in a set that is not there', 400, make, { body: { name: 'N', sources: ['s1', 's2'] } }],
  ['an id as a value that is not there', 400, make, { body: { name: 'N', main: 'i1' } }],
  ['plain JSON for a patch', 400, change, { body: [{ op: 'add', path: '/description', value: 'x' }] }],
  ['a merge patch for a JSON Patch', 400, change, { body: { description: 'x' }, ...mergePatch }],
  ['operations in an object', 400, change, { body: { operations: [] }, ...jsonPatch }],
  ['a JSON Patch for a merge patch', 400, merge, patch()],
  ['a replace of nothing', 400, change, patch({ op: 'replace', path: '/description', value: 'x' })],
  ['a patch of a time', 400, change, patch({ op: 'add', path: '/modified', value: 'x' })],
  ['a patch of the id', 400, change, patch({ op: 'replace', path: '/id', value: 'r9' })],
  ['a patch that looks at the version', 400, change, patch({ op: 'test', path: '/version', value: 3 })],
  ['a patch of an unknown field', 400, change, patch({ op: 'add', path: '/colour', value: 'red' })],
  ['a patch behind the end of a list', 400, change, patch({ op: 'add', path: '/sources/5', value: 's1' })],
  ['a patch without a key', 400, change, patch({ op: 'remove', path: '/name' })],
  ['a patch to what is not there', 400, change, patch({ op: 'replace', path: '/owner/id', value: 'i9' })],
  ['a merge patch of a time', 400, merge, { body: { created: null }, ...mergePatch }],
  ['a merge patch of an unknown field', 400, merge, { body: { colour: null }, ...mergePatch }],
  ['a merge patch without a key', 400, merge, { body: { name: null }, ...mergePatch }],
  ['a merge patch that is a list', 400, merge, { body: [], ...mergePatch }],
  ['a PUT with another id', 400, 'PUT /api/transforms/t1', { body: { id: 't2', name: 'Upper' } }],
  [
    'an id that is not said to be the server’s',
    400,
    'POST /api/transforms',
    { body: { id: 't2', name: 'New' } },
  ],
  ['a PUT without the key', 400, 'PUT /api/transforms/t1', { body: { description: 'x' } }],
  ['a DELETE of what a role refers to', 400, 'DELETE /v2025/access-profiles/p1'],
];

describe('what a descriptor does not allow is refused', () => {
  test.each(refused.map(([why, status, line, send]) => ({ why, status, line, send })))(
    '$why: $status',
    async ({ status, line, send }) => {
      const sandbox = await startWith();
      const before = JSON.stringify(sandbox.state);
      const answer = await call(sandbox, line, send);
      expect(answer.status, answer.text).toBe(status);
      expect(JSON.stringify(sandbox.state)).toBe(before);
    },
  );
});
