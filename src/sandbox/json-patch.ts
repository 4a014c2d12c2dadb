import { get, isArray, isObject, type Json, type JsonObject, objectFrom, sameJson } from '../model/json.ts';
import { badRequest } from './operations.ts';
import { choice, json, object, text } from './shape.ts';

const patchOps = ['add', 'replace', 'remove', 'test'] as const;
type PatchOp = (typeof patchOps)[number];

interface PatchRules {
  /** The ops that the tenant accepts; no tenant accepts `move` and `copy`. */
  readonly ops: readonly PatchOp[];
  /** True when `replace` sets a missing member of the document itself, as on tenants without other ops. */
  readonly replaceSets: boolean;
}

/** JSON Patch as RFC 6902 defines it, without `move` and `copy`. */
export const standardPatch: PatchRules = { ops: patchOps, replaceSets: false };

/** Only `replace`. The fields of the document, which answers show as null, are never missing (api-notes, SimIntegration). */
export const replaceOnlyPatch: PatchRules = { ops: ['replace'], replaceSets: true };

/** A copy of `document` with `patch` applied. Throws a 400 if it is malformed, leads nowhere, or a `test` fails. */
export function applyPatch(document: JsonObject, patch: Json, rules: PatchRules): JsonObject {
  if (!isArray(patch) || patch.length === 0)
    throw badRequest('The patch must be a non-empty array of operations');
  const readOperation = object({ op: choice(rules.ops), path: text, value: json });
  return patch.reduce<JsonObject>((current, operation, index) => {
    const at = `operation ${index + 1}`;
    const { op, path, value } = readOperation(operation, at);
    if (op !== 'remove' && isObject(operation) && !Object.hasOwn(operation, 'value'))
      throw badRequest(`${at}.value is required for ${op}`);
    const tokens = parsePointer(path);
    const sets = op === 'add' || (op === 'replace' && rules.replaceSets && tokens.length === 1);
    const next = changeAt(current, tokens, { op, value, at: `${at} (${op} ${path})`, sets });
    if (!isObject(next)) throw badRequest(`${at}: the document must stay an object`);
    return next;
  }, document);
}

interface Change {
  readonly op: PatchOp;
  readonly value: Json;
  readonly at: string;
  /** True when a missing member is set. */
  readonly sets: boolean;
}

function parsePointer(path: string): string[] {
  if (!path.startsWith('/') || /~(?![01])/.test(path)) throw badRequest(`"${path}" is not a JSON pointer`);
  return path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function changeAt(node: Json, [token, ...rest]: readonly string[], change: Change): Json {
  if (token === undefined) throw badRequest(`${change.at}: the path is empty`);
  if (isArray(node)) return changeArray(node, token, rest, change);
  if (isObject(node)) return changeObject(node, token, rest, change);
  throw badRequest(`${change.at}: the path leads into a value that has no members`);
}

function changeObject(node: JsonObject, token: string, rest: readonly string[], change: Change): Json {
  const current = get(node, token);
  if (rest.length > 0) {
    if (current === undefined) throw missingError(change);
    return { ...node, [token]: changeAt(current, rest, change) };
  }
  if (current === undefined && !change.sets) throw missingError(change);
  if (change.op === 'remove') return objectFrom(Object.entries(node).filter(([key]) => key !== token));
  if (change.op === 'test') return checkTest(node, current ?? null, change);
  return { ...node, [token]: change.value };
}

function changeArray(node: readonly Json[], token: string, rest: readonly string[], change: Change): Json {
  const end = change.op === 'add' && rest.length === 0 ? node.length : node.length - 1;
  if (token !== '-' && !/^(0|[1-9]\d{0,8})$/.test(token)) throw missingError(change);
  const index = token === '-' ? node.length : Number(token);
  if (index > end) throw missingError(change);
  const current = node[index] ?? null;
  if (rest.length > 0) return node.with(index, changeAt(current, rest, change));
  switch (change.op) {
    case 'add':
      return node.toSpliced(index, 0, change.value);
    case 'remove':
      return node.toSpliced(index, 1);
    case 'replace':
      return node.with(index, change.value);
    case 'test':
      return checkTest(node, current, change);
  }
}

function checkTest(node: Json, current: Json, change: Change): Json {
  if (!sameJson(current, change.value)) throw badRequest(`${change.at}: the value there is different`);
  return node;
}

function missingError(change: Change): Error {
  return badRequest(`${change.at}: there is nothing at that path`);
}
