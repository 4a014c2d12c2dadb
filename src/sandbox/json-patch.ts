import jsonpatch from 'fast-json-patch';
import { isArray, type Json, type JsonObject } from '../model/json.ts';
import { badRequest } from './operations.ts';
import { choice, object, type Read, text } from './shape.ts';

interface PatchRules {
  /** The ops that the tenant accepts; no tenant accepts `move` and `copy`. */
  readonly ops: readonly ('add' | 'replace' | 'remove' | 'test')[];
  /** True when `replace` sets a missing member of the document itself, as on tenants without other ops. */
  readonly replaceSets: boolean;
}

/** JSON Patch as RFC 6902 defines it, without `move` and `copy`. */
export const standardPatch: PatchRules = { ops: ['add', 'replace', 'remove', 'test'], replaceSets: false };

/** Only `replace`. The fields of the document, which answers show as null, are never missing (api-notes, SimIntegration). */
export const replaceOnlyPatch: PatchRules = { ops: ['replace'], replaceSets: true };

const pointer: Read<string> = (value, at) => {
  const path = text(value, at);
  if (!/^\/([^~]|~[01])*$/.test(path)) throw badRequest(`${at}: "${path}" is not a JSON pointer`);
  return path;
};

/** A copy of `document` with `patch` applied. Throws a 400 if it is malformed, leads nowhere, or a `test` fails. */
export function applyPatch(document: JsonObject, patch: Json, { ops, replaceSets }: PatchRules): JsonObject {
  if (!isArray(patch) || patch.length === 0)
    throw badRequest('The patch must be a non-empty array of operations');
  const readOperation = object({ op: choice(ops), path: pointer, value: (value) => value });
  return patch.reduce<JsonObject>((current, given, index) => {
    const at = `operation ${index + 1}`;
    const operation = readOperation(given, at);
    const sets = replaceSets && operation.op === 'replace' && operation.path.lastIndexOf('/') === 0;
    try {
      const asked = sets ? { ...operation, op: 'add' as const } : operation;
      return jsonpatch.applyOperation(current, asked, true, false).newDocument;
    } catch (error) {
      // The message of such an error holds the whole document.
      const why = error instanceof Error ? error.name : 'impossible';
      throw badRequest(`${at} (${operation.op} ${operation.path}): it cannot be applied there (${why})`);
    }
  }, document);
}
