import { join } from 'node:path';
import { beforeEach, expect } from 'vitest';
import { parse } from 'yaml';
import { validators } from '../../src/generated/validators.js';
import { createTestFolder, runProgram } from '../support/world.ts';

/** A folder for each test, in which documents are written and drafted. */
export function draftFolder() {
  let folder: ReturnType<typeof createTestFolder>;
  beforeEach(() => {
    folder = createTestFolder();
  });
  const run = (...argv: string[]) => runProgram(argv, { cwd: folder.dir });
  return {
    run,
    pathTo: (file: string) => join(folder.dir, file),
    write: (file: string, value: unknown) =>
      folder.write(file, typeof value === 'string' ? value : JSON.stringify(value)),
    /** Every draft is a valid descriptor as it is. */
    async draft(...words: string[]) {
      const ran = await run('kind', 'draft', ...words);
      if (ran.stdout.startsWith('#')) expect(validators.kind(parse(ran.stdout)), ran.stdout).toBe(true);
      return ran;
    },
  };
}

export const text = { type: 'string' };
export const object = (properties: object) => ({ type: 'object', properties });
export const listOf = (items: object) => ({ type: 'array', items });
export const json = (schema: object, type = 'application/json') => ({ content: { [type]: { schema } } });
