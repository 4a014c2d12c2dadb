import jsonpatch from 'fast-json-patch';
import { isArray, type Json, type JsonObject } from '../model/json.ts';
import { badRequest } from './operations.ts';
import { choice, object, type Read, text } from './shape.ts';

const pointer: Read<string> = (value, at) => {
  const path = text(value, at);
  if (!/^\/([^~]|~[01])*$/.test(path)) throw badRequest(`${at}: "${path}" is not a JSON pointer`);
  return path;
};

/**
 * A copy of `document` with `patch` applied. Throws a 400 if it is malformed, leads nowhere, or a `test` fails. No tenant accepts
 * `move` and `copy`. Some accept only `replace`, which then sets members of the document itself: answers show these as null, so
 * they are never missing (api-notes, SimIntegration).
 */
export function applyPatch(document: JsonObject, patch: Json, ops: 'all' | 'replace'): JsonObject {
  if (!isArray(patch) || patch.length === 0)
    throw badRequest('The patch must be a non-empty array of operations');
  const readOperation = object({
    op: choice(ops === 'replace' ? ['replace'] : ['add', 'replace', 'remove', 'test']),
    path: pointer,
    value: (value) => value,
  });
  return patch.reduce<JsonObject>((current, given, index) => {
    const at = `operation ${index + 1}`;
    const operation = readOperation(given, at);
    const sets = ops === 'replace' && operation.path.lastIndexOf('/') === 0;
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
