import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { get, isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { SandboxOptions } from '../support/sandbox.ts';
import { createTestFolder } from '../support/world.ts';
import { type Send, start } from './caller.ts';

/** Three collections of the usual shape: one for each way to change an object. */
export const kinds = `
kinds:
  - kind: Role
    path: /v2025/roles
    key: name
    list: { pageSize: 2, counts: true, filter: true }
    update: json-patch
    fields:
      description: text
      enabled: value
      labels: set
      owner: { is: reference, to: Identity, type: IDENTITY }
      profiles: { is: references, to: AccessProfile }
      sources: { is: set, to: Source }
      main: { is: value, to: Source }
      membership: { is: json, declares: whole }
    serverOwned: [id, created, modified, version]
  - kind: AccessProfile
    path: /v2025/access-profiles
    key: [name, { name: locale, foldCase: true }]
    list: { pageSize: null, member: items }
    update: merge-patch
    fields: { description: text, parent: { is: reference, to: AccessProfile }, settings: json }
    serverOwned: [id, created, modified]
  - kind: Transform
    service: profiles
    path: /api/transforms
    key: name
    update: put
    delete: false
    fields: { description: text, attributes: json, script: { is: json, text: true } }
    serverOwned: []
`;

const objects = `
objects:
  Identity: [{ id: i1, name: Ann }, { id: i2, name: Ben }]
  Source: [{ id: s1, name: HR, connector: flat-file }]
  AccessProfile:
    - { id: p1, name: Read, locale: en, settings: { a: { b: 1, c: 2 } } }
    - { id: p2, name: Write, locale: en, parent: { id: p1 } }
  Role:
    - { id: r1, name: Admin, enabled: true, owner: { type: IDENTITY, id: i1, name: old name }, profiles: [{ id: p1 }], sources: [s1], quirk: 7, version: 3 }
    - { id: r2, name: Guest, description: Visitors }
    - { id: r3, name: "Q\\"uote" }
  Transform:
    - { id: t1, name: Upper, description: Text, attributes: { x: 1 }, script: { y: 2 }, quirk: 7 }
`;

/** A file with that text, removed after the test. */
export function fileOf(text: string): string {
  return join(createTestFolder({ 'seed.yaml': text }).dir, 'seed.yaml');
}

/** A file with these collections, as JSON: more than a hundred tests begin with it, and YAML takes long to read. */
export const usualSeed = join(mkdtempSync(join(tmpdir(), 'tenantctl-')), 'seed.json');
writeFileSync(usualSeed, JSON.stringify(parse(kinds + objects)));

/** A tenant with these collections, or those of another seed. */
export const startWith = (text?: string, options: SandboxOptions = {}): Promise<Sandbox> =>
  start({ seed: text === undefined ? usualSeed : fileOf(text), ...options });

export const mergePatch = { headers: { 'content-type': 'application/merge-patch+json' } };
export const jsonPatch = { headers: { 'content-type': 'application/json-patch+json' } };
/** A JSON Patch of these operations. */
export const patch = (...body: JsonObject[]): Send => ({ body, ...jsonPatch });
export const filters = (text: string) => `?filters=${encodeURIComponent(text)}`;

/** The names of the objects in an answer. */
export const namesIn = (body: Json) =>
  (isArray(body) ? body : []).map((row) => (isObject(row) ? get(row, 'name') : null));
