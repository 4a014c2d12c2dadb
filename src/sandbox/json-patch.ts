import { isArray, isObject, type Json, type JsonObject, objectFrom, own, sameJson } from '../model/json.ts';
import { badRequest } from './api-error.ts';
import { Fields } from './shape.ts';

const patchOps = ['add', 'replace', 'remove', 'test'] as const;
type PatchOp = (typeof patchOps)[number];

export interface PatchRules {
  /** The ops a tenant takes; `move` and `copy` are never among them. */
  readonly ops: readonly PatchOp[];
  /** Whether `replace` of what is not there sets it, as tenants do that know no other op. */
  readonly replaceSets: boolean;
}

/** JSON Patch as RFC 6902 defines it, without `move` and `copy`. */
export const standardPatch: PatchRules = { ops: patchOps, replaceSets: false };

/** Only `replace`, which then also sets what is missing (api-notes, SimIntegration). */
export const replaceOnlyPatch: PatchRules = { ops: ['replace'], replaceSets: true };

/**
 * A new document with the operations of `patch` applied in order. Throws a 400 for an operation that is malformed or
 * not allowed, for a path that leads nowhere, and for a `test` that fails; then nothing is changed.
 */
export function applyPatch(document: JsonObject, patch: Json, rules: PatchRules): JsonObject {
  if (!isArray(patch) || patch.length === 0)
    throw badRequest('The patch must be a non-empty array of operations');
  return patch.reduce<JsonObject>((current, operation, index) => {
    const next = applyOperation(current, operation, `operation ${index + 1}`, rules);
    if (!isObject(next)) throw badRequest(`operation ${index + 1}: the document must stay an object`);
    return next;
  }, document);
}

function applyOperation(document: JsonObject, operation: Json, at: string, rules: PatchRules): Json {
  const fields = new Fields(operation, at);
  const op = fields.choice('op', rules.ops);
  const path = fields.text('path');
  if (op !== 'remove' && !fields.names('value')) throw badRequest(`${at}.value is required for ${op}`);
  const value = fields.json('value');
  fields.done();
  return change(document, parsePointer(path), { op, value, at: `${at} (${op} ${path})`, rules });
}

interface Change {
  readonly op: PatchOp;
  readonly value: Json;
  readonly at: string;
  readonly rules: PatchRules;
}

function parsePointer(path: string): string[] {
  if (!path.startsWith('/') || /~(?![01])/.test(path)) throw badRequest(`"${path}" is no JSON pointer`);
  return path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function change(node: Json, [token, ...rest]: readonly string[], what: Change): Json {
  if (token === undefined) throw badRequest(`${what.at}: the path is empty`);
  if (isArray(node)) return changeArray(node, token, rest, what);
  if (isObject(node)) return changeObject(node, token, rest, what);
  throw badRequest(`${what.at}: the path leads into a value that has no members`);
}

function changeObject(node: JsonObject, token: string, rest: readonly string[], what: Change): Json {
  const current = own(node, token);
  if (rest.length > 0) {
    if (current === undefined) throw missing(what);
    return withMember(node, token, change(current, rest, what));
  }
  const sets = what.op === 'add' || (what.op === 'replace' && what.rules.replaceSets);
  if (current === undefined && !sets) throw missing(what);
  if (what.op === 'remove') return objectFrom(Object.entries(node).filter(([key]) => key !== token));
  if (what.op === 'test') return tested(node, current ?? null, what);
  return withMember(node, token, what.value);
}

function changeArray(node: readonly Json[], token: string, rest: readonly string[], what: Change): Json {
  const end = what.op === 'add' && rest.length === 0 ? node.length : node.length - 1;
  if (token !== '-' && !/^(0|[1-9]\d{0,8})$/.test(token)) throw missing(what);
  const index = token === '-' ? node.length : Number(token);
  if (index > end) throw missing(what);
  const current = node[index] ?? null;
  if (rest.length > 0) return node.with(index, change(current, rest, what));
  switch (what.op) {
    case 'add':
      return node.toSpliced(index, 0, what.value);
    case 'remove':
      return node.toSpliced(index, 1);
    case 'replace':
      return node.with(index, what.value);
    case 'test':
      return tested(node, current, what);
  }
}

function withMember(node: JsonObject, key: string, value: Json): JsonObject {
  return objectFrom([...new Map([...Object.entries(node), [key, value] as const])]);
}

function tested(node: Json, current: Json, what: Change): Json {
  if (!sameJson(current, what.value)) throw badRequest(`${what.at}: the value there is another`);
  return node;
}

function missing(what: Change): Error {
  return badRequest(`${what.at}: there is nothing at that path`);
}
