import { describe, expect, it } from 'vitest';
import { runConcurrently, SharedWork } from '../../src/model/basics.ts';
import { isRepeatable } from '../../src/model/documents.ts';
import type { Json } from '../../src/model/json.ts';

const patch = (body: Json) => isRepeatable({ method: 'PATCH', body });
const replace = { op: 'replace', path: '/a', value: 1 };
const search = (...rules: Json[]) => ({ advanced_search: { label: 'L', condition_rules_attributes: rules } });

describe('a request whose answer was lost', () => {
  it('may be sent again where that has the same effect', () => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect(isRepeatable({ method, body: [{}] })).toBe(true);
    expect(isRepeatable({ method: 'POST', body: null })).toBe(false);
    expect(isRepeatable({ method: 'POST', body: [replace] })).toBe(false);
  });

  it.each<[string, Json]>([
    ['replaces values', [replace, { ...replace, path: '/b/0' }]],
    ['adds members', [replace, { op: 'add', path: '/a/b', value: 1 }]],
    ['adds a member with a digit in its name', [{ op: 'add', path: '/a/b0', value: 1 }]],
    ['does so in the other form', { operations: [replace] }],
    ['changes records by their ids', search({ id: 1, value: 'x' }, { id: 'b', value: 'y' })],
    ['changes no record', { advanced_search: { label: 'L', tags: ['a'] } }],
  ])('is a patch that may be sent again: it %s', (_what, body) => expect(patch(body)).toBe(true));

  it.each<[string, Json]>([
    ['adds at the end of a list', [replace, { op: 'add', path: '/a/-', value: 1 }]],
    ['adds inside a list', [replace, { op: 'add', path: '/a/10', value: 1 }]],
    ['adds to a list in the other form', { operations: [{ op: 'add', path: '/a/0', value: 1 }] }],
    ['removes', [replace, { op: 'remove', path: '/a' }]],
    ['removes in the other form', { operations: [{ op: 'remove', path: '/a' }] }],
    ['tests', [{ op: 'test', path: '/a', value: 1 }]],
    ['moves', [{ op: 'move', from: '/b', path: '/a' }]],
    ['names no path', [{ op: 'replace', value: 1 }]],
    ['has a step that is none', [replace, 'replace']],
    ['has no list of steps', { operations: 'replace' }],
    ['has no list of steps, but members', { operations: { value: 1 } }],
    ['adds a record', search({ id: 1, value: 'x' }, { value: 'y' })],
    ['adds a record with an empty id', search({ id: null, value: 'y' })],
    ['removes a record', search({ id: 1, value: 'x' }, { id: 2, _destroy: true })],
    ['adds a record below another', search({ id: 1, parts: [{ value: 'y' }] })],
    ['is text', 'replace'],
    ['is nothing', null],
  ])('is a patch that is not sent again: it %s', (_what, body) => expect(patch(body)).toBe(false));
});

/** A promise, and what resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it('shared work is done once more for all who ask while it goes on', async () => {
  const { opened, open } = gate();
  let count = 0;
  const work = new SharedWork(async () => {
    count += 1;
    await opened;
  });
  const first = work.run();
  await expect.poll(() => count).toBe(1);
  const others = [work.run(), work.run()];
  open();
  await Promise.all([first, ...others]);
  await work.idle;
  expect(count).toBe(2);
});

it('shared work that fails fails for those who asked, and is done again for the next', async () => {
  let count = 0;
  const work = new SharedWork(async () => {
    count += 1;
    if (count === 1) throw new Error('no');
  });
  await expect(work.run()).rejects.toThrow('no');
  await work.idle;
  await work.run();
  expect(count).toBe(2);
});

it.each([
  [1, 1],
  [2, 2],
  [9, 3],
  [0, 1],
])('with a limit of %i, of three items at most %i are worked on at once', async (limit, most) => {
  let [running, seen] = [0, 0];
  const done: number[] = [];
  await runConcurrently([1, 2, 3], limit, async (item) => {
    running += 1;
    seen = Math.max(seen, running);
    await Promise.resolve();
    running -= 1;
    done.push(item);
  });
  expect([done, seen]).toEqual([[1, 2, 3], most]);
});
