import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { parseJson } from '../model/json.ts';
import { readState } from './read-state.ts';
import type { TenantState } from './state.ts';

/** A seed or data file that cannot be used; `message` names the file and the place in it. */
export class SandboxFileError extends Error {
  override readonly name = 'SandboxFileError';
}

/**
 * The tenant to start with: the data file where it exists, else the seed, else an empty tenant.
 * Throws {@link SandboxFileError} for a file that is missing, unreadable or of the wrong shape.
 */
export function loadState(seed: string | null, data: string | null): TenantState {
  if (data !== null && existsSync(data)) return readFile(data, (text) => parseJson(text));
  if (seed !== null) return readFile(seed, (text) => parse(text, { maxAliasCount: 100 }));
  return readState({});
}

/** Writes the tenant so that a reader sees the old file or the new one, never a part, also after a crash. */
export function saveState(state: TenantState, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = openSync(temporary, 'w', 0o600);
  try {
    writeSync(handle, JSON.stringify(state));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
}

function readFile(file: string, parseText: (text: string) => ReturnType<typeof parseJson>): TenantState {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    return readState(parseText(text));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SandboxFileError(`The sandbox cannot use ${file}: ${why}`);
  }
}
