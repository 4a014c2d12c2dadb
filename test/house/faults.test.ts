import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { mutants } = await import(join(root, 'mutation/mutants.mjs'));

/** Otherwise a fault by hand is lost when its code changes, and only somebody who runs all of them would know. */
describe.each<{ name: string; file: string; find: string }>(mutants)(
  'the fault "$name"',
  ({ file, find }) => {
    it('has one place', () => {
      expect(readFileSync(join(root, file), 'utf8').split(find)).toHaveLength(2);
    });
  },
);
