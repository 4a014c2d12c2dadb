import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { parse } from 'yaml';
import { validators } from '../../src/generated/validators.js';
import { runProgram } from '../support/world.ts';

/** A folder for each test, in which documents are written and drafted. */
export function draftFolder() {
  let cwd = '';
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'tenantctl-'));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));
  const run = (...argv: string[]) => runProgram(argv, { cwd });
  return {
    run,
    pathTo: (file: string) => join(cwd, file),
    write(file: string, value: unknown) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), typeof value === 'string' ? value : JSON.stringify(value));
    },
    /** Every draft is a valid descriptor as it is. */
    async draft(...words: string[]) {
      const ran = await run('kind', 'draft', ...words);
      if (ran.stdout.startsWith('#')) expect(validators.kind(parse(ran.stdout)), ran.stdout).toBe(true);
      return ran;
    },
  };
}

export const text = { type: 'string' };
export const json = (schema: object, type = 'application/json') => ({ content: { [type]: { schema } } });
