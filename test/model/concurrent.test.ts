import { expect, it } from 'vitest';
import { runConcurrently, SharedWork } from '../../src/model/basics.ts';

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
